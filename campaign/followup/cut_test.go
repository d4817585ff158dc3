package followup

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestCutMisses checks that a failure is confirmed with its whole trace if the calls before a limit do not show it.
func TestCutMisses(t *testing.T) {
	t.Parallel()
	u := newFollowUps(t, "ref:defect=redeclare-adds", "ipamir", testlineup.Limits)
	u.Reduction = dd.Budget{}
	whole := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsoft 1 5\nsolve\nobj\nval 1\n")
	f := openFollower(t, u)
	var run trace.Run
	findings, err := f.group.Findings(t.Context(), u.All[0].Name, whole, oracle.Key{}, &run, true)
	if err != nil || len(findings) == 0 {
		t.Fatalf("nothing is found: %v", err)
	}
	seen := findings[0]
	x := &failure{found: &store.Finding{Target: u.All[0].Name, Finding: seen, Key: seen.Key(u.All[0].Name),
		Original: whole, Minimal: whole}, run: suspect.Run{Cut: &suspect.Cut{Calls: 1}}}
	if op := whole.Calls[0].Op; op != apimodel.OpClause {
		t.Fatalf("the first call is %v", op)
	}
	if !u.Registry.Wants(x.found.Key, true) {
		t.Fatal("not wanted")
	}
	u.add(u.confirmation(0, x))
	u.Wait()
	if found := u.Registry.Found(); len(found) != 1 || len(found[0].Minimal.Calls) != len(whole.Calls) {
		t.Errorf("found %+v, unconfirmed %+v", found, unconfirmed(u))
	}
	if u.Registry.Wants(x.found.Key, true) {
		t.Error("it is not settled")
	}
}

// TestCutAfterSight checks that a failure that only a follow-up has seen is reported if the campaign ends before it is
// confirmed.
func TestCutAfterSight(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a hang: a second")
	}
	raced := debug.BuildSetting{Key: "-race", Value: "true"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, raced) {
		t.Skip("no process with the race detector ends by exit")
	}
	lingers := filepath.Join(t.TempDir(), "lingers")
	t.Setenv("LINGERS", lingers)
	limits := testlineup.Limits
	limits.CPU = 200 * time.Millisecond
	u := newFollowUps(t, testlineup.Build(t, "../testdata/lingers.c"), "ipasir", limits)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	u.Begin(ctx)
	u.Take(&suspect.Suspect{Kind: suspect.Exits, From: first(u), Trace: testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\n")})
	go func() { // the second process confirms what the first has shown
		for ctx.Err() == nil {
			if info, err := os.Stat(lingers); err == nil && info.Size() > 1 {
				end()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	u.Wait()
	got := u.Registry.Outcome()
	if len(got.Found) > 0 || len(got.Unconfirmed) != 1 || !got.Unconfirmed[0].CutShort ||
		got.Unconfirmed[0].Key.Class != oracle.TooSlow {
		t.Errorf("found %+v, unconfirmed %+v", got.Found, got.Unconfirmed)
	}
}
