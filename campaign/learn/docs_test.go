package learn

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
)

// TestTheLearningPageHasTheTraits compares docs/campaigns.md with the table.
func TestTheLearningPageHasTheTraits(t *testing.T) {
	text, err := os.ReadFile("../../docs/campaigns.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.Join(strings.Fields(string(text)), " ")
	wanted := []string{"`" + source.OptionTrait + "NAME`"}
	for _, trait := range source.Traits {
		wanted = append(wanted, fmt.Sprintf("| `%s` | %s |", trait.Name, trait.Doc))
	}
	for _, want := range wanted {
		if !strings.Contains(page, want) {
			t.Errorf("docs/campaigns.md lacks %q", want)
		}
	}
}
