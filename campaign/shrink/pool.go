package shrink

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pool runs candidates, with one session per worker.
type pool struct {
	target      *replay.Target
	description *apimodel.Description
	full        replay.Limits // for the given trace and for confirmations
	sessions    []*trial.Session
	wanted      trial.Wanted
	given       oracle.WeightClass // of the failure of the given trace
	least       time.Duration      // the shortest time limit of a candidate
	hurried     bool               // the failure consists in meeting a limit, and candidates have lower limits
	heavy       bool               // it first takes much memory
	misled      bool               // the memory of a candidate grew fast, and it did not fail
	certified   certified
	prompt      bool // see Reducer
	now         func() time.Time
	interim     *interim // confirms improvements of a prompt reduction; nil: Certify does, or nothing need
	conflicts   uint64   // what judges may spend on a solve
	healthy     int      // runs without a failure, after which the given trace counts as not failing
	heaps       int      // workers that repeated the given trace, to see whether their heap grows

	mu     sync.Mutex
	limits replay.Limits // of candidates
}

func newPool(target *replay.Target, description *apimodel.Description, limits replay.Limits, workers int) *pool {
	p := &pool{target: target, description: description, full: limits, limits: limits, least: limit.LeastCPU}
	p.open(max(1, workers), trial.InPassing)
	return p
}

// open opens sessions whose judges may spend that many conflicts on a solve.
func (p *pool) open(n int, conflicts uint64) {
	p.conflicts = conflicts
	for range n {
		p.sessions = append(p.sessions, trial.NewSession(p.target, p.full, p.newJudge()))
	}
}

func (p *pool) newJudge() *trial.Judge {
	return trial.NewJudge(oracle.Config{Policies: p.description.Policies}, p.conflicts)
}

func (p *pool) close() {
	for _, s := range p.sessions {
		s.Close()
	}
	p.sessions = p.sessions[:0]
}

// reopen replaces the sessions by ones whose judges may spend that many conflicts on a solve.
func (p *pool) reopen(conflicts uint64) {
	n := len(p.sessions)
	p.close()
	p.open(n, conflicts)
	p.sessions[0].Repeat(true)
}

func (p *pool) keyOf(f *oracle.Finding) oracle.Key { return f.Key(p.target.Name) }

// learn runs the trace to learn how and how often it fails.
func (p *pool) learn(ctx context.Context, t *trace.Trace, onLook func(trial.Rate, int), result *Reduction) error {
	p.sessions[0].Repeat(true)
	defer func() { p.sessions[0].Repeat(false) }()
	seen := &NotFailingError{Key: p.wanted.Key}
	runs := firstRuns
	for rate := &result.Before; rate.Runs < runs; {
		var run trace.Run
		same, others, err := p.look(ctx, t, &run, rate.Runs < firstRuns)
		if same == nil && err == nil && rate.Runs == 0 { // perhaps the right answer is hard to find
			p.reopen(trial.Thorough)
			if same, others, err = p.look(ctx, t, &run, false); same == nil {
				seen.Open = p.sessions[0].Judge.Unchecked()
				p.reopen(trial.InPassing)
			}
		}
		if err != nil {
			return err
		}
		p.suggest()
		rate.Runs++
		if same != nil {
			rate.Failed++
			result.Finding, result.Key, result.Run = *same, p.keyOf(same), run
		} else {
			p.sessions[0].Restart() // the failure may depend on addresses
			for i := range others {
				seen.note(p.keyOf(&others[i]))
			}
		}
		switch {
		case rate.Failed == 0:
			runs = p.healthy
		case !rate.Always():
			runs = trial.ChanceRuns
		}
		if onLook != nil {
			onLook(*rate, runs)
		}
		if rate.Failed == rate.Runs && limited(result.Finding.Class) {
			break // a run that meets a limit takes long
		}
	}
	if result.Before.Failed == 0 {
		seen.Runs, seen.Heaps = result.Before.Runs, p.heaps
		return seen
	}
	return nil
}

// suggest lets all judges know the solution that shows that the given trace fails. Without the clauses that a
// candidate lacks, it is mostly cheaper than the target's solution, too, which then takes no search. It stays the
// solution of the given trace: a later one would depend on which worker is the fastest.
func (p *pool) suggest() {
	if solution := p.sessions[0].Judge.Cheaper(); len(solution) > 0 {
		for _, s := range p.sessions {
			s.Judge.Suggest(solution)
		}
	}
}

// look runs the trace once. If no key is wanted yet, it makes the key of the worst finding the wanted one.
// It searches for leaks only on request, since that takes more runs than everything else.
func (p *pool) look(
	ctx context.Context, t *trace.Trace, run *trace.Run, leaks bool,
) (*oracle.Finding, []oracle.Finding, error) {
	session := p.sessions[0]
	if !p.wanted.Key.IsZero() || p.wanted.Any {
		return session.Shows(ctx, t, p.wanted, run)
	}
	findings, err := session.Run(ctx, t, run)
	if err != nil {
		return nil, nil, err
	}
	var worst *oracle.Finding
	switch {
	case len(findings) > 0:
		worst, err = session.BlameInstances(ctx, t, findings[0])
	case leaks && p.target.Kind != replay.Pipe && p.target.Kind != replay.File: // nobody sees the heap of a program
		p.heaps++
		leak := trial.HeapFinding(t)
		worst, err = session.Leaks(ctx, t, trial.Wanted{Key: p.keyOf(&leak)}, run)
	}
	if worst != nil && err == nil {
		p.wanted.Key = p.keyOf(worst)
	}
	return worst, nil, err
}

