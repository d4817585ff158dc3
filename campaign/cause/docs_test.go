package cause

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPageOfCauses compares the table of docs/causes.md with the variants.
func TestPageOfCauses(t *testing.T) {
	page, err := os.ReadFile("../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for i := range variants {
		fmt.Fprintf(&rows, "| `%s` | %s |\n", variants[i].Name, variants[i].Needs)
	}
	if !strings.Contains(string(page), "|---|---|\n"+rows.String()+"\n") {
		t.Errorf("docs/causes.md should have the table\n%s", &rows)
	}
}
