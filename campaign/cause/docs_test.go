package cause

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPageOfFaults compares the table of docs/faults.md with the variants.
func TestPageOfFaults(t *testing.T) {
	page, err := os.ReadFile("../../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for i := range variants {
		fmt.Fprintf(&rows, "| `%s` | %s |\n", variants[i].Name, variants[i].Needs)
	}
	if !strings.Contains(string(page), "|---|---|\n"+rows.String()+"\n") {
		t.Errorf("docs/faults.md should have the table\n%s", &rows)
	}
}
