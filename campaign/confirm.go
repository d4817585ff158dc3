package campaign

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// attemptsPerKey bounds how often a key is tried to be confirmed: a failure
	// that depends on chance must not eat the campaign.
	attemptsPerKey = 8
	// patience is how much longer a confirmation may take than the run that it
	// confirms, so that a timeout is not a matter of the machine's mood.
	patience = 2
)

// found deals with one finding of one run: it is counted when its key is known,
// else confirmed, cut and stored.
func (l *lane) found(ctx context.Context, who int, t *trace.Trace, f oracle.Finding, number uint64, before int) error {
	key := f.Key(l.c.target(who).Name)
	l.showed(key)
	if f.Suspects > 1 {
		mine, err := l.suspected(ctx, who, t, &f, key, number)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && !mine {
			return nil
		}
	} else if isHang(&f) && !l.c.wantsHang(key) || !isHang(&f) && !l.c.wantsAlso(key, !f.Voted) {
		return nil
	}
	err := l.confirm(ctx, who, t, f, key, number, before)
	if err != nil && ctx.Err() != nil {
		l.c.unconfirm(Unconfirmed{Finding: f, Key: key, Number: number, Seed: l.c.seed(number), CutShort: true})
		return nil
	}
	return err
}

func (l *lane) confirm(ctx context.Context, who int, t *trace.Trace, f oracle.Finding, key string, number uint64, before int) error {
	seed := l.c.seed(number)
	original := t.Clone()
	original.Notes = l.notes(seed, number)
	if isHang(&f) && !l.c.needsCompany(key) {
		l.c.confirmHang(ctx, &Found{Finding: f, Key: key, Target: l.c.target(who).Name, target: who, Number: number, Seed: seed, Original: original, Minimal: original})
		return nil
	}
	var run trace.Run
	same, err := l.confirmer.shows(ctx, who, original, key, &run)
	if err != nil {
		return err
	}
	found := &Found{Key: key, Target: l.c.target(who).Name, target: who, Number: number, Seed: seed, Original: original, Minimal: original, Run: run, Rate: Rate{Failed: 1, Runs: 1}}
	if same == nil {
		if same, err = l.reproduceWithHistory(ctx, found, before); err != nil {
			return err
		}
		if same != nil && !isHang(same) {
			if err = l.repeat(ctx, found); err != nil {
				return err
			}
			if !found.Rate.Always() {
				why := fmt.Sprintf("after %d earlier traces of its process it happened in %s runs", found.History, found.Rate)
				l.c.unconfirm(Unconfirmed{Finding: f, Key: key, Number: number, Seed: seed, Why: why})
				return nil
			}
		}
	}
	if same == nil {
		l.c.unconfirm(Unconfirmed{Finding: f, Key: key, Number: number, Seed: seed})
		return nil
	}
	found.Finding = *same
	if isHang(same) {
		l.c.confirmHang(ctx, found)
		return nil
	}
	if found.History == 0 {
		if same, err = l.confirmer.parties[who].blameInstances(ctx, found.Minimal, *same); err != nil {
			return err
		}
		found.Finding = *same
	}
	found.Key = found.Finding.Key(found.Target)
	return l.minimizeAndAdd(ctx, found)
}

// historyRuns is how often a failure must follow from the traces before it. So
// many of them take long and are tried in so many lengths that whatever depends
// on time happens in one of them.
const historyRuns = 3

// repeat runs a trace with its history again, until it does not fail.
func (l *lane) repeat(ctx context.Context, found *Found) error {
	for found.Rate.Always() && found.Rate.Runs < historyRuns {
		var run trace.Run
		same, err := l.confirmer.shows(ctx, found.target, found.Minimal, found.Key, &run)
		if err != nil {
			return err
		}
		found.Rate.Runs++
		if same != nil {
			found.Rate.Failed++
		}
	}
	return nil
}

