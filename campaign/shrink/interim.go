package shrink

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/trace"
)

// interimShare is the share of its time, as 1/interimShare, that a prompt reduction spends on confirming improvements.
const interimShare = 16

// An interim confirms improvements during a prompt reduction. When the context has ended, a target whose runs or whose
// start take long has no time to confirm the result, and the last improvement that was confirmed is left.
type interim struct {
	// shows runs result.Trace in a fresh process with the full limits. It reports whether the trace fails, and sets the
	// other fields of a confirmed result.
	shows func(ctx context.Context, result *Reduction) (bool, error)
	now   func() time.Time

	mu   sync.Mutex
	best *trace.Trace  // the last improvement, unless it was taken for confirmation; nil: none
	busy bool          // one is being confirmed
	last time.Time     // when the last one was confirmed
	took time.Duration // by that
	kept *Reduction    // the last one that failed; nil: none
}

func newInterim(now func() time.Time, shows func(context.Context, *Reduction) (bool, error)) *interim {
	if now == nil {
		now = time.Now
	}
	return &interim{shows: shows, now: now, last: now()}
}

// watch returns a function that notes an improvement and calls also.
func (i *interim) watch(also func(*trace.Trace)) func(*trace.Trace) {
	return func(t *trace.Trace) {
		i.mu.Lock()
		i.best = t
		i.mu.Unlock()
		if also != nil {
			also(t)
		}
	}
}

// keep makes a copy of a confirmed result the one that is left.
func (i *interim) keep(confirmed *Reduction) {
	i.mu.Lock()
	defer i.mu.Unlock()
	kept := *confirmed
	i.kept = &kept
}

// due takes the last improvement if it is time to confirm it; otherwise it returns nil.
func (i *interim) due() *trace.Trace {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.busy || i.best == nil || i.now().Sub(i.last) < max(lateTime, interimShare*i.took) {
		return nil
	}
	t := i.best
	i.best, i.busy = nil, true
	return t
}

// confirm confirms the last improvement if it is time to. Tests call it before they run a candidate, when no other
// trial of a reduction with one worker runs.
func (i *interim) confirm(ctx context.Context) error {
	t := i.due()
	if t == nil {
		return nil
	}
	begun := i.now()
	result := &Reduction{Result: dd.Result{Trace: t}}
	fails, err := i.shows(ctx, result)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy, i.last = false, i.now()
	i.took = i.last.Sub(begun)
	if fails && err == nil {
		i.kept = result
	}
	return err
}

// rescue replaces a result that could not be confirmed before ctx ended by the last improvement that was. It reports
// whether there was one.
func (i *interim) rescue(ctx context.Context, result *Reduction) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.kept == nil || ctx.Err() == nil {
		return false
	}
	kept := i.kept
	result.Trace, result.Unshifted = kept.Trace.Clone(), nil
	result.Verdict = dd.Verdict{Same: true, Call: kept.Finding.Call}
	result.Finding, result.Key, result.Run, result.Others = kept.Finding, kept.Key, kept.Run, kept.Others
	if result.After, result.Minimal = kept.After, false; result.Ended == nil {
		result.Ended = ctx.Err()
	}
	return true
}

// newInterim returns the interim of a reduction of a trace that fails at that rate.
func (p *pool) newInterim(rate trial.Rate) *interim {
	most := 1
	if !rate.Always() {
		most = int(2 / rate.Share()) // enough in six of seven cases
	}
	return newInterim(p.now, func(ctx context.Context, result *Reduction) (bool, error) {
		session := trial.NewSession(p.target, p.full, p.newJudge())
		defer session.Close()
		for result.After.Runs < most {
			session.Restart()
			var run trace.Run
			same, others, err := session.Shows(ctx, result.Trace, p.wanted, &run)
			if err != nil {
				return false, err
			}
			result.After.Runs++
			if same != nil {
				result.Finding, result.Key, result.Run, result.Others = *same, p.keyOf(same), run, others
				result.After.Failed = 1
				return true, nil
			}
		}
		return false, nil
	})
}
