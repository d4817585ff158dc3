package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestNothingEnds checks that a library in which no solve ever ends has a reduced finding, without the tenfold limit.
func TestNothingEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "never.c"), "ipasir")
	config.Limits, config.Findings, config.Time = replay.DefaultLimits, 1, 5*time.Minute
	summary := runCampaign(t, t.Context(), config)
	if len(summary.Found) != 1 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.TooSlow || f.Observed != "no answer in solve within 8s" || !f.IsMinimal || f.Tests != 1 ||
		f.Minimal.String() != "ipafuzz 1 ipasir\nsolve\n" {
		t.Errorf("%s, minimal %v after %d tests: observed %s\n%s", f.Key, f.IsMinimal, f.Tests, f.Observed, f.Minimal)
	}
}

// TestSlowAlone checks that a call that takes a second alone is no hang, and that the search waits longer from then on.
func TestSlowAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a slow solve: a second")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "sleeper.c"), "ipasir")
	config.Limits = replay.DefaultLimits
	c := newCampaign(t, config)
	f, x := c.newFollower(0), hangingTrace(t, c, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
	defer f.group.Close()
	c.registry.Wants(x.found.Key, true)
	l, err := c.newLane(t.Context(), 0, streamSize(config.Way))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if !l.isFirstHang() {
		t.Error("other traces take time from the first hang")
	}
	before := c.costs[0].Limit(0, false)
	if done, err := f.hangsAlone(t.Context(), x); done || err != nil {
		t.Fatalf("done %t, %v", done, err)
	}
	if n := len(c.summary().Found) + len(c.summary().Unconfirmed); n > 0 {
		t.Errorf("%d failures", n)
	}
	if after := c.costs[0].Limit(0, false); after < 10*time.Second || before > time.Second {
		t.Errorf("the search waits for %v before and %v after it", before, after)
	}
	if h := f.newHang(x); h.New || h.Small || h.Quick || l.isFirstHang() {
		t.Errorf("%+v", h)
	}
}

// TestQuickAlone checks that a call that ends at once when it is alone tells that a small trace which takes long hangs.
func TestQuickAlone(t *testing.T) {
	config := testConfig(t, "ref", "ipasir")
	c := newCampaign(t, config)
	f, x := c.newFollower(0), hangingTrace(t, c, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
	defer f.group.Close()
	if done, err := f.hangsAlone(t.Context(), x); done || err != nil {
		t.Fatalf("done %t, %v", done, err)
	}
	if h := f.newHang(x); !h.New || !h.Small || !h.Quick || h.Short != newShort || h.Limits.Yields {
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
