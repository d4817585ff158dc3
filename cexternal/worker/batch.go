package worker

/*
#include "worker.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
)

// A Slot is one place of the ring: a batch of traces and their answers.
type Slot struct {
	memory  *Memory
	tasks   []C.struct_ipafuzz_task
	traces  []uint32
	jobs    []C.struct_ipafuzz_job
	stacks  []C.struct_ipafuzz_stack
	answers []uint32
	copied  []uint32 // a copy of the answers, out of the target's reach

	// The places of the traces.
	placed      []place
	usedAnswers int
	usedTraces  int
}

type place struct{ trace, words, answers, space int }

// Slot returns the place of the batch with the number.
func (m *Memory) Slot(batch uint32) *Slot { return m.ring[int(batch)%m.layout.Slots] }

func (m *Memory) newSlot(number int) *Slot {
	c, l, n := m.orders, m.layout, uint64(number)
	slot := m.bytes[uint64(c.slot_offset)+n*uint64(c.slot_bytes):][:uint64(c.slot_bytes)]
	tasks := m.bytes[uint64(c.tasks_offset)+n*uint64(c.tasks_bytes):][:uint64(c.tasks_bytes)]
	s := &Slot{
		memory:  m,
		tasks:   unsafe.Slice((*C.struct_ipafuzz_task)(unsafe.Pointer(&tasks[0])), l.Jobs),
		traces:  unsafe.Slice((*uint32)(unsafe.Pointer(&tasks[m.tasks])), l.TraceWords),
		jobs:    unsafe.Slice((*C.struct_ipafuzz_job)(unsafe.Pointer(&slot[0])), l.Jobs),
		answers: unsafe.Slice((*uint32)(unsafe.Pointer(&slot[m.jobs])), l.AnswerWords),
	}
	first := &slot[l.Jobs*C.sizeof_struct_ipafuzz_job]
	s.stacks = unsafe.Slice((*C.struct_ipafuzz_stack)(unsafe.Pointer(first)), l.Jobs)
	return s
}

// between returns the bytes from a record to its stack.
func between(job *C.struct_ipafuzz_job, stack *C.struct_ipafuzz_stack) C.uint64_t {
	return C.uint64_t(uintptr(unsafe.Pointer(stack)) - uintptr(unsafe.Pointer(job)))
}

// Clear empties the slot for a new batch.
func (s *Slot) Clear() {
	s.placed, s.usedAnswers, s.usedTraces = s.placed[:0], 0, 0
	s.tasks[0].trace_words = 0
}

// Free returns the space for the next trace, to append it to before Add.
func (s *Slot) Free() []uint32 { return s.traces[s.usedTraces:s.usedTraces] }

// Add adds an encoded trace. If it was appended to Free and fitted, it is already in the
// slot's memory. Add returns false if the batch is full.
func (s *Slot) Add(encoded []uint32, answerWords int, seed uint64) bool {
	n := len(s.placed)
	if n == len(s.jobs) || len(encoded) > len(s.traces)-s.usedTraces || answerWords > len(s.answers)-s.usedAnswers {
		return false
	}
	copy(s.traces[s.usedTraces:], encoded) // no change if the trace is already there
	p := place{trace: s.usedTraces, words: len(encoded), answers: s.usedAnswers, space: answerWords}
	task, job := &s.tasks[n], &s.jobs[n]
	task.trace_offset, task.trace_words = C.uint64_t(s.memory.tasks+4*p.trace), C.uint64_t(p.words)
	task.answer_offset, task.answer_room = C.uint64_t(s.memory.jobs+4*p.answers), C.uint64_t(p.space)
	task.seed = C.uint64_t(seed)
	job.progress = C.struct_ipafuzz_progress{}
	job.begun, job.finished, job.result, job.wait_status, job.num_frames = 0, 0, 0, 0, 0
	job.signal, job.code, job.other_thread, job.address, job.nanos = 0, 0, 0, 0, 0
	job.output_from, job.output_to, job.output_cuts, job.output_looked, job.heap_growth = 0, 0, 0, 0, 0
	job.stack_offset = between(job, &s.stacks[n])
	s.placed = append(s.placed, p)
	s.usedTraces += p.words
	s.usedAnswers += p.space
	if n+1 < len(s.jobs) {
		s.tasks[n+1].trace_words = 0 // ends the batch
	}
	return true
}

// Len returns the number of traces in the batch.
func (s *Slot) Len() int { return len(s.placed) }

// HasBegun reports whether the worker has begun trace i, or something was written over its record.
func (s *Slot) HasBegun(i int) bool { return s.jobs[i].begun != 0 || s.jobs[i].signal != 0 }

// A Job is the worker's record of one trace.
type Job struct {
	Trace    []uint32 // encoded, untouched by the target
	Answers  []uint32 // the complete answers
	Call     int      // the call in progress when it ended
	Finished bool
	Err      error // the executor did not run the trace

	WaitStatus int  // fork mode
	NoFork     bool // fork mode: fork failed, so the trace did not run
	Crash
	Nanos      uint64
	OutputFrom int64
	OutputCuts uint32 // how often the output file had been cut before
	OutputTo   int64  // fork mode, and the last of a batch
	HeapGrowth int64
	// FailedAllocation is 1 + the call in which the worker made an allocation fail; 0: none.
	FailedAllocation int
	FailedEarlier    bool // it made one fail in an earlier trace
	InInit           bool // the call was making a solver when the process ended
}

// A Crash is what the handler in the worker recorded.
type Crash struct {
	Signal, Code int  // Signal is 0 if there was none
	OtherThread  bool // it was not in the thread that makes the calls
	Address      uint64
	Frames       []Frame
}

// A Frame is one place on the stack of a crash.
type Frame struct {
	Module string
	Offset uint64
}

const (
	maxSignal = 64
	maxStatus = 0xffff
)

// ErrScribbled is the error of a job whose record makes no sense: the target overwrote
// it.
var ErrScribbled = errors.New("the target wrote over ipafuzz's memory")

// Doubtful returns the part of an overwritten record that may be used: where the trace
// ended, if that part is intact.
func (j Job) Doubtful() Job { return Job{Call: j.Call, WaitStatus: j.WaitStatus} }

// An Output is the position in the output file at which the output of a trace begins.
type Output struct {
	From int64
	Cuts uint32 // how often the file had been cut before
	// Looked means that the worker measured From just before this trace. Otherwise From is
	// the position of an earlier trace, and any trace since then may have written the output.
	Looked bool
}

// Output returns where the output of trace i begins. If i is the number of traces, it
// returns the end of the output of the batch.
func (s *Slot) Output(i int) Output {
	if i == len(s.placed) {
		j := &s.jobs[i-1]
		return Output{int64(j.output_to), uint32(j.output_cuts), true}
	}
	j := &s.jobs[i]
	return Output{int64(j.output_from), uint32(j.output_cuts), j.output_looked == 1}
}

// OutputCuts returns how often the output file has been cut.
func (m *Memory) OutputCuts() uint32 { return load(&m.control.output_cuts) }

// Job reads the worker's record of trace i. Its slices belong to the slot and are
// valid until the next call.
func (s *Slot) Job(i int) Job {
	j, p := &s.jobs[i], s.placed[i]
	out := Job{
		Trace: s.traces[p.trace : p.trace+p.words],
		Call:  int(j.progress.call), Finished: j.finished == 1, WaitStatus: int(j.wait_status),
		Crash: crashOf(j, &s.stacks[i]), Nanos: uint64(j.nanos),
		OutputFrom: int64(j.output_from), OutputTo: int64(j.output_to), OutputCuts: uint32(j.output_cuts),
		HeapGrowth: int64(j.heap_growth), FailedAllocation: int(j.progress.failed_allocation),
		FailedEarlier: j.progress.failed_earlier == 1, InInit: j.progress.in_init == j.progress.call+1,
	}
	out.NoFork = out.WaitStatus == -1 && out.Call == 0 && !out.Finished
	used := int(j.progress.answer_words)
	badStatus := !out.NoFork && (out.WaitStatus < 0 || out.WaitStatus > maxStatus)
	if j.begun != C.IPAFUZZ_BEGUN || used > p.space || j.finished > 1 || int(j.num_frames) > C.IPAFUZZ_FRAMES ||
		out.Signal < 0 || out.Signal > maxSignal || badStatus {
		out.Err, out.Frames = ErrScribbled, nil
		return out
	}
	s.copied = append(s.copied[:0], s.answers[p.answers:p.answers+used]...)
	out.Answers = s.copied
	if out.Finished {
		out.Err = exec.ResultError(int32(j.result))
	}
	return out
}

// Idle reads the worker's record of a crash between two batches.
func (m *Memory) Idle() Crash {
	c := crashOf(&m.control.idle, &m.control.idle_stack)
	if c.Signal < 0 || c.Signal > maxSignal {
		return Crash{}
	}
	return c
}

func crashOf(j *C.struct_ipafuzz_job, stack *C.struct_ipafuzz_stack) Crash {
	c := Crash{Signal: int(j.signal), Code: int(j.code), OtherThread: j.other_thread == 1, Address: uint64(j.address)}
	for k := range min(int(j.num_frames), C.IPAFUZZ_FRAMES) {
		frame := &stack.frames[k]
		c.Frames = append(c.Frames, Frame{Module: text(frame.module[:]), Offset: uint64(frame.offset)})
	}
	return c
}
