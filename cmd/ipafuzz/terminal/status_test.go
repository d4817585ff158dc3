package terminal

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestReducing checks that the status names the reduction with the most tests.
func TestReducing(t *testing.T) {
	view := func(class oracle.Class, detail string, tests, calls int) *store.Finding {
		return &store.Finding{Status: store.Confirmed, Size: calls, Finding: oracle.Finding{Class: class, Detail: detail},
			Facts: store.Facts{Tests: tests}}
	}
	waits := view(oracle.NotOptimal, "it waits", 0, 40)
	explained := view(oracle.Abort, "SIGABRT in solve", 300, 3)
	explained.Status = store.Reduced
	for _, row := range []struct {
		name  string
		views []*store.Finding
		want  string
	}{
		{"none", nil, ""},
		{"one that waits", []*store.Finding{waits}, ""},
		{"two", []*store.Finding{waits, view(oracle.NotOptimal, "objective is not the optimum", 120, 1)},
			"  reducing 2.1 not optimal: objective is not the optimum: test 120, 1 call left"},
		{"one that is done", []*store.Finding{waits, explained}, "  looking for what 1.1 abort: SIGABRT in solve needs"},
		{"one that is done, and one that is not", []*store.Finding{explained, view(oracle.NotOptimal, "", 120, 7)},
			"  reducing 2.1 not optimal: test 120, 7 calls left"},
	} {
		if got := reducing(row.views); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
