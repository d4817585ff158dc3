package pipe

import (
	"errors"
	"strconv"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A walk sends traces to one runner and takes its answers. It sends lines ahead, and
// waits for an answer only if that decides whether the next call is legal. In lock
// step it waits for every answer, to know exactly in which call a runner ends.
type walk struct {
	runner   *runner
	model    *apimodel.Model
	lockStep bool
	finished func(*sentTrace) // called when the runner has answered the end of a trace

	unsent  []byte
	waiting []request // those from head on are not answered
	head    int
	solved  apimodel.States
	signs   map[int32]bool // for one model or core
	wronged *sentTrace     // the trace with an answer that violates the protocol
}

// A sentTrace is a trace that is being sent or waits for answers.
type sentTrace struct {
	index      int // in its batch
	t          *trace.Trace
	run        *trace.Run
	solvers    map[uint16]*solver
	order      []uint16 // keys of solvers by first call: the order of their release
	begun      time.Time
	outputFrom int64
	threw      bool // its solver has thrown an exception: the trace is over
}

// A solver is an instance and its solve that has no answer yet.
type solver struct {
	replay.Instance
	solving int // index of an unanswered solve that decides the state; -1: none
}

func newSolver() *solver { return &solver{Instance: replay.NewInstance(), solving: -1} }

type requestKind uint8

const (
	requestHead    requestKind = iota // the first line of a trace
	requestSetting                    // an option that the user set
	requestCall
	requestImplied // an init or a final release that is not in the trace
	requestEnd
)

// A request is a line that the runner must answer with one line.
type request struct {
	sent   *sentTrace
	kind   requestKind
	call   int // index of the call that it belongs to; the number of calls for the lines after the last
	op     apimodel.Op
	lits   []int32 // for model, the variables in use; for core, the assumptions
	solver *solver
}

const (
	maxAhead = 4096     // lines without an answer
	sendAt   = 16 << 10 // bytes that are collected before they are sent
)

const endLine = "end"

// run sends one trace. It does not wait for all answers; drain does.
func (w *walk) run(sent *sentTrace) error {
	t := sent.t
	sent.begun = time.Now()
	sent.outputFrom = w.runner.OutputSize()
	*sent.run = trace.Run{Answers: sent.run.Answers}
	sent.run.Answers.Reset()
	for range t.Calls {
		sent.run.Answers.Of = append(sent.run.Answers.Of, trace.Answer{})
	}
	if len(w.waiting) == w.head {
		if line := w.runner.pending(); line != nil {
			return violation(w.runner.target, "it wrote a line unasked: %s", replay.Excerpt(line))
		}
	}
	w.unsent = append(append(w.unsent, "ipafuzz 1 "...), t.Model.Name...)
	if err := w.send(request{sent: sent, kind: requestHead}); err != nil {
		return err
	}
	for i := range t.Calls {
		if sent.threw {
			break
		}
		if err := w.call(sent, i); err != nil {
			return err
		}
	}
	for _, instance := range sent.order {
		s := sent.solvers[instance]
		if s.State == apimodel.None || sent.threw {
			continue
		}
		w.line(instance, "release")
		release := request{sent: sent, kind: requestImplied, call: len(t.Calls), op: apimodel.OpRelease}
		if err := w.send(release); err != nil {
			return err
		}
	}
	w.unsent = append(w.unsent, endLine...)
	return w.send(request{sent: sent, kind: requestEnd, call: len(t.Calls)})
}

func (w *walk) line(instance uint16, words string) {
	if instance != 0 {
		w.unsent = strconv.AppendUint(append(w.unsent, '@'), uint64(instance), 10)
		w.unsent = append(w.unsent, ' ')
	}
	w.unsent = append(w.unsent, words...)
}

// solver returns the solver of call i. If it is the first call of its instance, solver
// makes one, and sends an init unless the call is one.
func (w *walk) solver(sent *sentTrace, i int) (*solver, error) {
	c := &sent.t.Calls[i]
	s := sent.solvers[c.Instance]
	switch {
	case s != nil:
		return s, nil
	case c.Op == apimodel.OpSignature: // needs no solver
		return newSolver(), nil
	case len(sent.solvers) >= trace.MaxInstances:
		return nil, trace.ErrTooManyInstances
	case sent.solvers == nil:
		sent.solvers = make(map[uint16]*solver, 2)
	}
	s = newSolver()
	sent.solvers[c.Instance], sent.order = s, append(sent.order, c.Instance)
	if c.Op == apimodel.OpInit {
		return s, nil
	}
	w.line(c.Instance, "init")
	implied := request{sent: sent, kind: requestImplied, call: i, op: apimodel.OpInit, solver: s}
	return s, w.init(implied, c.Instance)
}

// call sends one call of the trace, or records as its answer why it is not sent.
func (w *walk) call(sent *sentTrace, i int) error {
	c := &sent.t.Calls[i]
	row := w.model.Call(c.Op)
	s, err := w.solver(sent, i)
	if err != nil || sent.threw {
		return err
	}
	for s.solving >= 0 && row.Legal&w.solved != w.solved {
		if err := w.answer(); err != nil {
			return err
		}
	}
	if sent.threw {
		return nil
	}
	s.Name(sent.t, c)
	answer := &sent.run.Answers.Of[i]
	if s.solving < 0 && !row.Legal.Has(s.State) {
		answer.Kind = trace.Withheld
		return nil
	}
	if !w.runner.description.Has(row.Optional) {
		answer.Kind = trace.Unsupported
		return nil
	}
	r := request{sent: sent, kind: requestCall, call: i, op: c.Op, solver: s}
	w.unsent = sent.t.AppendRequest(w.unsent, i)
	switch c.Op {
	case apimodel.OpInit:
		return w.init(r, c.Instance)
	case apimodel.OpSolve:
		s.solving = i
		return w.send(r)
	case apimodel.OpModel:
		r.lits = s.Vars[:len(s.Vars):len(s.Vars)]
	case apimodel.OpCore:
		r.lits = s.Assumed
	}
	if len(row.Steps) > 0 {
		s.solving = -1
		s.Made(w.model, c)
	}
	return w.send(r)
}

// init ends and sends the line of an init, and then sends the options that the user has set.
func (w *walk) init(r request, instance uint16) error {
	r.solver.State = apimodel.Start
	if err := w.send(r); err != nil {
		return err
	}
	for _, set := range w.runner.target.Settings {
		if r.sent.threw {
			return nil
		}
		w.line(instance, "option "+set.Name+" "+set.Value)
		setting := request{sent: r.sent, kind: requestSetting, call: r.call, op: apimodel.OpOption}
		if err := w.send(setting); err != nil {
			return err
		}
	}
	return nil
}

// send ends the line of a request and records the request. If too many requests are
// unanswered, it waits for answers.
func (w *walk) send(r request) error {
	w.unsent = append(w.unsent, '\n')
	w.waiting = append(w.waiting, r)
	switch ahead := len(w.waiting) - w.head; {
	case w.lockStep:
		return w.answer()
	case ahead >= maxAhead:
		for range ahead / 2 {
			if err := w.answer(); err != nil {
				return err
			}
		}
	case len(w.unsent) >= sendAt:
		return w.flush()
	}
	return nil
}

func (w *walk) flush() error {
	if len(w.unsent) == 0 {
		return nil
	}
	w.runner.busy.Store(true)
	err := w.runner.write(w.unsent)
	w.unsent = w.unsent[:0]
	return err
}

func (w *walk) drain() error {
	for w.head < len(w.waiting) {
		if err := w.answer(); err != nil {
			return err
		}
	}
	w.runner.busy.Store(false)
	return nil
}

// answer waits for the answer to the oldest request.
func (w *walk) answer() error {
	if err := w.flush(); err != nil {
		return err
	}
	line, err := w.runner.line()
	if err != nil {
		return err
	}
	r := w.waiting[w.head]
	if err := w.take(&r, line); err != nil {
		return err
	}
	w.waiting[w.head] = request{}
	if w.head++; w.head == len(w.waiting) {
		w.waiting, w.head = w.waiting[:0], 0
	}
	if r.kind == requestEnd {
		w.end(r.sent)
	}
	return nil
}

func (w *walk) end(sent *sentTrace) {
	sent.run.Usage = trace.Usage{WallNanos: uint64(time.Since(sent.begun)), PeakKB: w.runner.peakKB.Load()}
	w.runner.serial.Add(1)
	w.finished(sent)
}

// afterSolve returns the states in which a solve may end.
func afterSolve(m *apimodel.Model) apimodel.States {
	states := apimodel.Set(apimodel.Input)
	for _, step := range m.Call(apimodel.OpSolve).Steps {
		states |= apimodel.Set(step.Then)
	}
	return states
}

func newWalk(r *runner, lockStep bool, finished func(*sentTrace)) *walk {
	return &walk{runner: r, model: r.target.Model, lockStep: lockStep, finished: finished,
		solved: afterSolve(r.target.Model)}
}

// blame fills in the run of the trace in which the runner ended. It is sure only if the
// runner had exactly one line to answer.
func (w *walk) blame() (sent *sentTrace, sure bool) {
	r := &w.waiting[w.head]
	sent = r.sent
	run := sent.run
	run.Call = min(r.call, len(sent.t.Calls))
	run.End = trace.End(w.runner.end.Load())
	if run.End == trace.Finished {
		run.End, run.Death = w.runner.Death()
	}
	run.Death.Output = w.runner.Violation()
	run.Death.Stderr = w.runner.Explain(sent.outputFrom)
	run.Usage = trace.Usage{WallNanos: uint64(time.Since(sent.begun)), PeakKB: w.runner.peakKB.Load()}
	for i := run.Call; i < len(run.Answers.Of); i++ { // also those of calls that were never sent
		run.Answers.Of[i] = trace.Answer{}
	}
	return sent, len(w.waiting)-w.head == 1
}

// named adds a trace to a ProtocolError: the one with the wrong answer, or else running.
func (w *walk) named(err error, running *trace.Trace) error {
	if violated, ok := errors.AsType[*replay.ProtocolError](err); ok {
		if w.wronged != nil {
			running = w.wronged.t
		}
		violated.Trace = running.Clone()
	}
	return err
}
