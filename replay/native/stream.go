package native

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A stream keeps a worker busy: batches are posted ahead and collected in order,
// while the worker runs the next ones. When the worker dies, the trace in progress
// gets the blame, and a new worker runs the traces posted after it.
type stream struct {
	target  *replay.Target
	way     replay.Way
	limits  replay.Limits
	layout  worker.Layout
	heap    int
	whole   bool
	process *workerProcess // nil if there is no worker that can run traces
	hello   worker.Hello
	encoder trace.Encoder

	running     atomic.Pointer[workerProcess] // the last one that was started, without the standby
	interrupted atomic.Bool
	standby     atomic.Pointer[standby] // takes the place of process; nil if there is none
	beside      sync.WaitGroup          // goroutines that start the standby or free what belonged to processes

	posted    []*replay.Batch // oldest first
	numbers   []uint32        // the process's number for each of posted
	collected uint32          // the number after the last batch that was collected
	ran       int             // traces that the process has run
	age       lifetime        // of the process
	idle      bool            // Post starts the next process
	// single is a batch that runs with one process per trace, because one of its traces
	// overwrites the records of others.
	single *replay.Batch
}

var errNoProcess = errors.New("the stream has no worker: it was closed, or its last one could not be started")

// errTooLarge reports a trace that exceeds the memory of a worker.
var errTooLarge = fmt.Errorf("the trace and its answers take more than %d words, the maximum for a worker", maxWords)

// maxWords is more than any trace that the parser accepts takes.
const maxWords = 1 << 28

func openStream(t *replay.Target, way replay.Way, limits replay.Limits, o replay.QueueOptions) (*stream, error) {
	s := &stream{target: t, way: way, limits: limits, heap: o.HeapStride, whole: o.Whole,
		layout: worker.Layout{Slots: o.Ahead, Jobs: o.Traces, AnswerWords: o.AnswerWords, TraceWords: o.TraceWords}}
	if o.Starting == nil {
		return s, s.restart()
	}
	stop := context.AfterFunc(o.Starting, s.Interrupt)
	err := s.restart()
	if !stop() {
		s.Close()
		return nil, o.Starting.Err()
	}
	return s, err
}

// Interrupt ends the process. It may be called from any goroutine. The Collect in progress
// returns an error, and the stream can only be closed.
func (s *stream) Interrupt() {
	s.interrupted.Store(true)
	if p := s.running.Load(); p != nil {
		p.Kill()
	}
	if next := s.standby.Load(); next != nil {
		next.end()
	}
}

// SetLimits changes the limits. The watchdog applies its limits at once; the others apply to
// the next process.
func (s *stream) SetLimits(limits replay.Limits) {
	s.limits = limits
	if p := s.running.Load(); p != nil {
		p.limits.Store(&limits)
	}
}

// Signature returns the name that the library gave itself when it was loaded.
func (s *stream) Signature() string { return s.hello.Signature }

// Description says what the loaded target offers and lacks, according to the target itself,
// its functions and the user.
func (s *stream) Description() (*apimodel.Description, error) {
	d, err := apimodel.ParseDescription(s.hello.Description)
	if err != nil {
		return nil, replay.Unusable(s.target.Name, "its description (ipafuzz_describe) cannot be read: %v", err)
	}
	if s.target.Describe != "" {
		theirs := len(d.Options)
		if d, err = apimodel.ParseDescription(s.hello.Description + "\n" + s.target.Describe); err != nil {
			return nil, replay.Unusable(s.target.Name, "its own description contradicts that of the targets file: %v", err)
		}
		if len(d.Options) > theirs && s.hello.Capabilities&apimodel.CapabilityNamed("options").Bit() == 0 {
			return nil, replay.Unusable(s.target.Name, "the targets file describes options and names no function that sets "+
				"them (set-option)")
		}
	}
	for _, c := range apimodel.Capabilities() {
		if bit := c.Bit(); bit != 0 && s.hello.Capabilities&bit == 0 && s.target.Model.Uses(c.Name) {
			replay.Lack(d, c.Name)
		}
	}
	return d, s.target.Amend(d)
}

// Post hands a batch to the worker and cuts it to the traces that fit.
func (s *stream) Post(b *replay.Batch) (int, error) {
	if s.process == nil && !s.idle {
		return 0, errNoProcess
	}
	if err := b.Admit(len(s.posted), s.layout.Slots); err != nil {
		return 0, err
	}
	for {
		if s.idle {
			if err := s.restart(); err != nil {
				return 0, err
			}
		}
		err := s.post(b)
		if err == nil {
			break
		}
		var lack *spaceError
		if !errors.As(err, &lack) {
			return 0, err
		}
		if err := s.grow(lack); err != nil {
			return 0, err
		}
	}
	n := s.slot(s.numbers[len(s.numbers)-1]).Len()
	b.Cut(n)
	return n, nil
}

