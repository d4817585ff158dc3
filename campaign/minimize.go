package campaign

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Minimizer makes failing traces of one target small.
type Minimizer struct {
	Target      *replay.Target
	Description *apimodel.Description
	Limits      replay.Limits // of one run, as the failure was seen with
	Workers     int
	Budget      dd.Budget // of the reduction; what is learned before and confirmed after comes on top
	Strategy    dd.Strategy
	Order       []string // of the passes; nil: the usual one
	Seed        uint64
	Parts       []*trace.Trace // that the trace was joined from, if it was

	Key            oracle.Key // the failure to keep; the zero Key for the worst that the trace shows
	AnyFailure     bool       // every failure counts as the same
	LighterWeights bool       // the weight class of the key may fall

	OnLook   func(r trial.Rate, of int) // after each run in which it is learned how the trace fails, and how many these may become
	OnKey    func(f oracle.Finding, key oracle.Key, runs trial.Rate)
	OnBest   func(t *trace.Trace)
	OnOther  func(t *trace.Trace, key oracle.Key) // the smallest so far that showed another failure
	Progress func(dd.Progress)
}

// A Minimized is a result, confirmed in fresh processes.
type Minimized struct {
	dd.Result
	Finding oracle.Finding   // of the minimal trace
	Others  []oracle.Finding // that its run shows too
	Key     oracle.Key
	Run     trace.Run  // that showed it
	Before  trial.Rate // of the trace as it was given
	After   trial.Rate // of the minimal one

	Right     map[int]export.Right // what its solves should answer, where that is certain
	Expecting *trace.Trace         // the minimal trace with that behind its calls
}

// A NotFailingError is a trace that cannot be reduced, because it does not fail.
type NotFailingError struct {
	Runs  int
	Key   oracle.Key   // that was looked for; zero: any
	Other []oracle.Key // what was seen instead
}

func (e *NotFailingError) Error() string {
	what := "nothing wrong was found"
	if !e.Key.IsZero() {
		what = fmt.Sprintf("the failure %q was not seen", e.Key)
	}
	text := fmt.Sprintf("%s in %d runs of the trace", what, e.Runs)
	for _, other := range e.Other {
		text += fmt.Sprintf("; seen was %q", other)
	}
	return text
}

const (
	firstRuns   = 3 // a trace that fails in all of them always fails
	confirmRuns = 3
)

// Minimize learns how the trace fails, makes it smaller, and confirms what is
// left. When the context or a budget ends, the best so far is the result.
func (m *Minimizer) Minimize(ctx context.Context, t *trace.Trace) (*Minimized, error) {
	pool := m.newPool()
	defer pool.close()
	result := &Minimized{}
	err := pool.learn(ctx, t, result)
	if err != nil {
		return nil, err
	}
	if m.OnKey != nil {
		m.OnKey(result.Finding, result.Key, result.Before)
	}
	pool.certified = certified{result.Finding, result.Run}
	pool.adjust(&result.Run, result.Finding.Class)
	config := dd.Config{Workers: m.Workers, Budget: m.Budget, Strategy: m.Strategy, Order: m.Order, Seed: m.Seed, Parts: m.Parts, Description: m.Description,
		OnBest: m.OnBest, OnOther: m.onOther(), Progress: m.Progress}
	if pool.hurried {
		config.Certify = pool.certify
	}
	if err := pool.reduce(ctx, t, config, result); err != nil {
		return result, err
	}
	return result, m.expect(context.WithoutCancel(ctx), result)
}

func (m *Minimizer) onOther() func(*trace.Trace, dd.Failure) {
	if m.OnOther == nil {
		return nil
	}
	return func(t *trace.Trace, other dd.Failure) { m.OnOther(t, other.(oracle.Key)) }
}

