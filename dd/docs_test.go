package dd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocs: docs/minimization.md lists the passes in their order and says which are harmless.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/minimization.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| pass | what it does |")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed, real []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z ]+?)( \*)? \|`).FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1]+row[2])
	}
	for _, p := range ownPasses() {
		name := p.Name
		if p.harmless && name != "expectations" {
			name += " *"
		}
		real = append(real, name)
	}
	if !slices.Equal(listed, real) {
		t.Errorf("the page lists\n%q\nthe passes are\n%q", listed, real)
	}
}
