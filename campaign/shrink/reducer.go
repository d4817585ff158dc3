// Package shrink reduces a failing trace to a minimal trace that fails in the same way. It knows targets
// and how they run (package trial), but no campaign: 'ipafuzz minimize' and campaigns call the same
// functions.
package shrink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Reducer reduces failing traces of one target.
type Reducer struct {
	// Config configures the delta debugger. Its Description is required. Its budget does not cover the runs
	// before and after the reduction.
	dd.Config

	Target *replay.Target
	Limits replay.Limits // of one run, as when the failure was seen

	Key        oracle.Key // the failure to keep; the zero Key stands for the worst failure of the trace
	AnyFailure bool       // every failure counts as the same
	KeepClass  bool       // the weight class of the given trace must stay; by default it may get smaller

	// Runs is after how many runs without a failure the trace counts as not failing. 0: trial.ChanceRuns.
	Runs int

	// LeastShare is the least share of runs in which a trace must fail to be reduced: chance would decide
	// about a rarer failure. 0: any share.
	LeastShare float64
	// LeastCPU is the least processor time that a candidate gets, unless the failure consists in meeting a limit. 0:
	// limit.LeastCPU.
	LeastCPU time.Duration
	// Prompt bounds the work after the context has ended: one run confirms the best trace. If that takes longer than
	// lateTime, the result is the last trace that was confirmed before, and Reduce fails if there is none. If the failure
	// consists in meeting a limit, the result is the last trace that met it.
	// Without Prompt, Reduce confirms the best trace as always, however long that takes.
	Prompt bool

	// Reduce first runs the trace to learn how it fails. It calls OnLook after each of these runs, with the
	// rate so far and the planned number of runs. It calls OnKey after the last one; Finding, Key, Before
	// and Fixed are known then.
	OnLook func(rate trial.Rate, of int)
	OnKey  func(*Reduction)

	running replay.Runner    // the target, since Start
	since   replay.Limits    // of running
	now     func() time.Time // nil: time.Now
}

// Start starts the target and sets Description to what the target says about itself. Reduce runs the trace in copies
// of that process. The caller must call Close in case Reduce is never called.
func (r *Reducer) Start() (err error) {
	r.Close()
	r.since = r.Limits
	r.running, r.Description, err = replay.Meet(r.Target, r.Limits)
	return err
}

// Close ends the process that Start has started, unless Reduce has.
func (r *Reducer) Close() {
	if r.running != nil {
		r.running.Close()
		r.running = nil
	}
}

// A Reduction is a minimal trace, confirmed in fresh processes.
type Reduction struct {
	dd.Result
	Finding oracle.Finding   // of the minimal trace
	Others  []oracle.Finding // further findings of the same run
	Key     oracle.Key
	Given   oracle.WeightClass // of the given trace
	Run     trace.Run          // shows the finding
	Before  trial.Rate         // of the given trace
	After   trial.Rate         // of the minimal trace
	// Fixed lists the surroundings that all runs fix, to make a failure repeatable that otherwise depends
	// on chance.
	Fixed replay.Fixed
	// Sigterm is when an anytime program was told to stop in all runs, as on the given trace; zero for other targets.
	Sigterm replay.Span

	// Cause and Sentence say what the failure needs, if the caller has determined that; "" unknown.
	Cause, Sentence string

	Right     map[int]export.Right // the proven answers of its solves, by call
	Expecting *trace.Trace         // the minimal trace that expects those answers
}

// Heavier returns the smallest trace seen with the weight class of the given trace if the minimal trace has
// a lighter class, and nil otherwise.
func (m *Reduction) Heavier() *trace.Trace {
	if m.Unshifted == nil || !m.Finding.Weight.LighterThan(m.Given) {
		return nil
	}
	return m.Unshifted
}

// TextOnly says why a failure has no reduction and no cause.
const TextOnly = "it fails only with the text of the given file: a file with the same clauses does not fail"