// Test runs and judges a candidate.
func (p *pool) Test(ctx context.Context, worker int, t *trace.Trace) (dd.Verdict, error) {
	if p.interim != nil {
		if err := p.interim.confirm(ctx); err != nil {
			return dd.Verdict{}, err
		}
	}
	session := p.sessions[worker]
	p.mu.Lock()
	limits := p.limits
	p.mu.Unlock()
	session.SetLimits(limits)
	var run trace.Run
	same, others, err := session.Shows(ctx, t, p.wanted, &run)
	if err != nil {
		return dd.Verdict{}, err
	}
	if same == nil {
		same = p.asHeavy(others)
	}
	v := dd.Verdict{Call: -1}
	if same != nil {
		v.Same, v.Call = true, same.Call
		v.Shift = !p.wanted.Any && same.Weight != p.given
	}
	for i := range others {
		if !limited(others[i].Class) { // candidates have other limits than the given trace
			v.Others = append(v.Others, p.keyOf(&others[i]))
		}
	}
	return v, nil
}

// reduce reduces a trace and confirms the result. A failure that seemed certain in the first runs may turn
// out in the last ones to depend on chance. If so, reduce starts once more, in surroundings in which the trace always
// fails or, if it finds none, with several runs per candidate, since single runs said little.
func (p *pool) reduce(ctx context.Context, t *trace.Trace, config dd.Config, result *Reduction) error {
	from, rate := t, result.Before
	config.Allowed = p.allowed(t, config.Allowed)
	if !p.wanted.Any {
		config.Plain = func(c *trace.Trace) bool { return !cause.AddsInput(t, c) }
	}
	onBest := config.OnBest
	for again := false; ; again = true {
		config.Known = &dd.Verdict{Same: true, Call: -1}
		if from == t {
			config.Known.Call = result.Finding.Call
		}
		if p.prompt && config.Certify == nil {
			p.interim = p.newInterim(rate)
			if from != t {
				p.interim.keep(result)
			}
			config.OnBest = p.interim.watch(onBest)
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
		if ctx.Err() != nil && config.Certify != nil { // the last certification replaces the confirmation
			result.Finding, result.Run = p.certified.finding, p.certified.run
			result.After = trial.Rate{Failed: 1, Runs: 1}
			return nil
		}
		certain := rate.Always()
		result.After, err = p.confirm(ctx, reduced.Trace, certain, result)
		if err != nil && p.interim != nil && p.interim.rescue(ctx, result) {
			return nil
		}
		if err != nil {
			return err
		}
		if !certain || result.After.Always() || again || reduced.Ended != nil {
			return nil
		}
		from, rate = reduced.Trace, result.After
		config.Parts = nil
		if rate.Failed == 0 { // start again from the given trace, if it still fails
			if rate, err = p.confirm(ctx, t, false, result); err != nil {
				return err
			}
			from = t
			if result.Before = rate; rate.Failed == 0 {
				return nil
			}
			if onBest != nil {
				onBest(t)
			}
		}
		if rate, err = p.fix(ctx, from, rate, result); err != nil && ctx.Err() == nil {
			return err
		}
		if from == t {
			result.Before = rate
		} else {
			result.After = rate
		}
	}
}

// allowed returns a condition for candidates: also holds, and the prediction says that they can fail in the
// wanted way.
func (p *pool) allowed(given *trace.Trace, also func(*trace.Trace) bool) func(*trace.Trace) bool {
	if p.wanted.Any || !p.wanted.Key.IsOf(p.target.Name) {
		return also
	}
	prediction := predict(p.wanted.Key, given)
	if prediction == nil {
		return also
	}
	return func(t *trace.Trace) bool { return prediction.canFail(t) && (also == nil || also(t)) }
}

// lateTime bounds the time in which a prompt reduction confirms its result after the context has ended. All
// reductions of a campaign do so at the same time, and take turns.
const lateTime = 500 * time.Millisecond

// outlasting returns a context that ends lateTime after ctx. The caller must call stop.
func outlasting(ctx context.Context) (late context.Context, stop func()) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(lateTime, cancel) })
	return late, func() { unwatch(); cancel() }
}

// confirm runs a trace in fresh processes with the full limits, even after the context has ended. A prompt
// reduction then takes only one run, and fails if that does not end within lateTime.
func (p *pool) confirm(ctx context.Context, t *trace.Trace, certain bool, result *Reduction) (trial.Rate, error) {
	late, stop := context.WithoutCancel(ctx), func() {}
	if p.prompt {
		late, stop = outlasting(ctx)
	}
	defer stop()
	runs, rate := confirmRuns, trial.Rate{}
	if !certain {
		runs = trial.ChanceRuns
	}
	session := trial.NewExamination(p.target, p.description, p.full, true)
	defer session.Close()
	session.Repeat(true)
	for rate.Runs < runs {
		isLate := p.prompt && ctx.Err() != nil
		if isLate && rate.Failed > 0 {
			break
		}
		if isLate && rate.Runs > 0 {
			return rate, ctx.Err()
		}
		session.Restart()
		var run trace.Run
		same, others, err := session.Shows(late, t, p.wanted, &run)
		if err != nil && late.Err() != nil && rate.Failed > 0 {
			break // the runs before were enough
		}
		if err != nil {
			return rate, err
		}
		rate.Runs++
		if same != nil {
			rate.Failed++
			result.Finding, result.Key, result.Run, result.Others = *same, p.keyOf(same), run, others
		} else {
			runs = trial.ChanceRuns // the failure depends on chance after all
		}
		if (limited(result.Finding.Class) || p.heavy) && rate.Always() {
			break
		}
	}
	return rate, nil
}
