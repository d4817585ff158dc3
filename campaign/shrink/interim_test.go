package shrink

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// A handClock is a time that only tests change.
type handClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *handClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *handClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// TestKeepsProgress checks that a prompt reduction of a slow target that is interrupted, and has no time to confirm its
// last improvement, returns the one before, which it has confirmed meanwhile.
func TestKeepsProgress(t *testing.T) {
	const defect = "ref:defect=one-core-early"
	m := reducerFor(t, defect, "ipamir")
	given, key := failing(t, m, func(f *oracle.Finding) bool { return f.Class == oracle.NotOptimal })
	clock := new(handClock)
	alone := func(ctx context.Context, onBest func(*trace.Trace)) (*Reduction, error) {
		m.Prompt, m.Workers, m.now, m.OnBest = true, 1, clock.now, onBest
		return m.Reduce(ctx, given)
	}
	compared := func(ctx context.Context, onBest func(*trace.Trace)) (*Reduction, error) {
		group := new(trial.Group)
		defer group.Close()
		for _, spec := range []string{defect, "ref"} {
			rival := reducerFor(t, spec, "ipamir")
			group.Sessions = append(group.Sessions, trial.NewExamination(rival.Target, rival.Description, rival.Limits, false))
		}
		c := comparison{group, m.Target.Name, key, clock.now}
		config := dd.Config{Description: m.Description, Events: dd.Events{OnBest: onBest}}
		return c.reduce(ctx, len(given.Calls)-1, given, config)
	}
	for name, reduce := range map[string]func(context.Context, func(*trace.Trace)) (*Reduction, error){
		"alone": alone, "compared": compared,
	} {
		ctx, stop := context.WithCancel(t.Context())
		var best []*trace.Trace
		result, err := reduce(trial.WithGate(ctx, shutGate{ctx}), func(b *trace.Trace) {
			clock.add(time.Hour)
			if best = append(best, b); len(best) == 4 {
				stop() // and no trial begins any more
			}
		})
		if err != nil {
			t.Errorf("%s: %v after %d improvements", name, err, len(best))
			continue
		}
		want := testtrace.Calls(best[2])
		if got := testtrace.Calls(result.Trace); got != want || len(result.Expecting.Calls) != len(best[2].Calls) {
			t.Errorf("%s: reduced to\n%s\nwant\n%s", name, got, want)
		}
		if result.Minimal || WhyNotMinimal(result.Ended) != Interrupted || result.Finding.Class != oracle.NotOptimal ||
			result.Key != key || result.After != (trial.Rate{Failed: 1, Runs: 1}) {
			t.Errorf("%s: minimal %v, ended by %v, %v in %v runs", name, result.Minimal, result.Ended, result.Key, result.After)
		}
		judge := trial.NewJudge(oracle.Config{CrossCheck: true}, trial.Thorough)
		defer judge.Close()
		if findings, err := judge.Judge(result.Trace, &result.Run); err != nil || len(findings) == 0 {
			t.Errorf("%s: its run shows %v, %v", name, findings, err)
		}
	}
}

// TestInterimRuns checks how often the interim runs an improvement, and that it keeps only what failed.
func TestInterimRuns(t *testing.T) {
	m := reducerFor(t, "ref:defect=one-core-early", "ipamir")
	given, key := failing(t, m, func(f *oracle.Finding) bool { return f.Class == oracle.NotOptimal })
	healthy := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n")
	p := newPool(m.Target, m.Description, m.Limits, 1)
	defer p.close()
	clock := new(handClock)
	p.wanted.Key, p.now = key, clock.now
	for _, row := range []struct {
		rate trial.Rate
		runs int // of a trace that does not fail
	}{{trial.Rate{Failed: 3, Runs: 3}, 1}, {trial.Rate{Failed: 20, Runs: 40}, 4}, {trial.Rate{Failed: 10, Runs: 40}, 8}} {
		i := p.newInterim(row.rate)
		result := &Reduction{Result: dd.Result{Trace: healthy}}
		if fails, err := i.shows(t.Context(), result); fails || err != nil || result.After.Runs != row.runs {
			t.Errorf("at a rate of %s: %v, %v, %s runs; want %d", row.rate, fails, err, result.After, row.runs)
		}
		ended, stop := context.WithCancel(t.Context())
		stop()
		for _, step := range []struct {
			t    *trace.Trace
			want *trace.Trace // kept then
		}{{healthy, nil}, {given, given}, {healthy, given}} {
			i.watch(nil)(step.t)
			clock.add(24 * time.Hour)
			if err := i.confirm(t.Context()); err != nil {
				t.Fatal(err)
			}
			var kept Reduction
			if i.rescue(t.Context(), new(Reduction)) || i.rescue(ended, &kept) != (step.want != nil) ||
				step.want != nil && (kept.Trace.String() != step.want.String() || kept.Minimal || kept.Ended == nil) {
				t.Errorf("at a rate of %s, %v is left", row.rate, kept.Trace)
			}
		}
	}
}

