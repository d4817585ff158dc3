package followup

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A failure is a suspect that failed once, while it is confirmed.
type failure struct {
	found  *store.Finding
	run    suspect.Run
	misses bool             // the calls up to run.Cut do not show the failure
	others []oracle.Finding // how it fails alone, if that is another way
}

func failureOf(s *suspect.Suspect) *failure {
	return &failure{found: s.Found, run: s.Run}
}

// confirmation returns the stage that confirms a failure in the processes of a target. The registry must want it.
func (u *FollowUps) confirmation(target int, x *failure) *task {
	found, took := x.found, x.run.Took
	if x.run.Cut != nil {
		took = x.run.Cut.Took
	}
	atLimit := found.IsTimeLimit() || found.IsMemoryLimit()
	job := pace.Job{Stage: pace.Confirming, Cost: costOf(found), Slow: atLimit || u.takesLong(target, took),
		AtLimit: atLimit}
	key := found.Key
	return &task{Job: job, target: target, from: u.originOf(found), kind: found.Made, seen: found,
		do: func(ctx context.Context, f *follower) (next *task, err error) {
			defer func() {
				if !x.misses {
					u.Registry.Settled(key, !found.Voted)
					f.followOthers(x, x.others)
				}
			}()
			next, err = f.confirm(ctx, x)
			if x.misses { // with all of its calls, the trace may fail again
				again := &failure{found: found, run: x.run}
				again.run.Cut = nil
				next = u.confirmation(target, again)
			}
			return next, err
		}}
}

// confirm finds out whether a failure happens again in a fresh process. It first asks whether the target's tables
// explain the failure, then treats the trace as one that hangs or as one that fails.
func (f *follower) confirm(ctx context.Context, x *failure) (*task, error) {
	if wide, err := f.isTooWide(ctx, x); wide || err != nil {
		return nil, err
	}
	if x.found.IsTimeLimit() {
		return nil, f.confirmHang(ctx, x)
	}
	again, err := f.reproduce(ctx, x)
	if again == nil || err != nil {
		return nil, err
	}
	x.found.Finding, x.found.Key = *again, again.Key(x.found.Target)
	if textOnly, err := f.isOfText(ctx, x.found); textOnly || err != nil {
		return nil, err
	}
	return f.u.reduction(x.found), nil
}

// isOfText reports whether a program fails only on the text of a given file, such as a tab or a comment. Then no
// reduction can keep the failure, and no experiment would explain it.
func (f *follower) isOfText(ctx context.Context, found *store.Finding) (bool, error) {
	if !found.Original.HasGiven() {
		return false, nil
	}
	session, wanted := f.group.Session(found.Target), trial.Wanted{Key: found.Key}
	same, _, err := session.Shows(ctx, found.Original.WithoutGiven(), wanted, new(trace.Run))
	if same == nil && err == nil {
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(shrink.TextOnly))
	}
	return same == nil, err
}

// reproduce runs a failing trace again in a fresh process, and returns how it fails. If it does not fail there, it may
// need the traces that ran before it.
func (f *follower) reproduce(ctx context.Context, x *failure) (same *oracle.Finding, err error) {
	found, key := x.found, x.found.Key
	if trial.RunsAtOnce(found.Original) {
		same, err = f.group.Session(found.Target).Recurs(ctx, found.Original, key, &found.Run)
		if same != nil || err != nil {
			found.Rate = trial.Rate{Failed: 1, Runs: 1}
			return same, err
		}
		x.run.History = nil // the schedule of its threads differs, not the history
	}
	findings, err := f.rerun(ctx, x)
	if err != nil {
		return nil, err
	}
	at := trial.WithKey(findings, found.Target, key)
	if at < 0 { // an allocation failed in an earlier trace, which had nothing to do with it
		at = trial.WithKey(findings, found.Target, key.WithoutAllocation())
	}
	if at >= 0 {
		again := findings[at]
		same = &again
	} else if x.run.Cut == nil && x.run.End == trace.OutOfMemory && f.tookMemory(x, findings) {
		return nil, nil
	} else if x.run.Cut == nil {
		x.others = findings
	}
	found.Rate = trial.Rate{Failed: 1, Runs: 1}
	why, alone := "", same != nil
	if !alone {
		if same, why, err = f.reproduceWithHistory(ctx, x); err != nil {
			return nil, err
		}
		if same != nil && !same.IsTimeLimit() {
			if same, err = f.compareWithAlone(ctx, x, same); err != nil {
				return nil, err
			}
		}
	}
	if (same == nil || alone) && !trial.RunsAtOnce(found.Original) && !found.IsMemoryLimit() {
		often := ""
		if same, often, err = f.reproduceByChance(ctx, x, same); err != nil {
			return nil, err
		}
		why = cmp.Or(often, why)
	}
	if x.run.Cut != nil && same == nil {
		x.misses = true
		return nil, nil
	}
	if same == nil {
		if why == "" && len(x.others) > 0 {
			why = "alone, it fails in another way: " + string(x.others[0].Class) + " " + x.others[0].Detail
		}
		f.u.Registry.Unconfirmed(found.AsUnconfirmed(why))
		return nil, nil
	}
	if found.History == 0 && found.Fixed == 0 {
		same, err = f.group.Session(found.Target).BlameInstances(ctx, found.Minimal, *same)
	}
	return same, err
}

