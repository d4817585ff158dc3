package replay

import (
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"
	"syscall"

	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Stream keeps a worker busy: batches are posted ahead and collected in
// order, while the worker runs the next ones. When the worker dies, the trace
// in progress gets the blame, a new worker is started, and what was posted
// behind it runs there.
type Stream struct {
	target  *Target
	way     Way
	limits  Limits
	layout  worker.Layout
	heap    int
	whole   bool
	process *process // nil when there is none that can run anything
	hello   worker.Hello
	encoder trace.Encoder

	running     atomic.Pointer[process] // the last that was started
	interrupted atomic.Bool

	posted    []*Batch // oldest first
	numbers   []uint32 // their numbers in the process
	collected uint32   // the number behind the last batch that was collected
	ran       int      // traces that the process has run
	single    *Batch   // whose traces are run one a process, because one of them writes over the records of others
}

var (
	errNoProcess   = errors.New("the stream has no worker: it was closed, or its last one could not be started")
	errInterrupted = errors.New("the stream was interrupted")
)

// ErrTooLarge is returned for a trace that no memory can be made for.
var ErrTooLarge = fmt.Errorf("the trace and its answers take more than %d words, the most that a worker is given", mostWords)

// mostWords is beyond every trace that the limits of the parser let through.
const mostWords = 1 << 28

// QueueOptions size a stream.
type QueueOptions struct {
	Ahead       int // batches that can be posted before one is collected, at least 1
	Traces      int // traces in a batch
	TraceWords  int // space for the traces of a batch
	AnswerWords int // space for their answers
	HeapStride  int // fill Usage.HeapDelta of every so many traces, at about a microsecond each; 0: of none
	// Whole: Post takes every trace of a batch, whatever memory that takes.
	// Without it the memory grows for the first trace of a batch alone.
	Whole bool
}

// DefaultQueue suits tiny traces: a batch is half a millisecond of work.
var DefaultQueue = QueueOptions{Ahead: 6, Traces: 64, TraceWords: 1 << 17, AnswerWords: 1 << 16}

// OpenStream starts a worker for the target.
func OpenStream(t *Target, way Way, limits Limits, o QueueOptions) (*Stream, error) {
	s := &Stream{target: t, way: way, limits: limits, heap: o.HeapStride, whole: o.Whole,
		layout: worker.Layout{Slots: o.Ahead, Jobs: o.Traces, AnswerWords: o.AnswerWords, TraceWords: o.TraceWords}}
	return s, s.restart()
}

// restart puts a new process in the place of the one there is. Without one, when
// it fails, the stream is of no more use.
func (s *Stream) restart() error {
	s.Close()
	s.ran, s.collected = 0, 0
	p, err := startProcess(s.target, s.way, s.limits, s.layout, s.heap)
	if err != nil {
		return err
	}
	s.running.Store(p)
	if s.interrupted.Load() {
		p.kill()
	}
	if err := p.greet(); err != nil {
		return err
	}
	s.process, s.hello = p, p.hello
	return nil
}

// Interrupt ends the process, from any goroutine; the Collect in progress
// returns an error and the stream is of no more use.
func (s *Stream) Interrupt() {
	s.interrupted.Store(true)
	if p := s.running.Load(); p != nil {
		p.kill()
	}
}

// SetLimits changes the limits, from the next process on.
func (s *Stream) SetLimits(limits Limits) { s.limits = limits }

// Signature is what the library called itself when it was loaded.
func (s *Stream) Signature() string { return s.hello.Signature }

// CanPost reports whether there is room for another batch.
func (s *Stream) CanPost() bool { return len(s.posted) < s.layout.Slots }

// Post hands a batch to the worker and returns how many of its traces were
// taken; the batch is cut to these. It belongs to the stream until it is
// collected.
func (s *Stream) Post(b *Batch) (int, error) {
	switch {
	case s.process == nil:
		return 0, errNoProcess
	case len(b.Traces) == 0:
		return 0, errors.New("a batch without traces was posted")
	case !s.CanPost():
		return 0, errors.New("a batch was posted with as many ahead as the stream has room for")
	}
	b.Fresh, b.Done = 0, 0
	for {
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
	b.Traces = b.Traces[:n]
	if cap(b.Runs) < n {
		b.Runs = make([]trace.Run, n)
		b.Before = make([]int, n)
	}
	b.Runs, b.Before = b.Runs[:n], b.Before[:n]
	return n, nil
}

func (s *Stream) slot(number uint32) *worker.Slot { return s.process.memory.Slot(number) }

// post puts as many of the batch's remaining traces into the next slot as fit.
func (s *Stream) post(b *Batch) error {
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
	s.process.posted.Add(uint64(slot.Len()))
	s.process.memory.Post()
	s.posted, s.numbers = append(s.posted, b), append(s.numbers, next)
	return nil
}

// A spaceError says what the memory of a batch lacks.
type spaceError struct{ traces, answers int } // words that must fit

func (e *spaceError) Error() string {
	return fmt.Sprintf("a batch takes %d words and %d for the answers", e.traces, e.answers)
}

// grow makes room for large traces: a new worker with larger memory, in which
// what was posted and is not collected runs again.
func (s *Stream) grow(need *spaceError) error {
	if need.traces > mostWords || need.answers > mostWords {
		return ErrTooLarge
	}
	s.layout.TraceWords = max(s.layout.TraceWords, roundUp(need.traces))
	s.layout.AnswerWords = max(s.layout.AnswerWords, roundUp(need.answers))
	return s.repost()
}

// roundUp returns the power of two above n, so that few traces make a worker
// grow again.
func roundUp(n int) int { return 1 << bits.Len(uint(n)) }

// Collect waits for the oldest batch that is not complete and fills in runs: all
// that are left, or those up to a death, so that its finder need not wait for
// what a new process makes of the rest.
func (s *Stream) Collect() (*Batch, error) {
	if len(s.posted) == 0 {
		return nil, errors.New("no batch was posted")
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
			return nil, errInterrupted
		}
		if err := s.process.broken(); err != nil {
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
		} else if stillborn == maxStillborn {
			return nil, fmt.Errorf("%d workers in a row for target %s ended before their first trace (%v)", stillborn, s.target.Name, s.process.state)
		}
		if err := s.repost(); err != nil || b.Done > b.Fresh && s.single == nil {
			return b, err
		}
	}
}

// maxStillborn is how often a worker may end before it has begun a trace until
// that is called a failure of the surroundings.
const maxStillborn = 3

// takeUpTo takes the first n traces of a slot. It returns false when it met a
// record that makes no sense: then nothing more can be had from this process.
func (s *Stream) takeUpTo(b *Batch, number uint32, n int) (whole bool, err error) {
	first := b.Done
	for i := range n {
		job := s.slot(number).Job(i)
		sound := s.fill(b, job)
		if !sound {
			return false, s.suspect(b, job)
		}
		s.taken(b)
	}
	if s.way == Persistent {
		s.handOut(s.slot(number), b.Runs[first:b.Done])
	}
	return true, nil
}

// suspect deals with the record of a trace that makes no sense. The trace wrote
// over it, or another one did. A single process for each tells which.
func (s *Stream) suspect(b *Batch, job worker.Job) error {
	if s.ran > 0 || b != s.single {
		s.single = b
		return nil
	}
	if job.Err != nil && job.Err != worker.ErrScribbled {
		return fmt.Errorf("target %s: %w", s.target.Name, job.Err)
	}
	if s.way == Fork && job.NoFork {
		return fmt.Errorf("target %s: a worker could not fork", s.target.Name)
	}
	run := &b.Runs[b.Done]
	run.Answers.Reset()
	run.End, run.Call = trace.Killed, min(job.Call, len(b.Traces[b.Done].Calls))
	// A target that writes over the answers has corrupted the process as surely
	// as one that crashed it.
	run.Death = trace.Death{Signal: int(syscall.SIGSEGV), Stderr: "(no crash: " + worker.ErrScribbled.Error() + ")"}
	if s.way == Fork && job.WaitStatus > 0 && job.WaitStatus <= 0xffff {
		run.End, run.Death = s.endOfChild(job.Doubtful())
	}
	s.taken(b)
	return nil
}

// bury takes what a dead process has left of a batch: the finished traces, and
// the one that was running, which gets the blame. When the process died between
// two traces, something that the target left behind ended it (a thread, a
// timer), and the trace before gets the blame. Nobody does when it died before
// the first trace of the batch, or of a limit that a trace went beyond which
// has finished all the same.
func (s *Stream) bury(b *Batch, number uint32) error {
	s.process.kill()
	<-s.process.exited
	where, slot := s.process.memory.Where(), s.slot(number)
	credible := s.process.credible()
	if where.Serial == uint64(s.ran) && credible {
		return nil
	}
	index := where.Job
	known := where.Batch == number && index < slot.Len() && where.Serial == uint64(s.ran+index+1) && credible
	if !known {
		if s.ran > 0 || b != s.single {
			s.single = b
			return nil
		}
		for index = 0; index < slot.Len()-1 && slot.Job(index).Finished; index++ {
		}
	}
	if whole, err := s.takeUpTo(b, number, index); !whole {
		return err
	}
	if known && s.process.end.Load() != int32(trace.Finished) && s.process.endSerial.Load() != where.Serial {
		return nil
	}
	job := slot.Job(index)
	s.fill(b, job)
	if job.Err == worker.ErrScribbled || !credible {
		job = job.Doubtful()
	}
	run := &b.Runs[b.Done]
	run.End, run.Death = s.endOfProcess(job)
	run.Call = min(job.Call, len(b.Traces[b.Done].Calls))
	s.taken(b)
	return nil
}

func (s *Stream) taken(b *Batch) {
	b.Before[b.Done] = s.ran
	s.ran++
	b.Done++
}

// repost starts a new process for everything that is not finished.
func (s *Stream) repost() error {
	if err := s.restart(); err != nil {
		return err
	}
	if s.single != nil && s.single.Complete() {
		s.single = nil
	}
	posted := append([]*Batch(nil), s.posted...)
	s.posted, s.numbers = s.posted[:0], s.numbers[:0]
	for _, b := range posted {
		switch {
		case b.Complete():
			continue
		case s.single != nil && b != s.single: // nothing else may run in the process
			s.posted = append(s.posted, b)
			continue
		}
		if err := s.post(b); err != nil {
			return err
		}
	}
	return nil
}

// recycle replaces a process that has grown, long before the memory limit would
// end it in the middle of an innocent trace.
func (s *Stream) recycle() error {
	if s.way == Fork || s.limits.Memory == 0 || s.process.peakKB.Load()<<10 < s.limits.Memory/4 {
		return nil
	}
	return s.repost()
}

// fill turns what the worker left of one trace into a run. It returns false
// when that makes no sense; of a trace that the process died in, the answers
// are empty then.
func (s *Stream) fill(b *Batch, job worker.Job) (sound bool) {
	t, run := b.Traces[b.Done], &b.Runs[b.Done]
	run.End, run.Call, run.Death, run.Output = trace.Finished, 0, trace.Death{}, trace.Output{}
	run.Usage = trace.Usage{WallNanos: job.Nanos, PeakKB: s.process.peakKB.Load(), HeapDelta: job.HeapGrowth}
	if job.Err == nil {
		job.Err = trace.DecodeAnswers(t, job.Trace, job.Answers, &run.Answers)
	}
	if job.Err != nil {
		run.Answers.Reset()
		run.Usage = trace.Usage{}
	}
	switch {
	case !s.process.credible(), job.Err == worker.ErrScribbled, s.way == Fork && job.NoFork:
		return false
	case s.way == Fork && (job.WaitStatus != 0 || !job.Finished):
		run.End, run.Death = s.endOfChild(job)
		run.Call = min(job.Call, len(t.Calls))
		return true
	case s.way == Fork && job.OutputTo > job.OutputFrom:
		if text := s.process.uncut(job.OutputCuts, s.process.headAndTail, job.OutputFrom, job.OutputTo); text != "" {
			run.Output = trace.Output{Text: text, Of: 1}
		}
	}
	return job.Finished && job.Err == nil
}

// Close ends the worker.
func (s *Stream) Close() {
	if s.process != nil {
		s.process.close()
		s.process = nil
	}
}
