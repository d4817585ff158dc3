package store

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestAboutHistory checks that a finding is said to need earlier traces only if its minimal trace has some of them.
func TestAboutHistory(t *testing.T) {
	for _, row := range []struct {
		calls   string
		history int
		want    string
	}{
		{"solve\n", 0, ""},
		{"solve\n", 3, "the original failed only after 3 earlier traces "},
		{"release\ninit\nsolve\n", 3, "needs up to 3 earlier traces "},
		{"solve\n@1 solve\n", 1, "needs up to 1 earlier trace "},
	} {
		facts := Facts{History: row.history}
		got := facts.AboutHistory(SeveralLives(testtrace.Parse(t, "ipafuzz 1 ipasir\n"+row.calls)))
		if !strings.HasPrefix(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%q after %d: %q", row.calls, row.history, got)
		}
	}
}
