package registry

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestDocs: the pages name the bounds.
func TestDocs(t *testing.T) {
	for page, wanted := range map[string][]string{
		"faults.md": {fmt.Sprintf("%d attempts for a key", hangAttempts),
			fmt.Sprintf("for one of them and %dm for", confirmHangs/time.Minute)},
		"campaigns.md":    {fmt.Sprintf("at most %d of them, and %d kinds", mostFound, mostKinds)},
		"minimization.md": {fmt.Sprintf("for each and %d for all of a run", reduceHangs/time.Minute)},
	} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		unwrapped := strings.Join(strings.Fields(string(text)), " ")
		for _, what := range wanted {
			if !strings.Contains(unwrapped, what) {
				t.Errorf("docs/%s does not say %q", page, what)
			}
		}
	}
}