// tookMemory reports whether a trace that a lane set aside because of its memory takes that much alone, too,
// but does not exceed the limit of the user. It follows up on what it shows instead.
func (f *follower) tookMemory(x *failure, findings []oracle.Finding) bool {
	needed := x.found.Run.Usage.PeakKB
	if len(findings) == 0 && needed<<10 < x.run.Growth/2 { // not Growth, which other traces may have raised since
		return false // it may need the traces before it
	}
	if len(findings) == 0 {
		f.costs.Grown(needed)
	}
	f.followOthers(x, findings)
	return true
}

// reproduceWithHistory runs the trace after those that ran before it in its process. If it fails only in
// some runs, why says so.
func (f *follower) reproduceWithHistory(ctx context.Context, x *failure) (same *oracle.Finding, why string, err error) {
	found := x.found
	same, err = withHistory(ctx, x, func(t *trace.Trace, run *trace.Run) (*oracle.Finding, error) {
		return f.group.Shows(ctx, found.Target, t, found.Key, run)
	})
	if same == nil || err != nil || same.IsTimeLimit() {
		return same, "", err
	}
	calls, err := f.repeat(ctx, found, same.Call)
	if err != nil {
		return nil, "", err
	}
	elsewhere := byChance(calls, len(found.Minimal.Calls)-len(x.alone().Calls))
	if found.Rate.Always() && !elsewhere {
		return same, "", nil
	}
	why = fmt.Sprintf("after %d earlier traces of its process, it failed in %s runs", found.History, found.Rate)
	if found.Rate.Always() {
		why += ", at a different call each time"
	}
	return nil, why, nil
}

// compareWithAlone runs a trace that failed with its history, and not in its first run alone, alone again. If it never
// fails, it needs the history: a failure of chance alone would hardly recur in all runs with it and in none without.
// Otherwise the history is kept only if the trace fails in too few runs alone for a finding.
func (f *follower) compareWithAlone(ctx context.Context, x *failure, same *oracle.Finding) (*oracle.Finding, error) {
	for range aloneRuns {
		var run trace.Run
		again, err := f.group.Shows(ctx, x.found.Target, x.alone(), x.found.Key, &run)
		if err != nil {
			return nil, err
		}
		if again == nil {
			continue
		}
		kept := *x.found
		byChance, _, err := f.reproduceByChance(ctx, x, nil)
		if err == nil && byChance == nil {
			*x.found, byChance = kept, same
		}
		return byChance, err
	}
	return same, nil
}

// chanceTime bounds the time for repeating a trace that failed only once, and rateTime for one that failed again.
const (
	chanceTime = 5 * time.Second
	rateTime   = time.Minute
)

const (
	// sureRuns is the number of runs that a failure must recur in to count as one that always recurs. Fewer runs of a slow
	// trace would save little: two in a row fail by chance, and on a busy machine every trace is slow.
	sureRuns = 3
	// enoughFailures are enough for a finding, whatever the other runs of trial.ChanceRuns show.
	enoughFailures = foundShare * trial.ChanceRuns
)

