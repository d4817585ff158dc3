// Package instances runs many instances on several targets, compares their answers and writes a table of
// instances, targets and times. 'ipafuzz run' calls it. A finding ends neither the instance nor the run.
package instances

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// A Named is a target with the targets file that names it.
type Named struct {
	*replay.Target
	File *targets.File
}

// A Config chooses what to run.
type Config struct {
	Targets []Named
	How     trial.Replaying
	// Workers is the number of instances that run at the same time. Times are comparable only if every
	// worker has its own core.
	Workers int
}

// A Result is the result of one instance on all targets.
type Result struct {
	Instance string
	Model    string
	Rows     []Row // one for each target
	Trace    *trace.Trace
	Disputes []Dispute
}

// A Dispute is a solve that targets answer differently, and nothing proves which one is right.
type Dispute struct {
	Call  int    // from 1
	About string // "status" or "optimum"
	Says  []Says
}

// Says is the answer of one target.
type Says struct{ Target, Answer string }

// Run runs all instances and calls each with every result, in the order of the instances. It stops at the
// first error. By then it has called each for all instances before the failing one, and for none after it.
func (c Config) Run(ctx context.Context, instances iter.Seq2[sources.Item, error], each func(*Result) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	type outcome struct {
		result *Result
		err    error
	}
	type job struct {
		item sources.Item
		done chan outcome
	}
	jobs, order := make(chan job), make(chan job, c.Workers)
	var running sync.WaitGroup
	for range c.Workers {
		running.Go(func() {
			worker := c.open()
			defer worker.close()
			for j := range jobs {
				result, err := worker.run(ctx, j.item)
				j.done <- outcome{result, err}
			}
		})
	}
	running.Go(func() {
		defer close(order)
		defer close(jobs)
		for item, err := range instances {
			j := job{item, make(chan outcome, 1)}
			select {
			case <-ctx.Done():
				return
			case order <- j:
			}
			if err != nil {
				j.done <- outcome{err: err}
				return
			}
			select {
			case <-ctx.Done():
				j.done <- outcome{err: ctx.Err()}
				return
			case jobs <- j:
			}
		}
	})
	over := false
	for j := range order {
		o := <-j.done
		if over {
			continue
		}
		if o.err == nil {
			o.err = each(o.result)
		}
		if o.err != nil {
			over = true
			stop(o.err) // no effect if ctx had ended before
		}
	}
	running.Wait()
	return context.Cause(ctx)
}

// A worker has its own process for every target.
type worker struct {
	targets   []Named
	replayers []*trial.Replayer
	comparer  *trial.Comparer
}

func (c Config) open() *worker {
	w := &worker{targets: c.Targets}
	how := c.How
	how.Compared = len(c.Targets) > 1
	for _, t := range c.Targets {
		w.replayers = append(w.replayers, trial.NewReplayer(t.Target, t.File, how))
	}
	w.comparer = trial.NewComparer(w.replayers, how)
	return w
}

func (w *worker) close() {
	for _, r := range w.replayers {
		r.Close()
	}
}

func (w *worker) run(ctx context.Context, item sources.Item) (*Result, error) {
	result := &Result{Instance: item.Name, Model: item.Trace.Model.Name, Trace: item.Trace,
		Rows: make([]Row, len(w.targets))}
	comparer, cannot := w.comparer.Serving(item.Trace)
	var serving []int
	for i, t := range w.targets {
		result.Rows[i] = Row{Instance: item.Name, Target: t.Name, Model: result.Model, Verdict: NotRun,
			Unchecked: []unchecked.Item{{Reason: unchecked.NotTaken, Count: uint64(max(1, item.Trace.Solves()))}}}
		if err := cannot[i]; err != nil {
			if refused, ok := errors.AsType[*trace.CheckError](err); ok {
				result.Rows[i].Note = refused.Error()
				continue
			}
			var not *replay.TargetError
			if !errors.As(err, &not) || item.Trace.Model == t.Model {
				return nil, err // the target cannot be used
			}
			result.Rows[i].Note = not.Reason
			continue
		}
		serving = append(serving, i)
	}
	if len(serving) == 0 {
		return result, nil
	}
	compared, err := comparer.Compare(ctx, item.Name, item.Trace)
	if err != nil {
		return nil, err
	}
	for k, i := range serving {
		result.Rows[i].fill(compared.Results[k], w.targets[i].Target)
	}
	for _, d := range compared.Compared.Disputes {
		if d.Outvoted {
			continue // the failure is a finding
		}
		dispute := Dispute{Call: d.Call + 1, About: d.About}
		for k, says := range d.Says {
			if says == "" {
				continue
			}
			row := &result.Rows[serving[k]]
			dispute.Says = append(dispute.Says, Says{row.Target, says})
			if row.Verdict == OK || row.Verdict == Unproven {
				row.Verdict = Disputed
			}
			row.Unchecked = append(row.Unchecked, unchecked.Item{Reason: unchecked.Disputed, Count: 1})
		}
		result.Disputes = append(result.Disputes, dispute)
	}
	return result, nil
}