// A NotFailingError reports a trace that cannot be reduced because it does not fail.
type NotFailingError struct {
	Runs  int              // each in a fresh process
	Heaps int              // workers that repeated the trace, and whose heap did not grow
	Key   oracle.Key       // the failure to keep; zero: any
	Other []oracle.Key     // failures seen instead
	Open  unchecked.Counts // of a run with a patient judge
	// TextOnly says that the file fails as it was given, but not one with the same clauses.
	TextOnly bool
}

// Error returns the message.
func (e *NotFailingError) Error() string {
	if e.TextOnly {
		return TextOnly
	}
	what := "nothing wrong was found"
	if e.Open.Any() {
		what = "no failure was seen"
	}
	if !e.Key.IsZero() {
		what = fmt.Sprintf("the failure %q was not seen", e.Key)
	}
	text := fmt.Sprintf("%s in %s of the trace, each in a fresh process", what, printable.Things(e.Runs, "run"))
	if e.Heaps > 0 {
		text += fmt.Sprintf(", and no leak in %s that repeated it", printable.Things(e.Heaps, "worker"))
	}
	for _, other := range e.Other {
		text += fmt.Sprintf("; another failure was: %q", other)
	}
	if e.Open.Any() {
		text += "; " + strings.TrimSuffix(unchecked.Text(e.Open.Items()), ".")
	}
	return text
}

func (e *NotFailingError) note(key oracle.Key) {
	if !slices.Contains(e.Other, key) {
		e.Other = append(e.Other, key)
	}
}

// A RareError reports a trace that fails too rarely to be reduced.
type RareError struct{ Rate trial.Rate }

// Error returns the message.
func (e *RareError) Error() string {
	return fmt.Sprintf("it fails in only %s runs, too rarely to be reduced", e.Rate)
}

const (
	// A trace that fails in all of the first runs counts as always failing. Fewer runs of a slow trace would save little,
	// and on a busy machine every trace is slow.
	firstRuns   = 3
	confirmRuns = 3
)

// Reduce learns how the trace fails, reduces it, and confirms the result. If the context or a budget ends,
// the result is the best trace so far.
func (r *Reducer) Reduce(ctx context.Context, t *trace.Trace) (*Reduction, error) {
	if err := trace.CheckAgainst(t, r.Description); err != nil {
		return nil, err
	}
	limits := r.Limits.FixStop(r.Target, t)
	pool := newPool(r.Target, r.Description, limits, r.Workers)
	defer pool.close()
	if r.running != nil && r.since == limits {
		pool.sessions[0].Use(r.running)
		r.running = nil
	}
	pool.prompt, pool.now, pool.healthy = r.Prompt, r.now, cmp.Or(r.Runs, trial.ChanceRuns)
	pool.wanted = trial.Wanted{Key: r.Key, Any: r.AnyFailure}
	result := &Reduction{Fixed: r.Limits.Fixed, Sigterm: limits.Sigterm}
	plain := t.WithoutGiven()
	err := pool.learn(ctx, plain, r.OnLook, result)
	if not := new(NotFailingError); errors.As(err, &not) && t.HasGiven() {
		not.TextOnly = pool.learn(ctx, t, r.OnLook, new(Reduction)) == nil
	}
	if err != nil {
		return nil, err
	}
	t = plain
	if result.Before, err = pool.fix(ctx, t, result.Before, result); err != nil {
		return nil, err
	}
	if result.Before.Share() < r.LeastShare {
		return result, &RareError{result.Before}
	}
	if r.OnKey != nil {
		r.OnKey(result)
	}
	result.Given, pool.given = result.Finding.Weight, result.Finding.Weight
	if r.KeepClass && !r.AnyFailure {
		pool.wanted.Weight = result.Given
	}
	pool.certified = certified{result.Finding, result.Run}
	if r.LeastCPU > 0 && !limited(result.Finding.Class) {
		pool.least = r.LeastCPU
	}
	pool.adjust(&result.Run, result.Finding.Class)
	config := r.Config
	config.Any = r.AnyFailure
	if pool.hurried {
		config.Certify = pool.certify
		if r.Prompt {
			config.Certify = func(_ context.Context, t *trace.Trace) (bool, error) { return pool.certify(ctx, t) }
		}
	}
	if err := pool.reduce(ctx, t, config, result); err != nil {
		return result, err
	}
	return result, r.expect(ctx, result)
}

