package followup

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestLuckIsNoFinding checks that a failure is given up if it recurs too rarely, although it always showed after
// earlier traces: the more traces run, the more often one of them fails.
func TestLuckIsNoFinding(t *testing.T) {
	t.Parallel()
	for history := range 2 {
		calls := filepath.Join(t.TempDir(), "calls")
		library := testlineup.Build(t, "../shrink/testdata/awkward.c", fmt.Sprintf("-DCHANCE=%q", calls), "-DODDS=40")
		u := newFollowUps(t, library, "ipamir", testlineup.Limits)
		f := openFollower(t, u)
		given, name := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"), u.All[0].Name
		var finding *oracle.Finding
		for finding == nil {
			var run trace.Run
			findings, err := f.group.Session(name).Run(t.Context(), given, &run)
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) > 0 && findings[0].Class == oracle.Abort {
				finding = &findings[0]
			}
		}
		found := store.New(t.Context(), name, *finding, given, first(u))
		found.Rate, found.History = trial.Rate{Failed: sureRuns, Runs: sureRuns}, history
		if !u.Registry.Reserve(found) {
			t.Fatal("it is not wanted")
		}
		if err := f.reduceAndAdd(t.Context(), found); err != nil {
			t.Fatal(err)
		}
		if s := u.Registry.Outcome(); len(s.Found) != 1-history || len(s.Unconfirmed) != history {
			t.Errorf("%d earlier traces: failed in %s runs; %d findings, %d unconfirmed", history, found.Rate, len(s.Found),
				len(s.Unconfirmed))
		}
	}
}

// TestHistoryOrChance checks that a failure that a trace shows after another one, and not in its first run alone, is
// said to need the other one only if it does not recur alone.
func TestHistoryOrChance(t *testing.T) {
	library := testlineup.Build(t, "../testdata/seldom.c")
	for _, row := range []struct {
		fresh   string // a 1 for each fresh process that shows it: alone, with the history, and alone again
		history int
		rate    trial.Rate
	}{
		{"0" + "111" + "000", 1, trial.Rate{Failed: 3, Runs: 3}},
		{"0" + "111" + "010" + "1111", 0, trial.Rate{Failed: 4, Runs: 6}},
		// In a tenth of the runs alone at most: it may need the history.
		{"0" + "111" + "1", 1, trial.Rate{Failed: 3, Runs: 3}},
	} {
		t.Setenv("SELDOM", filepath.Join(t.TempDir(), "count"))
		t.Setenv("FRESH", "1"+row.fresh) // the first tells the key
		u := newFollowUps(t, library, "ipasir", testlineup.Limits)
		f := openFollower(t, u)
		x := hangingTrace(t, u, "ipasir", "add 1 0\nsolve\n", 1, "")
		found := x.found
		seen, err := f.group.Findings(t.Context(), found.Target, found.Original, found.Key, new(trace.Run), true)
		if err != nil || len(seen) == 0 {
			t.Fatalf("the first process does not fail: %v", err)
		}
		found.Finding, found.Key = seen[0], seen[0].Key(found.Target)
		x.run.History = []source.Origin{{Stream: first(u).Stream, Number: 3}}
		if _, err := f.reproduce(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		if found.History != row.history || found.Rate != row.rate {
			t.Errorf("%s: a history of %d traces, failed in %s runs", row.fresh, found.History, found.Rate)
		}
	}
}

// TestTookMemory checks that a trace that was set aside because of its memory counts as explained if it takes that much
// alone, even if other traces have shown since that even more is usual.
func TestTookMemory(t *testing.T) {
	const mb = 1 << 10
	for _, row := range []struct {
		name          string
		alone, others uint64 // KiB
		want          bool
	}{
		{"as much alone", 230 * mb, 0, true},
		{"others take more", 230 * mb, 400 * mb, true},
		{"little alone", 4 * mb, 0, false},
		{"little alone, others take more", 4 * mb, 400 * mb, false},
	} {
		f := &follower{costs: cost.New()}
		x := &failure{found: new(store.Finding), run: suspect.Run{Growth: f.costs.Growth()}}
		x.found.Run.Usage.PeakKB = row.alone
		f.costs.Grown(row.others)
		if got := f.tookMemory(x, nil); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

// TestByChance checks that a failure that occurs anywhere in a long history counts as chance.
func TestByChance(t *testing.T) {
	const last = 100
	for _, row := range []struct {
		calls []int
		want  bool
	}{
		{[]int{104}, false}, {[]int{104, 104, 104}, false}, {[]int{17, 17, 17}, false}, {[]int{17, 104, 3}, false},
		{[]int{17, 18, 17}, true}, {[]int{3, 99, 50}, true},
	} {
		if got := byChance(row.calls, last); got != row.want {
			t.Errorf("failed in the calls %v: got %t, want %t", row.calls, got, row.want)
		}
	}
}
