package replay

import (
	"errors"
	"strconv"
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pipeWalk sends traces to one runner and takes its answers. Lines are sent
// ahead: an answer is waited for only where it decides whether the next call is
// legal. In lock step every answer is waited for, so that the call in which a
// runner ends is known exactly.
type pipeWalk struct {
	p        *pipeProcess
	model    *apimodel.Model
	lockStep bool
	finished func(*pipeJob) // is called for every trace whose end was answered

	unsent  []byte
	waiting []request // sent, and not answered, from head on
	head    int
	solved  apimodel.States
	signs   map[int32]bool // for one model or core
	wronged *pipeJob       // whose answer broke the protocol
}

// A pipeJob is one trace on its way.
type pipeJob struct {
	index      int // in its batch
	t          *trace.Trace
	run        *trace.Run
	solvers    map[uint16]*pipeSolver
	order      []uint16 // of their first calls: they are released in it
	begun      time.Time
	outputFrom int64
	threw      bool // its solver has thrown something: nothing more is asked of it
}

// A pipeSolver is what is known of one instance.
type pipeSolver struct {
	state   apimodel.State
	solving int // the call of a solve that decides the state and has not been answered; -1: there is none
	seen    map[int32]struct{}
	vars    []int32 // that it has named, in order of first occurrence
	pending []int32 // assumptions since the last solve
	assumed []int32 // assumptions of the last solve
}

type requestKind uint8

const (
	requestHead    requestKind = iota // the first line of a trace
	requestSetting                    // an option that the user set
	requestCall
	requestImplied // a call that is not in the trace: an init or a final release
	requestEnd
)

// A request is a line that was sent and is to be answered by one line.
type request struct {
	job  *pipeJob
	kind requestKind
	call int // of the trace that it belongs to; the number of calls for a final release
	op   apimodel.Op
	lits []int32 // of model: the variables in use; of core: the assumptions
	s    *pipeSolver
}

const (
	// mostAhead is how many lines are sent without an answer.
	mostAhead = 4096
	// sendAt is how many bytes are sent together.
	sendAt = 16 << 10
)

const endLine = "end"

// run sends one trace and returns when the last of it is sent, or the runner has
// not answered as it must.
func (w *pipeWalk) run(job *pipeJob) error {
	t := job.t
	job.begun = time.Now()
	job.outputFrom = w.p.outputSize()
	*job.run = trace.Run{Answers: job.run.Answers}
	job.run.Answers.Reset()
	for range t.Calls {
		job.run.Answers.Of = append(job.run.Answers.Of, trace.Answer{})
	}
	if len(w.waiting) == w.head {
		if line := w.p.pending(); line != nil {
			return violation(w.p.target, "it wrote a line that nothing had asked for: %s", shown(line))
		}
	}
	w.unsent = append(append(w.unsent, "ipafuzz 1 "...), t.Model.Name...)
	if err := w.sent(request{job: job, kind: requestHead}); err != nil {
		return err
	}
	for i := range t.Calls {
		if job.threw {
			break
		}
		if err := w.call(job, i); err != nil {
			return err
		}
	}
	for _, instance := range job.order {
		s := job.solvers[instance]
		if s.state == apimodel.None || job.threw {
			continue
		}
		w.line(instance, "release")
		if err := w.sent(request{job: job, kind: requestImplied, call: len(t.Calls), op: apimodel.OpRelease}); err != nil {
			return err
		}
	}
	w.unsent = append(w.unsent, endLine...)
	return w.sent(request{job: job, kind: requestEnd, call: len(t.Calls)})
}

func (w *pipeWalk) line(instance uint16, words string) {
	if instance != 0 {
		w.unsent = strconv.AppendUint(append(w.unsent, '@'), uint64(instance), 10)
		w.unsent = append(w.unsent, ' ')
	}
	w.unsent = append(w.unsent, words...)
}

// call makes one call of the trace, or says why it is not made.
func (w *pipeWalk) call(job *pipeJob, i int) error {
	c := &job.t.Calls[i]
	row := w.model.Call(c.Op)
	s := job.solvers[c.Instance]
	needsSolver := c.Op != apimodel.OpInit && c.Op != apimodel.OpSignature
	if s == nil && c.Op != apimodel.OpSignature {
		if len(job.solvers) >= trace.MaxInstances {
			return trace.ErrTooManyInstances
		}
		s = &pipeSolver{solving: -1, seen: make(map[int32]struct{})}
		if job.solvers == nil {
			job.solvers = make(map[uint16]*pipeSolver, 2)
		}
		job.solvers[c.Instance], job.order = s, append(job.order, c.Instance)
		if needsSolver {
			w.line(c.Instance, "init")
			if err := w.init(request{job: job, kind: requestImplied, call: i, op: apimodel.OpInit, s: s}, c.Instance); err != nil {
				return err
			}
			if job.threw {
				return nil
			}
		}
	}
	if s == nil { // a signature before anything else: the state does not count
		s = &pipeSolver{solving: -1}
	}
	for s.solving >= 0 && row.Legal&w.solved != w.solved {
		if err := w.answer(); err != nil {
			return err
		}
	}
	if job.threw {
		return nil
	}
	s.name(job.t, c)
	answer := &job.run.Answers.Of[i]
	if s.solving < 0 && !row.Legal.Has(s.state) {
		answer.Kind = trace.Withheld
		return nil
	}
	if !w.p.description.Has(row.Optional) {
		answer.Kind = trace.Unsupported
		return nil
	}
	r := request{job: job, kind: requestCall, call: i, op: c.Op, s: s}
	w.unsent = job.t.AppendRequest(w.unsent, i)
	switch c.Op {
	case apimodel.OpInit:
		return w.init(r, c.Instance)
	case apimodel.OpSolve:
		s.solving = i
		return w.sent(r)
	case apimodel.OpModel:
		r.lits = s.vars[:len(s.vars):len(s.vars)]
	case apimodel.OpCore:
		r.lits = s.assumed
	}
	if len(row.Steps) > 0 {
		s.solving = -1
		s.state, _ = row.Leads(s.state, conditionOf(c))
	}
	return w.sent(r)
}

// name takes down what a call names, whether it is made or not.
func (s *pipeSolver) name(t *trace.Trace, c *trace.Call) {
	switch {
	case c.Op == apimodel.OpSolve:
		s.assumed, s.pending = s.pending, nil
	case c.Op.Does(apimodel.Clears):
		s.pending = nil
	case c.Op == apimodel.OpRelease:
		s.pending, s.assumed, s.vars = nil, nil, nil
		clear(s.seen)
	case c.Op.HasLits():
		for _, lit := range t.Args(c) {
			v := trace.Var(lit)
			if _, known := s.seen[v]; !known {
				s.seen[v] = struct{}{}
				s.vars = append(s.vars, v)
			}
		}
		if c.Op == apimodel.OpAssume {
			s.pending = append(s.pending, t.Lit(c))
		}
	}
}

// init sends the init whose line was begun, and what the user set.
func (w *pipeWalk) init(r request, instance uint16) error {
	r.s.state = apimodel.Start
	if err := w.sent(r); err != nil {
		return err
	}
	for _, set := range w.p.target.Settings {
		if r.job.threw {
			return nil
		}
		w.line(instance, "option "+set.Name+" "+set.Value)
		if err := w.sent(request{job: r.job, kind: requestSetting, call: r.call, op: apimodel.OpOption}); err != nil {
			return err
		}
	}
	return nil
}

func conditionOf(c *trace.Call) apimodel.Condition {
	switch {
	case c.Op != apimodel.OpClause:
		return apimodel.Always
	case c.Flags&trace.Open != 0:
		return apimodel.ClauseOpen
	}
	return apimodel.ClauseClosed
}

// sent notes a request whose line was put together, ends the line, and sees to
// it that the runner is not too far behind.
func (w *pipeWalk) sent(r request) error {
	w.unsent = append(w.unsent, '\n')
	w.waiting = append(w.waiting, r)
	switch ahead := len(w.waiting) - w.head; {
	case w.lockStep:
		return w.answer()
	case ahead >= mostAhead:
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

func (w *pipeWalk) flush() error {
	if len(w.unsent) == 0 {
		return nil
	}
	w.p.busy.Store(true)
	err := w.p.write(w.unsent)
	w.unsent = w.unsent[:0]
	return err
}

// drain waits for all answers.
func (w *pipeWalk) drain() error {
	for w.head < len(w.waiting) {
		if err := w.answer(); err != nil {
			return err
		}
	}
	w.p.busy.Store(false)
	return nil
}

// answer waits for the answer to the oldest request.
func (w *pipeWalk) answer() error {
	if err := w.flush(); err != nil {
		return err
	}
	line, err := w.p.line()
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
		w.end(r.job)
	}
	return nil
}

func (w *pipeWalk) end(job *pipeJob) {
	job.run.Usage = trace.Usage{WallNanos: uint64(time.Since(job.begun)), PeakKB: w.p.peakKB.Load()}
	w.p.serial.Add(1)
	w.finished(job)
}

// afterSolve returns the states that a solve may lead to.
func afterSolve(m *apimodel.Model) apimodel.States {
	states := apimodel.Set(apimodel.Input)
	for _, step := range m.Call(apimodel.OpSolve).Steps {
		states |= apimodel.Set(step.Then)
	}
	return states
}

// newPipeWalk prepares a runner for traces.
func newPipeWalk(p *pipeProcess, lockStep bool, finished func(*pipeJob)) *pipeWalk {
	return &pipeWalk{p: p, model: p.target.Model, lockStep: lockStep, finished: finished, solved: afterSolve(p.target.Model)}
}

// blame makes the run of the trace in which the runner ended.
func (w *pipeWalk) blame() (job *pipeJob, sure bool) {
	r := &w.waiting[w.head]
	job = r.job
	run := job.run
	run.Call = min(r.call, len(job.t.Calls))
	run.End = trace.End(w.p.end.Load())
	if run.End == trace.Finished {
		run.End, run.Death = deathOf(w.p.state.Sys().(syscall.WaitStatus))
	}
	run.Death.Stderr = w.p.tail(job.outputFrom, toTheEnd)
	run.Usage = trace.Usage{WallNanos: uint64(time.Since(job.begun)), PeakKB: w.p.peakKB.Load()}
	for i := run.Call; i < len(run.Answers.Of); i++ { // what was known beforehand
		run.Answers.Of[i] = trace.Answer{}
	}
	return job, len(w.waiting)-w.head == 1
}

// named adds the trace to an error about the protocol: the one whose answer was
// wrong, else the one in progress.
func (w *pipeWalk) named(err error, running *trace.Trace) error {
	var violated *ProtocolError
	if errors.As(err, &violated) {
		if w.wronged != nil {
			running = w.wronged.t
		}
		violated.Trace = running.Clone()
	}
	return err
}
