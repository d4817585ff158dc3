package campaign

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestFailureBeforeHang checks that a failure of a trace that hangs later is confirmed and reduced without the hang,
// and that the hang becomes a finding, too.
func TestFailureBeforeHang(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: some seconds")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "quits.c"), "ipasir")
	config.Traces, config.Findings = 0, 2
	config.Time = 5 * time.Minute
	config.OnConfirmed = func(f *store.Finding) {
		if f.Class == oracle.GaveUp && f.Run.End != trace.Finished {
			t.Errorf("%v was confirmed in a run that ended by %v:\n%s", f.Key, f.Run.End, f.Minimal)
		}
	}
	summary := runCampaign(t, t.Context(), config)
	calls := make(map[oracle.Class]int)
	for _, f := range summary.Found {
		calls[f.Class] = len(f.Minimal.Calls)
		if f.Run.End.IsTimeLimit() != f.IsTimeLimit() || !f.IsMinimal {
			t.Errorf("%v: a run of the minimal trace ended by %v; %q:\n%s", f.Key, f.Run.End, f.NotMinimal, f.Minimal)
		}
	}
	if len(calls) != 2 || calls[oracle.GaveUp] != 1 || calls[oracle.TooSlow] != 3 {
		t.Errorf("minimal traces of %v calls, unconfirmed %+v", calls, summary.Unconfirmed)
	}
}

// TestCutAt checks which calls of a trace are confirmed.
func TestCutAt(t *testing.T) {
	three := testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\nsolve\nsolve\n")
	for _, row := range []struct {
		end          trace.End
		failed, call int
		want         int // calls; 0: all
	}{
		{trace.OutOfCPU, 0, 2, 2},
		{trace.OutOfTime, 1, 2, 2},
		{trace.OutOfMemory, 0, 1, 1},
		{trace.OutOfCPU, 2, 2, 0}, // the failure is the hang
		{trace.OutOfCPU, 0, 3, 0}, // the final release hangs
		{trace.Killed, 0, 2, 0},
		{trace.Finished, 0, 0, 0},
	} {
		cut := cutAt(row.failed, three, &trace.Run{End: row.end, Call: row.call})
		if cut == nil && row.want > 0 || cut != nil && cut.calls != row.want {
			t.Errorf("%+v: %+v", row, cut)
		}
		if all := (&failure{found: &store.Finding{Original: three}, cut: cut}).alone(); row.want > 0 &&
			len(all.Calls) != row.want || row.want == 0 && all != three {
			t.Errorf("%+v: runs %d calls", row, len(all.Calls))
		}
	}
}

// TestCutMisses checks that a failure is confirmed with its whole trace if the calls before a limit do not show it.
func TestCutMisses(t *testing.T) {
	t.Parallel()
	c := newCampaign(t, testConfig(t, "ref:defect=redeclare-adds", "ipamir"), unreduced)
	c.followUps.begin(t.Context())
	whole := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsoft 1 5\nsolve\nobj\nval 1\n")
	f := c.newFollower(0)
	defer f.group.Close()
	var run trace.Run
	findings, err := f.group.Findings(t.Context(), c.target(0).Name, whole, oracle.Key{}, &run, true)
	if err != nil || len(findings) == 0 {
		t.Fatalf("nothing is found: %v", err)
	}
	seen := findings[0]
	x := &failure{found: &store.Finding{Target: c.target(0).Name, Finding: seen, Key: seen.Key(c.target(0).Name),
		Original: whole, Minimal: whole}, cut: &cut{calls: 1}}
	if op := whole.Calls[0].Op; op != apimodel.OpClause {
		t.Fatalf("the first call is %v", op)
	}
	if !c.registry.Wants(x.found.Key, true) {
		t.Fatal("not wanted")
	}
	c.follow(0, x)
	c.followUps.wait()
	if found := c.summary().Found; len(found) != 1 || len(found[0].Minimal.Calls) != len(whole.Calls) {
		t.Errorf("found %+v, unconfirmed %+v", found, c.summary().Unconfirmed)
	}
	if c.registry.Wants(x.found.Key, true) {
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
	config := testConfig(t, buildLibrary(t, "lingers.c"), "ipasir")
	config.Limits.CPU = 200 * time.Millisecond
	c := newCampaign(t, config)
	l, err := c.newLane(t.Context(), 0, streamSize(c.config.Way))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	c.followUps.begin(ctx)
	l.checkExit(testtrace.Parse(t, "ipafuzz 1 ipasir\nsolve\n"), source.Origin{Stream: c.book.Cells[0].Stream})
	go func() { // the second process confirms what the first has shown
		for ctx.Err() == nil {
			if info, err := os.Stat(lingers); err == nil && info.Size() > 1 {
				end()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	c.followUps.wait()
	summary := c.summary()
	if len(summary.Found) > 0 || len(summary.Unconfirmed) != 1 || !summary.Unconfirmed[0].CutShort ||
		summary.Unconfirmed[0].Key.Class != oracle.TooSlow {
		t.Errorf("found %+v, unconfirmed %+v", summary.Found, summary.Unconfirmed)
	}
}