// mostExpected bounds the traces for which RightAnswers computes answers: proofs for all solves of a large
// trace take too long.
const (
	mostExpected = 2000 // calls
	mostLate     = 100  // after the context of a prompt reduction has ended
)

// RightAnswers returns the right answers of the solves of a minimal trace, or nil if the trace is large.
func RightAnswers(ctx context.Context, t *trace.Trace) (map[int]export.Right, error) {
	if len(t.Calls) > mostExpected {
		return nil, nil
	}
	return trial.RightAnswers(ctx, t)
}

// expect adds the right answers to the calls of the result, so that the minimal trace can serve as a test.
// It leaves the trace alone if the trace has expectations already or if its findings would change.
func (r *Reducer) expect(ctx context.Context, result *Reduction) (err error) {
	result.Expecting = result.Trace
	if r.Prompt && ctx.Err() != nil && len(result.Trace.Calls) > mostLate {
		return nil
	}
	if result.Right, err = RightAnswers(context.WithoutCancel(ctx), result.Trace); err != nil {
		return err
	}
	if len(result.Trace.Want.Of) > 0 || len(result.Right) == 0 || !result.Finding.Class.IsAboutAnswers() {
		return nil
	}
	judge := trial.NewJudge(oracle.Config{Policies: r.Description.Policies, CrossCheck: true}, trial.Thorough)
	defer judge.Close()
	keys := func(t *trace.Trace) (keys []oracle.Key, err error) {
		findings, err := judge.Judge(t, &result.Run)
		for i := range findings {
			keys = append(keys, findings[i].Key(r.Target.Name))
		}
		return keys, err
	}
	before, err := keys(result.Trace)
	if err != nil {
		return err
	}
	expecting := trial.WithExpectations(result.Trace, result.Right)
	after, err := keys(expecting)
	if err == nil && slices.Equal(before, after) {
		expecting.Got = expecting.Unmet(&result.Run)
		result.Expecting = expecting
	}
	return err
}

// Interrupted says why a trace is not minimal if the context ended its reduction.
const Interrupted = "interrupted"

// WhyNotMinimal says what ended a reduction early; "" if nothing did.
func WhyNotMinimal(ended error) string {
	switch {
	case ended == nil:
		return ""
	case errors.Is(ended, context.Canceled):
		return Interrupted
	}
	return ended.Error()
}

// NoteIn writes the reduction into the header of the minimal trace: it comes from a file with that many
// calls.
func (m *Reduction) NoteIn(t *trace.Trace, from, target string, limits replay.Limits, calls int, seed uint64) {
	reduction := notes.Reduction{From: from, Calls: calls, Tests: m.Stats.Tests, How: "minimal",
		Search: &notes.Search{Time: m.Time, Seed: seed}}
	if !m.Minimal {
		reduction.How = "not minimal: " + WhyNotMinimal(m.Ended)
	}
	limits.Fixed, limits.Sigterm = m.Fixed, m.Sigterm
	t.Notes = notes.WithResult(t.Notes, notes.Result{Reduced: reduction.String(), Target: target,
		Finding: m.Key.String(), Rate: notes.Rate(m.After), Limits: limits.Flags()})
}

// SlugOf returns a short file name for a key.
func SlugOf(key oracle.Key) string {
	return oracle.Key{Class: "other", Detail: key.String()}.Slug()
}