func (s *stream) slot(number uint32) *worker.Slot { return s.process.memory.Slot(number) }

// post puts as many of the batch's remaining traces into the next slot as fit.
func (s *stream) post(b *replay.Batch) error {
	next := s.collected
	if n := len(s.numbers); n > 0 {
		next = s.numbers[n-1] + 1
	}
	slot := s.slot(next)
	slot.Clear()
	need := spaceError{}
	for i := b.Done; i < len(b.Traces); i++ {
		encoded, err := s.encoder.Append(slot.Free(), b.Traces[i])
		if err != nil {
			return err
		}
		var seed uint64
		if i < len(b.Seeds) {
			seed = b.Seeds[i]
		}
		answers := trace.AnswerWords(encoded)
		need.traces, need.answers = need.traces+len(encoded), need.answers+answers
		if !slot.Add(encoded, answers, seed) {
			if s.whole && slot.Len() < s.layout.Jobs || slot.Len() == 0 {
				return &need
			}
			break
		}
		if b == s.single {
			break
		}
	}
	s.process.post(slot.Len())
	s.posted, s.numbers = append(s.posted, b), append(s.numbers, next)
	return nil
}

// A spaceError tells how many words of memory a batch needs.
type spaceError struct{ traces, answers int }

// Error returns the message.
func (e *spaceError) Error() string {
	return fmt.Sprintf("a batch takes %d words and %d for the answers", e.traces, e.answers)
}

// grow makes space for large traces: it starts a new worker with more memory, which runs
// everything that was posted and not collected.
func (s *stream) grow(need *spaceError) error {
	if need.traces > maxWords || need.answers > maxWords {
		return errTooLarge
	}
	s.layout.TraceWords = max(s.layout.TraceWords, roundUp(need.traces))
	s.layout.AnswerWords = max(s.layout.AnswerWords, roundUp(need.answers))
	return s.repost()
}

// roundUp returns the next power of two above n, so that workers grow rarely.
func roundUp(n int) int { return 1 << bits.Len(uint(n)) }

// Collect waits for the oldest batch and fills in its remaining runs. If the process dies in
// a trace, Collect returns the runs up to that trace, and a new process runs the rest.
func (s *stream) Collect() (*replay.Batch, error) {
	if len(s.posted) == 0 {
		return nil, replay.ErrNoBatch
	}
	b := s.posted[0]
	b.Fresh = b.Done
	for stillborn := 0; ; {
		if s.process == nil {
			return nil, errNoProcess
		}
		before := b.Done
		number := s.numbers[0]
		alive := s.process.wait(number, s.numbers[len(s.numbers)-1])
		if s.interrupted.Load() {
			return nil, replay.ErrInterrupted
		}
		if err := s.process.Broken(); err != nil {
			return nil, err
		}
		if alive && !s.process.scribbled.Load() {
			whole, err := s.takeUpTo(b, number, s.slot(number).Len())
			if err != nil {
				return nil, err
			}
			if whole && b.Complete() {
				s.posted, s.numbers = s.posted[1:], s.numbers[1:]
				s.collected = number + 1
				if s.single != nil {
					return b, s.repost()
				}
				return b, s.recycle()
			}
		} else if err := s.bury(b, number); err != nil {
			return nil, err
		}
		if stillborn++; b.Done > before {
			stillborn = 0
		} else if stillborn == process.MaxStillborn {
			return nil, s.stillborn()
		}
		if err := s.repost(); err != nil || b.Done > b.Fresh && s.single == nil {
			return b, err
		}
	}
}

// stillborn is the error for workers that end again and again before they begin a trace.
func (s *stream) stillborn() error {
	if end := trace.End(s.process.end.Load()); end != trace.Finished && s.process.Gone() {
		return replay.Unusable(s.target.Name, "it exceeded the %v before its first trace, in each of %d processes", end,
			process.MaxStillborn)
	}
	return fmt.Errorf("%d workers in a row for target %s ended before their first trace (%v)", process.MaxStillborn,
		s.target.Name, s.process.State)
}