// minimizeAndAdd stores a confirmed finding, and then those that were met while
// its trace was made small, and so on.
func (l *lane) minimizeAndAdd(ctx context.Context, found *Found) error {
	others, err := l.minimize(ctx, found)
	if err != nil {
		return err
	}
	if err := l.c.add(found); err != nil || !l.c.config.Others {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		if !l.c.wants(key) {
			continue
		}
		other := &Found{Key: key, Target: found.Target, target: found.target, Number: found.Number, Seed: found.Seed, Original: others[key], Minimal: others[key], MetIn: found.Key, Rate: Rate{Failed: 1, Runs: 1}}
		same, err := l.confirmer.shows(ctx, found.target, other.Original, key, &other.Run)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if same == nil {
			continue // nothing that was promised is lost
		}
		other.Finding = *same
		if err := l.minimizeAndAdd(ctx, other); err != nil {
			return err
		}
	}
	return nil
}

// notes is the header of a stored trace: where it comes from, so that it can be
// made again from numbers alone.
func (l *lane) notes(seed, number uint64) []string {
	generator := l.generator
	if fresh, err := gen.New(l.c.generatorConfig()); err == nil {
		generator = fresh // the lane's own has gone on to later traces
		generator.Generate(seed, new(trace.Trace))
	}
	return append(generator.Notes(seed), "again: "+l.c.config.GenCommand("ipafuzz", number))
}

// reproduceWithHistory looks for a failure that needs what came before it in the
// same process: the preceding traces are made again and joined, twice as many
// each time, until the whole fails as it did. So at most half of what is kept is
// not needed.
func (l *lane) reproduceWithHistory(ctx context.Context, found *Found, before int) (*oracle.Finding, error) {
	history := min(before, len(l.ran))
	if l.c.config.Way != replay.Persistent || history == 0 {
		return nil, nil
	}
	var joined []*trace.Trace
	try := func(n int) (*oracle.Finding, *trace.Trace, *trace.Run, error) {
		joined = nil
		for _, number := range l.ran[len(l.ran)-n:] {
			t := new(trace.Trace)
			l.confirmer.generate(l.c.seed(number), t)
			joined = append(joined, t)
		}
		joined = append(joined, found.Original)
		all := trace.Concat(joined...)
		all.Notes, all.Planted = found.Original.Notes, found.Original.Planted
		var run trace.Run
		same, err := l.confirmer.shows(ctx, found.target, all, found.Key, &run)
		return same, all, &run, err
	}
	for n := 1; ; n = min(2*n, history) {
		same, all, run, err := try(n)
		if err != nil {
			return nil, err
		}
		if same != nil {
			found.Minimal, found.History, found.parts, found.Run = all, n, joined, *run
			return same, nil
		}
		if n == history {
			return nil, nil
		}
	}
}

func (f *confirmer) generate(seed uint64, t *trace.Trace) {
	if generator, err := gen.New(f.c.generatorConfig()); err == nil {
		generator.Generate(seed, t)
	}
}

// minimize makes the trace of a finding small. It is confirmed already, so what
// goes wrong here does not take it away. The smallest traces that showed other
// failures are returned by their keys.
func (l *lane) minimize(ctx context.Context, found *Found) (map[string]*trace.Trace, error) {
	others := make(map[string]*trace.Trace)
	if l.c.config.unreduced {
		return others, nil
	}
	if found.Compared() {
		err := l.minimizeCompared(ctx, found)
		if err == nil && len(found.Minimal.Calls) <= mostExpected {
			found.Right, err = RightAnswers(ctx, found.Minimal)
		}
		return others, err
	}
	who := found.target
	m := &Minimizer{Target: l.c.target(who), Description: l.c.descriptionOf(who), Limits: l.confirmer.parties[who].limits,
		Budget: l.c.reduceBudget(), Workers: 1, Seed: found.Seed, Key: found.Key, Parts: found.parts,
		OnOther: func(t *trace.Trace, key string) { others[key] = t }}
	result, err := m.Minimize(ctx, found.Minimal)
	var lost *NotFailingError
	switch {
	case errors.As(err, &lost): // a matter of chance: what was confirmed is kept as it is
		found.Rate.Runs += lost.Runs
		return others, nil
	case err != nil && ctx.Err() != nil:
		return others, nil
	case err != nil:
		return nil, err
	case result.After.Failed == 0: // chance too, and what is smaller was never seen to fail again
		found.Rate = Rate{found.Rate.Failed + result.Before.Failed, found.Rate.Runs + result.Before.Runs}
		return others, nil
	}
	found.Minimal, found.Run, found.Rate = result.Expecting, result.Run, result.After
	found.Tests, found.IsMinimal, found.Right, found.Reducing = result.Stats.Tests, result.Result.Minimal, result.Right, result.Time
	found.Finding, found.Others = result.Finding, result.Others
	return others, nil
}