// reproduceByChance runs the trace alone again and again, after a run in a fresh process that showed a failure or,
// if same is nil, did not. As soon as a run does not show it, each further one is in a process that loads the library
// anew. A failure that depends on addresses, time or memory recurs in some of these runs. If it recurs in too few for
// a finding, why says so. The reduction measures the rate again.
func (f *follower) reproduceByChance(
	ctx context.Context, x *failure, same *oracle.Finding,
) (last *oracle.Finding, why string, err error) {
	found, alone, session, begun := x.found, x.alone(), f.group.Session(x.found.Target), time.Now()
	rate, key := trial.Rate{Runs: 1}, found.Key
	if same != nil {
		rate.Failed, key = 1, same.Key(found.Target)
	}
	last = same
	for rate.Runs < trial.ChanceRuns && rate.Failed < enoughFailures {
		took := time.Since(begun)
		if rate.Always() && rate.Runs == sureRuns || took > rateTime || took > chanceTime && rate.Failed == 0 {
			break
		}
		if !rate.Always() {
			session.Restart()
		}
		var run trace.Run
		again, err := f.group.Shows(ctx, found.Target, alone, key, &run)
		if err != nil {
			return nil, "", err
		}
		rate.Runs++
		if again != nil {
			rate.Failed++
			last, found.Run = again, run
		}
	}
	if rate.Share() < foundShare {
		return f.reproduceFixed(ctx, x, rate)
	}
	found.Minimal, found.History, found.Parts, found.Rate = alone, 0, nil, rate
	return last, "", nil
}

// tooRare says that a failure recurs too rarely for a finding.
func tooRare(r trial.Rate) string {
	return fmt.Sprintf("it failed in only %s runs: seen, but not reproducible", r)
}

// historyRuns is the number of runs in all of which a trace with its history must fail. A history is long
// and is tried in many lengths, so a failure that depends on time would show in some run by chance.
const historyRuns = 3

// aloneRuns is the number of further runs without the history, none of which may fail.
const aloneRuns = 3

// byChance reports whether a trace with its history failed by chance, judging by the calls in which it
// failed. The traces before the last one passed when they first ran. So a failure that needs them occurs in
// the last trace, or at least always in the same call. A failure that depends on chance can occur anywhere
// in a long history.
func byChance(calls []int, last int) bool {
	return slices.Max(calls) < last && slices.Min(calls) < slices.Max(calls)
}

// repeat runs a trace with its history, which failed in the given call, until it has run historyRuns times
// or passes. It returns the calls in which it failed.
func (f *follower) repeat(ctx context.Context, found *store.Finding, failed int) (calls []int, err error) {
	calls = append(calls, failed)
	for found.Rate.Always() && found.Rate.Runs < historyRuns {
		var run trace.Run
		same, err := f.group.Shows(ctx, found.Target, found.Minimal, found.Key, &run)
		if err != nil {
			return nil, err
		}
		found.Rate.Runs++
		if same != nil {
			found.Rate.Failed++
			calls = append(calls, same.Call)
		}
	}
	return calls, nil
}

// withHistory looks for a failure that needs earlier traces of the same process. It generates the preceding
// traces again and joins them, twice as many each time, until the joined trace fails in the same way. So
// half of the history that it finds is not enough for the failure.
func withHistory(
	ctx context.Context, x *failure, shows func(*trace.Trace, *trace.Run) (*oracle.Finding, error),
) (*oracle.Finding, error) {
	found, history := x.found, len(x.run.History)
	if history == 0 {
		return nil, nil
	}
	for n := 1; ; n = min(2*n, history) {
		var joined []*trace.Trace
		for _, from := range x.run.History[history-n:] {
			t := new(trace.Trace)
			from.Again(ctx, t)
			joined = append(joined, t)
		}
		joined = append(joined, x.alone())
		all := trace.Concat(joined...)
		all.Notes, all.Planted = found.Original.Notes, found.Original.Planted
		var run trace.Run
		same, err := shows(all, &run)
		if err != nil {
			return nil, err
		}
		if same != nil {
			found.Minimal, found.History, found.Parts, found.Run = all, n, joined, run
			return same, nil
		}
		if n == history {
			return nil, nil
		}
	}
}
