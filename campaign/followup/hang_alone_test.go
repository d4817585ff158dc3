package followup

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestSlowAlone checks that a call that takes a second alone is no hang, and that the search waits longer from then on.
func TestSlowAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a slow solve: a second")
	}
	t.Parallel()
	u := newFollowUps(t, testlineup.Build(t, "../testdata/sleeper.c"), "ipasir", replay.DefaultLimits)
	f, x := openFollower(t, u), hangingTrace(t, u, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
	u.Registry.Wants(x.found.Key, true)
	before := limit.Search(u.All[0].Costs.NeedsOf(0), false)
	if done, err := f.hangsAlone(t.Context(), x); done || err != nil {
		t.Fatalf("done %t, %v", done, err)
	}
	if found, unconfirmed := u.Registry.Counts(); found+unconfirmed > 0 {
		t.Errorf("%d findings, %d unconfirmed failures", found, unconfirmed)
	}
	if after := limit.Search(u.All[0].Costs.NeedsOf(0), false); after < 10*time.Second || before > time.Second {
		t.Errorf("the search waits for %v before and %v after it", before, after)
	}
	if h := f.newHang(x); h.New || h.Small || h.Quick {
		t.Errorf("%+v", h)
	}
}

// TestQuickAlone checks that a call that ends at once when it is alone tells that a small trace which takes long hangs.
func TestQuickAlone(t *testing.T) {
	u := newFollowUps(t, "ref", "ipasir", testlineup.Limits)
	f, x := openFollower(t, u), hangingTrace(t, u, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
	if done, err := f.hangsAlone(t.Context(), x); done || err != nil {
		t.Fatalf("done %t, %v", done, err)
	}
	if h := f.newHang(x); !h.New || !h.Small || !h.Quick || h.Candidate > time.Second || h.User.Yields {
		t.Errorf("%+v", h)
	}
}

// TestCallAlone checks which call runs alone.
func TestCallAlone(t *testing.T) {
	for _, row := range []struct{ calls, want string }{
		{"add 1 2 0\nsolve\n", "solve\n"},
		{"solve\nadd 1 2 0\n", "add 1 2 0\n"},
		{"@0 solve\n@3 add 1 0\n@3 solve\n", "solve\n"},
		{"solve\nval 1\n", ""}, // there is no solution
		{"solve\n", ""},
	} {
		all, got := testtrace.Parse(t, "ipafuzz 1 ipasir\n"+row.calls), ""
		if alone := callAlone(all, len(all.Calls)-1); alone != nil {
			got = alone.String()
		}
		if row.want != "" {
			row.want = "ipafuzz 1 ipasir\n" + row.want
		}
		if got != row.want {
			t.Errorf("of %q: %q", row.calls, got)
		}
	}
}
