package fault_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const page = "../../docs/faults.md"

// figure prints a measurement that a table in docs/faults.md has a row for. With
// IPAFUZZ_UPDATE=1 it writes the measurement there, without it looks only for the row.
func figure(t *testing.T, row, measured string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(\| ` + regexp.QuoteMeta(row) + ` \|)[^|]*(\|.*)$`)
	if !line.Match(text) {
		t.Fatalf("%s has no row %q", page, row)
	}
	t.Logf("%s: %s", row, measured)
	if os.Getenv("IPAFUZZ_UPDATE") == "" {
		return
	}
	changed := line.ReplaceAllString(string(text), "${1} "+strings.ReplaceAll(measured, "$", "$$")+" ${2}")
	if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}
