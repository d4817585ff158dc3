package format_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/format"
)

// TestFormatsAreDocumented: docs/formats.md has the table of formats.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	yes := map[bool]string{true: "yes", false: ""}
	var rows strings.Builder
	for _, info := range format.All() {
		solves := "one"
		if info.Many {
			solves = "many"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %s | %s |\n", info.Format, strings.Join(info.Extensions, " "), solves,
			yes[info.Soft], info.Doc)
	}
	if !strings.Contains(string(page), rows.String()) {
		t.Errorf("docs/formats.md must have these rows:\n%s", rows.String())
	}
}