// reduce reduces and confirms. A failure that seemed certain in the first runs
// and is found to depend on chance in the last ones is reduced once more, as
// such: what a single run had said about the candidates was worth little.
func (p *pool) reduce(ctx context.Context, t *trace.Trace, config dd.Config, result *Minimized) error {
	from, rate := t, result.Before
	for again := false; ; again = true {
		config.Known = &dd.Verdict{Same: true, Call: -1}
		if from == t {
			config.Known.Call = result.Finding.Call
		}
		reduced, err := dd.Minimize(ctx, from, dd.Repeated(p, rate.Share()), config)
		if err != nil {
			return err
		}
		if again {
			reduced.Time += result.Time
			reduced.Stats.Tests += result.Stats.Tests
		}
		result.Result = reduced
		if ctx.Err() != nil && p.hurried { // a run with the full limits has just ended
			result.Finding, result.Run, result.After = p.certified.finding, p.certified.run, trial.Rate{Failed: 1, Runs: 1}
			return nil
		}
		// The best is worth its confirmation also when the person is in a hurry.
		certain := rate.Always()
		if result.After, err = p.confirm(context.WithoutCancel(ctx), reduced.Trace, certain, result); err != nil {
			return err
		}
		if !certain || result.After.Always() || again || reduced.Ended != nil {
			return nil
		}
		from, rate = reduced.Trace, result.After
		config.Parts = nil
		if rate.Failed == 0 {
			if from, rate, err = p.afresh(ctx, t, result); err != nil || rate.Failed == 0 {
				return err
			}
			if config.OnBest != nil {
				config.OnBest(t)
			}
		}
	}
}

// afresh measures how often the trace as it was given fails.
func (p *pool) afresh(ctx context.Context, t *trace.Trace, result *Minimized) (*trace.Trace, trial.Rate, error) {
	rate, err := p.confirm(ctx, t, false, result)
	result.Before = rate
	return t, rate, err
}

// A pool is a number of examiners, one for each worker.
type pool struct {
	m         *Minimizer
	examiners []*examiner
	wanted    wanted
	hurried   bool // the failure is a limit that was met, and the limits of candidates are lower
	certified certified

	mu     sync.Mutex
	limits replay.Limits // of candidates
}

func (m *Minimizer) newPool() *pool {
	p := &pool{m: m, limits: m.Limits}
	for range max(1, m.Workers) {
		p.examiners = append(p.examiners, newExaminer(m.Target, m.Description, m.Limits, false))
	}
	return p
}

func (p *pool) close() {
	for _, e := range p.examiners {
		e.close()
	}
}

// learn runs the trace until it is known how it fails and how often.
func (p *pool) learn(ctx context.Context, t *trace.Trace, result *Minimized) error {
	e := p.examiners[0]
	p.wanted = wanted{p.m.Key, p.m.AnyFailure, p.m.LighterWeights}
	seen := &NotFailingError{Key: p.m.Key}
	runs := firstRuns
	for rate := &result.Before; rate.Runs < runs; {
		var run trace.Run
		same, others, err := p.look(ctx, e, t, &run, rate.Runs < firstRuns)
		if err != nil {
			return err
		}
		rate.Runs++
		if same != nil {
			rate.Failed++
			result.Finding, result.Key, result.Run = *same, same.Key(p.m.Target.Name), run
		} else {
			runs = trial.ChanceRuns
			seen.note(others)
		}
		if p.m.OnLook != nil {
			p.m.OnLook(*rate, runs)
		}
		if rate.Failed == rate.Runs && limited(result.Finding.Class) {
			break // a limit takes long to meet
		}
	}
	if result.Before.Failed == 0 {
		seen.Runs = result.Before.Runs
		return seen
	}
	return nil
}

func (e *NotFailingError) note(keys []oracle.Key) {
	for _, key := range keys {
		if !slices.Contains(e.Other, key) {
			e.Other = append(e.Other, key)
		}
	}
}