// takeUpTo fills in the runs of the first n traces of a slot. It stops and returns false if a
// record makes no sense: then nothing else from this process is credible.
func (s *stream) takeUpTo(b *replay.Batch, number uint32, n int) (whole bool, err error) {
	first := b.Done
	for i := range n {
		job := s.slot(number).Job(i)
		sound := s.fill(b, job)
		if !sound {
			return false, s.suspect(b, job)
		}
		s.taken(b)
	}
	if s.way == replay.Persistent {
		s.handOut(s.slot(number), b.Runs[first:b.Done])
	}
	return true, nil
}

func (s *stream) taken(b *replay.Batch) {
	if s.ran == 0 {
		s.age.warmed(time.Duration(b.Runs[b.Done].Usage.WallNanos))
	}
	b.Before[b.Done] = s.ran
	s.ran++
	b.Done++
}

// repost starts a new process for all unfinished traces. If there are none, Post will start it.
func (s *stream) repost() error {
	unfinished := slices.DeleteFunc(slices.Clone(s.posted), (*replay.Batch).Complete)
	if len(unfinished) == 0 {
		if s.retire() {
			s.prepareStandby()
		}
		s.posted, s.numbers, s.single, s.idle = s.posted[:0], s.numbers[:0], nil, true
		return nil
	}
	if err := s.restart(); err != nil {
		return err
	}
	if s.single != nil && s.single.Complete() {
		s.single = nil
	}
	s.posted, s.numbers = s.posted[:0], s.numbers[:0]
	for _, b := range unfinished {
		if s.single != nil && b != s.single { // only single may run in the process
			s.posted = append(s.posted, b)
			continue
		}
		if err := s.post(b); err != nil {
			return err
		}
	}
	return nil
}

// PeakKB implements replay.Peaks.
func (s *stream) PeakKB() (resident, space uint64) {
	if s.process == nil {
		return 0, 0
	}
	resident, space = process.PeakMemory(s.process.PID)
	return resident >> 10, space >> 10
}

// recycle replaces a process that has run long enough. It also replaces one that has used a part
// of its memory, files or CPU time, long before an innocent trace could exceed a limit in it.
func (s *stream) recycle() error {
	if s.process.files.IsLarge() {
		return s.repost()
	}
	if s.way == replay.Fork {
		return nil
	}
	large := s.limits.Memory > 0 && s.process.peakKB.Load()<<10 >= s.limits.Memory/4
	cpu, _ := cpuTime(s.process.PID)
	if !large && !process.IsSpent(cpu, s.process.Ward.CPU) && !s.age.isOver() {
		return nil
	}
	return s.repost()
}

// fill turns the worker's record of one trace into a run. It returns false if the record makes
// no sense, or if the trace did not finish in a worker that does not fork.
func (s *stream) fill(b *replay.Batch, job worker.Job) (sound bool) {
	t, run := b.Traces[b.Done], &b.Runs[b.Done]
	run.End, run.Call, run.Death, run.Output = trace.Finished, 0, trace.Death{}, trace.Output{}
	run.FailedAllocation, run.FailedEarlier = min(job.FailedAllocation, len(t.Calls)+1), job.FailedEarlier
	run.Usage = trace.Usage{WallNanos: job.Nanos, PeakKB: s.process.peakKB.Load(), HeapDelta: job.HeapGrowth}
	if job.Err == nil {
		job.Err = trace.DecodeAnswers(t, job.Trace, job.Answers, &run.Answers)
	}
	if job.Err != nil || !s.process.credible() {
		run.FailedAllocation, run.FailedEarlier = 0, false // the target may have overwritten these, too
	}
	if job.Err != nil {
		run.Answers.Reset()
		run.Usage = trace.Usage{}
	}
	switch {
	case !s.process.credible(), job.Err == worker.ErrScribbled, s.way == replay.Fork && job.NoFork:
		return false
	case s.way == replay.Fork && (job.WaitStatus != 0 || !job.Finished):
		run.End, run.Death = s.endOfChild(job)
		run.Call = min(job.Call, len(t.Calls))
		return true
	case s.way == replay.Fork && job.OutputTo > job.OutputFrom:
		if text := s.process.uncut(job.OutputCuts, s.process.HeadAndTail, job.OutputFrom, job.OutputTo); text != "" {
			run.Output = trace.Output{Text: text, Of: 1}
		}
	}
	return job.Finished && job.Err == nil
}

// Close ends the worker and the standby.
func (s *stream) Close() {
	s.idle = false
	s.dropStandby()
	s.retire()
	s.beside.Wait()
}
