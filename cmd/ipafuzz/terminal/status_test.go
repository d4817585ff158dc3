package terminal

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestReducing checks that the status names the reduction that has run most tests.
func TestReducing(t *testing.T) {
	view := func(class oracle.Class, detail string, tests, calls int) campaign.View {
		return campaign.View{Finding: store.Finding{Finding: oracle.Finding{Class: class, Detail: detail}, Tests: tests},
			Reducing: true, Calls: calls}
	}
	waits := view(oracle.NotOptimal, "it waits", 0, 40)
	for _, row := range []struct {
		name  string
		views []campaign.View
		want  string
	}{
		{"none", nil, ""},
		{"one that waits", []campaign.View{waits}, ""},
		{"two", []campaign.View{waits, view(oracle.NotOptimal, "objective is not the optimum", 120, 1)},
			"  reducing 2.1 not optimal: objective is not the optimum: test 120, 1 call left"},
	} {
		if got := reducing(row.views); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