// look runs the trace once. While no key is wanted, the worst finding is, from
// then on. A leak is looked for only when that is asked for: each look takes more
// runs than all others together.
func (p *pool) look(ctx context.Context, e *examiner, t *trace.Trace, run *trace.Run, leaks bool) (*oracle.Finding, []oracle.Key, error) {
	if !p.wanted.key.IsZero() || p.wanted.any {
		return e.shows(ctx, t, p.wanted, run)
	}
	findings, err := e.replay(ctx, t, run)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(findings) == 0 && leaks:
		return p.lookForLeak(ctx, e, t, run)
	case len(findings) == 0:
		return nil, nil, nil
	}
	worst, err := e.blameInstances(ctx, t, findings[0])
	if err != nil {
		return nil, nil, err
	}
	p.want(worst)
	return worst, nil, nil
}

func (p *pool) want(f *oracle.Finding) {
	p.wanted.key = f.Key(p.m.Target.Name)
}

func (p *pool) lookForLeak(ctx context.Context, e *examiner, t *trace.Trace, run *trace.Run) (*oracle.Finding, []oracle.Key, error) {
	leak := trial.HeapFinding(t)
	w := wanted{key: leak.Key(p.m.Target.Name)}
	same, others, err := e.leaks(ctx, t, w, run)
	if same != nil {
		p.want(same)
	}
	return same, others, err
}

// Test judges a candidate.
func (p *pool) Test(ctx context.Context, worker int, t *trace.Trace) (dd.Verdict, error) {
	e := p.examiners[worker]
	p.mu.Lock()
	limits := p.limits
	p.mu.Unlock()
	e.limit(limits)
	var run trace.Run
	same, others, err := e.shows(ctx, t, p.wanted, &run)
	if err != nil {
		return dd.Verdict{}, err
	}
	v := dd.Verdict{Call: -1}
	if same != nil {
		v.Same, v.Call = true, same.Call
	}
	for _, key := range others {
		if !limited(key.Class) { // the limits of candidates are not those of the run
			v.Others = append(v.Others, key)
		}
	}
	return v, nil
}

// confirm runs a trace in fresh processes, with the full limits.
func (p *pool) confirm(ctx context.Context, t *trace.Trace, certain bool, result *Minimized) (trial.Rate, error) {
	runs, rate := confirmRuns, trial.Rate{}
	if !certain {
		runs = trial.ChanceRuns
	}
	for rate.Runs < runs {
		e := newExaminer(p.m.Target, p.m.Description, p.m.Limits, true)
		var run trace.Run
		same, _, err := e.shows(ctx, t, p.wanted, &run)
		others := e.others
		e.close()
		if err != nil {
			return rate, err
		}
		rate.Runs++
		if same != nil {
			rate.Failed++
			result.Finding, result.Key, result.Run, result.Others = *same, same.Key(p.m.Target.Name), run, others
		} else {
			runs = trial.ChanceRuns // it is a matter of chance after all
		}
		if limited(result.Finding.Class) && rate.Always() {
			break
		}
	}
	return rate, nil
}

// NoteIn says in the header of the minimal trace where it comes from: from a file
// with so many calls.
func (m *Minimized) NoteIn(t *trace.Trace, from, target string, limits replay.Limits, calls int, seed uint64) {
	reduction := notes.Reduction{From: from, Calls: calls, Tests: m.Stats.Tests, How: "minimal",
		Search: &notes.Search{Time: m.Time, Seed: seed}}
	if !m.Minimal {
		reduction.How = "not minimal: " + whyNotMinimal(m.Ended)
	}
	t.Notes = notes.WithResult(t.Notes, notes.Result{Reduced: reduction.String(), Target: target, Finding: m.Key.String(),
		Rate: notes.Rate(m.After), Limits: limitsFlags(limits)})
}

// SlugOf makes a short name for a file out of a key.
func SlugOf(key oracle.Key) string {
	return oracle.Key{Class: "other", Weight: oracle.NoWeights, Detail: key.String()}.Slug()
}
