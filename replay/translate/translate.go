// Package translate runs formula files on targets that take calls: libraries and runners. The target gets the calls
// that ask the same (format.Calls), and its answers become those of the file.
package translate

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// Target makes a target of the model that the files' model asks into one of the files' model.
func Target(t *replay.Target, files *apimodel.Model) {
	inner := *t
	t.Driver, t.Model = &driver{&inner}, files
	if native, ok := inner.Driver.(replay.NativeDriver); ok {
		t.Driver = &nativeDriver{driver{&inner}, native}
	}
}

// A driver runs formula files on a target of another model.
type driver struct{ target *replay.Target }

// OpenQueue implements replay.Driver.
func (d *driver) OpenQueue(_ *replay.Target, way replay.Way, limits replay.Limits, o replay.QueueOptions) (
	replay.Queue, error) {
	inner, err := d.target.Driver.OpenQueue(d.target, way, limits, o)
	if err != nil {
		return nil, err
	}
	return &queue{Queue: inner}, nil
}

// Unreadable returns why the target cannot read the formula of the solve at that index, or "".
func (d *driver) Unreadable(t *trace.Trace, solve int) string {
	reading, ok := d.target.Driver.(replay.ReadingDriver)
	if !ok {
		return ""
	}
	calls, from := format.Calls(t)
	for i := range from {
		if from[i] == solve {
			return reading.Unreadable(calls, i)
		}
	}
	return ""
}

// A queue posts the calls of formula files to the queue of a target.
type queue struct {
	replay.Queue
	posted []*posted
}

// A posted batch has the files, and the calls that the target gets.
type posted struct {
	files *replay.Batch
	calls replay.Batch
	from  [][]int // for each file and call, the call of the file
}

// Post implements replay.Queue.
func (q *queue) Post(b *replay.Batch) (int, error) {
	p := &posted{files: b}
	for _, file := range b.Traces {
		calls, from := format.Calls(file)
		p.calls.Traces = append(p.calls.Traces, calls)
		p.from = append(p.from, from)
	}
	p.calls.Seeds = b.Seeds
	n, err := q.Queue.Post(&p.calls)
	if err != nil {
		return n, err
	}
	q.posted = append(q.posted, p)
	b.Fresh, b.Done = 0, 0
	b.Cut(n)
	return n, nil
}

// Collect implements replay.Queue.
func (q *queue) Collect() (*replay.Batch, error) {
	if _, err := q.Queue.Collect(); err != nil {
		return nil, err
	}
	p := q.posted[0]
	b := p.files
	b.Fresh, b.Done = p.calls.Fresh, p.calls.Done
	for i := b.Fresh; i < b.Done; i++ {
		b.Runs[i], b.Before[i] = fileRun(b.Traces[i], p.calls.Runs[i], p.from[i]), p.calls.Before[i]
		p.calls.Runs[i] = trace.Run{}
	}
	if b.Complete() {
		q.posted = q.posted[1:]
	}
	return b, nil
}

// PeakKB implements replay.Peaks.
func (q *queue) PeakKB() (resident, space uint64) {
	if inner, ok := q.Queue.(replay.Peaks); ok {
		return inner.PeakKB()
	}
	return 0, 0
}

// Description says what the target offers and lacks, for formula files.
func (q *queue) Description() (*apimodel.Description, error) { return described(q.Queue.Description()) }

// described makes the description of a target that of one for formula files.
func described(d *apimodel.Description, err error) (*apimodel.Description, error) {
	if err != nil || len(d.Models) == 0 {
		return d, err
	}
	ours := *d
	for _, m := range apimodel.AllModels() {
		if m.File && slices.Contains(d.Models, m.Asks.Name) {
			ours.Models = append(slices.Clip(ours.Models), m.Name)
		}
	}
	return &ours, nil
}

// fileRun returns the run of a formula file, given that of its calls. No allocation fails in it, and no call has a
// proof.
func fileRun(file *trace.Trace, run trace.Run, from []int) trace.Run {
	if run.Call < len(from) {
		run.Call = from[run.Call]
	} else {
		run.Call = len(file.Calls)
	}
	answers := &run.Answers
	own := make([]trace.Answer, len(file.Calls))
	for i := range answers.Of {
		a := &own[from[i]]
		*a = answers.Of[i]
		if file.Calls[from[i]].Op.Reply() == apimodel.ReplyModel && a.Kind == trace.Answered {
			keepVars(answers, a, file)
		}
	}
	answers.Of = own
	return run
}

// keepVars removes the values of variables that the file does not have from a model.
func keepVars(answers *trace.Answers, model *trace.Answer, file *trace.Trace) {
	has := make(map[int32]bool)
	for _, lit := range file.Lits {
		has[trace.Var(lit)] = true
	}
	values := answers.ListOf(model)
	kept := values[:0]
	for _, lit := range values {
		if has[trace.Var(lit)] {
			kept = append(kept, lit)
		}
	}
	model.Len = uint32(len(kept))
}
