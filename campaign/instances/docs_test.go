package instances

import (
	"os"
	"strings"
	"testing"
)

// TestThePageHasTheColumns: docs/comparing.md lists all columns and verdicts.
func TestThePageHasTheColumns(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/comparing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range Columns {
		if !strings.Contains(string(page), "`"+column+"`") {
			t.Errorf("docs/comparing.md says nothing of the column %s", column)
		}
	}
	for _, v := range Verdicts {
		if !strings.Contains(string(page), "\n| `"+string(v)+"` |") {
			t.Errorf("docs/comparing.md says nothing of the verdict %s", v)
		}
	}
}
