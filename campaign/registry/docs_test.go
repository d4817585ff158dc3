package registry

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocs: the pages name the bounds.
func TestDocs(t *testing.T) {
	for page, wanted := range map[string][]string{
		"campaigns.md": {fmt.Sprintf("at most %d findings and %d kinds", mostFound, mostKinds)},
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
