package instances

import (
	"os"
	"strings"
	"testing"
)

// TestThePageHasTheColumns compares docs/running.md with the table that is written.
func TestThePageHasTheColumns(t *testing.T) {
	page, err := os.ReadFile("../../docs/running.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range Columns {
		if !strings.Contains(string(page), "`"+column+"`") {
			t.Errorf("docs/running.md says nothing of the column %s", column)
		}
	}
	for _, v := range Verdicts {
		if !strings.Contains(string(page), "\n| `"+string(v)+"` |") {
			t.Errorf("docs/running.md says nothing of the verdict %s", v)
		}
	}
}