// TestInterimShare checks that an interim takes a small share of the time.
func TestInterimShare(t *testing.T) {
	clock := new(handClock)
	var took time.Duration
	broken := errors.New("broken")
	i := newInterim(clock.now, func(context.Context, *Reduction) (bool, error) {
		clock.add(took)
		return true, broken
	})
	improved := i.watch(nil)
	for _, step := range []struct {
		wait, took time.Duration
		want       bool
	}{
		{lateTime - 1, 0, false}, {1, time.Second, true},
		{interimShare*time.Second - 1, 0, false}, {1, time.Millisecond, true},
		{lateTime - 1, 0, false}, {1, 0, true},
	} {
		clock.add(step.wait)
		took = step.took
		improved(new(trace.Trace))
		if err := i.confirm(t.Context()); errors.Is(err, broken) != step.want {
			t.Errorf("%+v: %v", step, err)
		}
	}
	clock.add(time.Hour)
	if err := i.confirm(t.Context()); err != nil {
		t.Error("it confirms an improvement twice")
	}
}

// TestKeepsFirstResult checks that a failure that turned out to depend on chance keeps the result of its first
// reduction if the second one is interrupted, and its rate in the surroundings of the second one.
func TestKeepsFirstResult(t *testing.T) {
	for _, row := range []struct {
		flag  string
		fixed replay.Fixed
		runs  int
	}{
		{"-DUSUAL", 0, trial.ChanceRuns},
		{"-DFIXED=1", replay.FixedAddresses, fixedRuns},
	} {
		t.Run(row.flag, func(t *testing.T) {
			result, given := cutSecondReduction(t, row.flag)
			if result.Before != (trial.Rate{Failed: firstRuns, Runs: firstRuns}) || result.After.Runs != row.runs ||
				result.After.Failed == 0 || result.After.Always() != (row.fixed != 0) || result.Fixed != row.fixed ||
				len(result.Trace.Calls) >= len(given.Calls) || result.Minimal {
				t.Errorf("it failed in %s runs before and in %s after, fixed %q:\n%s",
					result.Before, result.After, result.Fixed, result.Trace)
			}
		})
	}
}

// cutSecondReduction interrupts the second reduction of a failure that turns out to depend on chance.
func cutSecondReduction(t *testing.T, flag string) (result *Reduction, given *trace.Trace) {
	t.Helper()
	library := buildAwkward(t, "CHANCE", "-DODDS=2", flag)
	m := reducerFor(t, library, "ipamir")
	given = testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nhard 3 4 0\nsoft 2 9\nsolve\n")
	m.Key, m.Workers, m.Prompt = keyOfAbort(t, m, given), 1, true
	setChance(t, library, true, true, true)
	ctx, stop := context.WithCancel(t.Context())
	tests := 0
	m.Progress = func(p dd.Progress) {
		if p.Tests < tests {
			stop()
		}
		tests = p.Tests
	}
	result, err := m.Reduce(trial.WithGate(ctx, shutGate{ctx}), given)
	if err != nil || ctx.Err() == nil {
		t.Fatalf("interrupted in the second reduction: %v; error %v", ctx.Err() != nil, err)
	}
	return result, given
}