// minimizeCompared makes the trace small of a finding that only a comparison with
// other targets shows: every candidate is run on all of them.
func (l *lane) minimizeCompared(ctx context.Context, found *Found) error {
	wanted := found.Key
	test := func(ctx context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
		var run trace.Run
		findings, err := l.confirmer.faults(ctx, found.target, candidate, wanted, &run, false)
		if err != nil {
			return dd.Verdict{}, err
		}
		same := l.c.withKey(found.target, findings, wanted)
		if same < 0 {
			return dd.Verdict{Call: -1}, nil
		}
		return dd.Verdict{Same: true, Call: findings[same].Call}, nil
	}
	result, err := dd.Minimize(ctx, found.Minimal, dd.TestFunc(test), dd.Config{Budget: l.c.reduceBudget(), Seed: found.Seed, Parts: found.parts,
		Description: l.c.descriptionOf(found.target), Known: &dd.Verdict{Same: true, Call: found.Call}})
	if err != nil {
		return err
	}
	// What is shown is a run of the result; should it fail by chance and not do
	// so now, the trace that was confirmed is kept.
	var run trace.Run
	findings, err := l.confirmer.faults(context.WithoutCancel(ctx), found.target, result.Trace, wanted, &run, true)
	if err != nil {
		return err
	}
	if same := l.c.withKey(found.target, findings, wanted); same >= 0 {
		found.Finding, found.Run, found.Minimal = findings[same], run, result.Trace
		found.Others = append(slices.Clone(findings[:same]), findings[same+1:]...)
		found.Tests, found.IsMinimal = result.Stats.Tests, result.Minimal
	}
	return nil
}

// reduceBudget bounds the reduction of one finding.
func (c *Campaign) reduceBudget() dd.Budget {
	return dd.Budget{Tests: reduceTests, Time: reduceTime}
}

const (
	reduceTests = 3000 // many times what a tiny trace takes
	reduceTime  = 4 * time.Second
)

// wants reports whether a finding with that key is worth a confirmation, and
// counts it when it is known.
func (c *Campaign) wants(key string) bool { return c.wantsAlso(key, false) }

// wantsAlso is wants for a finding that may be proven: one of the same key that
// rests on a vote gives way to it.
func (c *Campaign) wantsAlso(key string, proven bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byKey[key]; known != nil {
		known.Hits++
		if !known.Voted || !proven {
			return false
		}
		key += " (proven)" // has attempts of its own
	}
	c.attempts[key]++
	return c.attempts[key] <= attemptsPerKey
}

// add stores a confirmed finding unless another lane was faster.
func (c *Campaign) add(found *Found) error {
	c.program(found)
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byKey[found.Key]
	switch {
	case known != nil && (!known.Voted || found.Voted):
		known.Hits++
		return nil
	case known != nil:
		found.Hits = known.Hits
	case c.enough():
		return errEnough // another lane found the last one that was asked for
	default:
		found.Hits = 1
	}
	if found.After == 0 {
		found.After, found.Elapsed = c.stats.traces.Load(), time.Since(c.begun)
	}
	var unkept error // the finding is one all the same, and is said
	if c.store != nil {
		unkept = c.store.put(found)
	}
	c.byKey[found.Key] = found
	if known == nil {
		c.found = append(c.found, found)
	} else {
		c.found[slices.Index(c.found, known)] = found
	}
	if c.config.OnFinding != nil {
		c.config.OnFinding(found)
	}
	if unkept == nil && c.enough() {
		return errEnough
	}
	return unkept
}

func (c *Campaign) enough() bool {
	return c.config.Findings > 0 && len(c.found) >= c.config.Findings
}

func (c *Campaign) unconfirm(u Unconfirmed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.unconfirmed {
		if c.unconfirmed[i].Key == u.Key {
			return
		}
	}
	c.unconfirmed = append(c.unconfirmed, u)
}
