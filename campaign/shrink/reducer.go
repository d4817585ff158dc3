// Package shrink reduces a failing trace to a minimal one that fails in the same
// way. It knows targets and their runs (package trial) and no campaign: 'ipafuzz
// minimize' and a campaign call the same functions.
package shrink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A Reducer reduces failing traces of one target.
type Reducer struct {
	// Config is that of the delta debugger; its budget does not cover the runs
	// before and after. The description is required.
	dd.Config

	Target *replay.Target
	Limits replay.Limits // of one run, as the failure was seen with

	Key            oracle.Key // the failure to keep; the zero Key for the worst that the trace shows
	AnyFailure     bool       // every failure counts as the same
	LighterWeights bool       // the weight class of the key may fall

	// OnLook is called after each run that learns how the trace fails, with the
	// rate so far and the number of runs that are planned. OnKey is called with
	// what was learned.
	OnLook func(rate trial.Rate, of int)
	OnKey  func(f oracle.Finding, key oracle.Key, rate trial.Rate)
}

// A Reduction is a result, confirmed in fresh processes.
type Reduction struct {
	dd.Result
	Finding oracle.Finding   // of the minimal trace
	Others  []oracle.Finding // that its run shows too
	Key     oracle.Key
	Run     trace.Run  // that showed it
	Before  trial.Rate // of the given trace
	After   trial.Rate // of the minimal one

	Right     map[int]export.Right // what its solves should answer, where that is certain
	Expecting *trace.Trace         // the minimal trace that expects those answers
}

// A NotFailingError reports a trace that cannot be reduced because it does not fail.
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

func (e *NotFailingError) note(key oracle.Key) {
	if !slices.Contains(e.Other, key) {
		e.Other = append(e.Other, key)
	}
}

const (
	firstRuns   = 3 // a trace that fails in all of them always fails
	confirmRuns = 3
)

// Reduce learns how the trace fails, reduces it, and confirms what is left. If the
// context or a budget ends, the best so far is the result.
func (r *Reducer) Reduce(ctx context.Context, t *trace.Trace) (*Reduction, error) {
	pool := newPool(r.Target, r.Description, r.Limits, r.Workers)
	defer pool.close()
	pool.wanted = trial.Wanted{Key: r.Key, Any: r.AnyFailure, Lighter: r.LighterWeights}
	result := &Reduction{}
	if err := pool.learn(ctx, t, r.OnLook, result); err != nil {
		return nil, err
	}
	if r.OnKey != nil {
		r.OnKey(result.Finding, result.Key, result.Before)
	}
	pool.certified = certified{result.Finding, result.Run}
	pool.adjust(&result.Run, result.Finding.Class)
	config := r.Config
	if pool.hurried {
		config.Certify = pool.certify
	}
	if err := pool.reduce(ctx, t, config, result); err != nil {
		return result, err
	}
	return result, r.expect(context.WithoutCancel(ctx), result)
}

// mostExpected bounds the traces whose right answers are computed: proofs for all
// solves of a large one take too long.
const mostExpected = 2000 // calls

// RightAnswers returns what the solves of a minimal trace should answer, nothing
// if it is large.
func RightAnswers(ctx context.Context, t *trace.Trace) (map[int]export.Right, error) {
	if len(t.Calls) > mostExpected {
		return nil, nil
	}
	return trial.RightAnswers(ctx, t)
}

// expect writes the right answers behind the calls of a result, so that the
// minimal trace is a test. It leaves a trace alone that expects something already,
// or whose findings would change.
func (r *Reducer) expect(ctx context.Context, result *Reduction) (err error) {
	result.Expecting = result.Trace
	if result.Right, err = RightAnswers(ctx, result.Trace); err != nil {
		return err
	}
	if len(result.Trace.Want.Of) > 0 || len(result.Right) == 0 || !aboutAnswers(result.Finding.Class) {
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
		result.Expecting = expecting
	}
	return err
}

// aboutAnswers reports whether faults of the class are in answers that a trace can
// expect.
func aboutAnswers(class oracle.Class) bool {
	switch class {
	case oracle.WrongStatus, oracle.GaveUp, oracle.AnswersDiffer, oracle.InstancesMix:
		return true
	}
	return strings.HasPrefix(string(class), "2.")
}

// Interrupted is why a trace is not minimal if the context ended its reduction.
const Interrupted = "interrupted"

// WhyNotMinimal returns what ended a reduction early, "" if nothing did.
func WhyNotMinimal(ended error) string {
	switch {
	case ended == nil:
		return ""
	case errors.Is(ended, context.Canceled):
		return Interrupted
	}
	return ended.Error()
}

// NoteIn writes into the header of the minimal trace where it comes from: a file
// with that many calls.
func (m *Reduction) NoteIn(t *trace.Trace, from, target string, limits replay.Limits, calls int, seed uint64) {
	reduction := notes.Reduction{From: from, Calls: calls, Tests: m.Stats.Tests, How: "minimal",
		Search: &notes.Search{Time: m.Time, Seed: seed}}
	if !m.Minimal {
		reduction.How = "not minimal: " + WhyNotMinimal(m.Ended)
	}
	t.Notes = notes.WithResult(t.Notes, notes.Result{Reduced: reduction.String(), Target: target,
		Finding: m.Key.String(), Rate: notes.Rate(m.After), Limits: limits.Flags()})
}

// SlugOf makes a short name for a file out of a key.
func SlugOf(key oracle.Key) string {
	return oracle.Key{Class: "other", Weight: oracle.NoWeights, Detail: key.String()}.Slug()
}
