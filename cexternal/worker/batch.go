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
	answers []uint32
	copied  []uint32 // of the answers, out of the target's reach

	// What the parent placed where.
	placed      []place
	usedAnswers int
	usedTraces  int
}

type place struct{ trace, words, answers, room int }

// Slot returns the place of a batch, by the batch's number.
func (m *Memory) Slot(batch uint32) *Slot { return m.ring[int(batch)%m.layout.Slots] }

func (m *Memory) newSlot(number int) *Slot {
	c, l, n := m.orders, m.layout, uint64(number)
	slot := m.bytes[uint64(c.slot_offset)+n*uint64(c.slot_bytes):][:uint64(c.slot_bytes)]
	tasks := m.bytes[uint64(c.tasks_offset)+n*uint64(c.tasks_bytes):][:uint64(c.tasks_bytes)]
	return &Slot{
		memory:  m,
		tasks:   unsafe.Slice((*C.struct_ipafuzz_task)(unsafe.Pointer(&tasks[0])), l.Jobs),
		traces:  unsafe.Slice((*uint32)(unsafe.Pointer(&tasks[m.tasks])), l.TraceWords),
		jobs:    unsafe.Slice((*C.struct_ipafuzz_job)(unsafe.Pointer(&slot[0])), l.Jobs),
		answers: unsafe.Slice((*uint32)(unsafe.Pointer(&slot[m.jobs])), l.AnswerWords),
	}
}

// Clear empties the slot for a new batch.
func (s *Slot) Clear() {
	s.placed, s.usedAnswers, s.usedTraces = s.placed[:0], 0, 0
	s.tasks[0].trace_words = 0
}

// Free returns the space for the next trace; what is appended to it is handed
// to Add.
func (s *Slot) Free() []uint32 { return s.traces[s.usedTraces:s.usedTraces] }

// Add takes an encoded trace, which stands in the slot's own memory when it was
// appended to Free and fitted. It returns false when the batch is full.
func (s *Slot) Add(encoded []uint32, answerWords int, seed uint64) bool {
	n := len(s.placed)
	if n == len(s.jobs) || len(encoded) > len(s.traces)-s.usedTraces || answerWords > len(s.answers)-s.usedAnswers {
		return false
	}
	copy(s.traces[s.usedTraces:], encoded) // nothing to do when it stands there already
	p := place{trace: s.usedTraces, words: len(encoded), answers: s.usedAnswers, room: answerWords}
	task, job := &s.tasks[n], &s.jobs[n]
	task.trace_offset, task.trace_words = C.uint64_t(s.memory.tasks+4*p.trace), C.uint64_t(p.words)
	task.answer_offset, task.answer_room = C.uint64_t(s.memory.jobs+4*p.answers), C.uint64_t(p.room)
	task.seed = C.uint64_t(seed)
	job.progress = C.struct_ipafuzz_progress{}
	job.begun, job.finished, job.result, job.wait_status, job.num_frames = 0, 0, 0, 0, 0
	job.signal, job.code, job.other_thread, job.address, job.nanos = 0, 0, 0, 0, 0
	job.output_from, job.output_to, job.output_cuts, job.output_looked, job.heap_growth = 0, 0, 0, 0, 0
	s.placed = append(s.placed, p)
	s.usedTraces += p.words
	s.usedAnswers += p.room
	if n+1 < len(s.jobs) {
		s.tasks[n+1].trace_words = 0 // ends the batch
	}
	return true
}

// Len returns the number of traces in the batch.
func (s *Slot) Len() int { return len(s.placed) }

// A Job is what the worker left of one trace.
type Job struct {
	Trace    []uint32 // encoded, untouched by the target
	Answers  []uint32 // the complete answers
	Call     int      // the call in progress when it ended
	Finished bool
	Err      error // the executor did not run the trace

	WaitStatus   int  // fork mode
	NoFork       bool // fork mode: there was no process for it
	Signal, Code int
	OtherThread  bool // the crash was not in the thread that makes the calls
	Address      uint64
	Frames       []Frame
	Nanos        uint64
	OutputFrom   int64
	OutputCuts   uint32 // how often the output file had been cut before
	OutputTo     int64  // fork mode, and the last of a batch
	HeapGrowth   int64
}

// A Frame is one place on the stack of a crash.
type Frame struct {
	Module string
	Offset uint64
}

const (
	mostSignal = 64
	mostStatus = 0xffff
)

// ErrScribbled is the error of a job whose record makes no sense: the target
// wrote over it.
var ErrScribbled = errors.New("the target wrote over ipafuzz's memory")

// Doubtful returns what of a record may be used that was written over: where it
// ended, if that is true.
func (j Job) Doubtful() Job { return Job{Call: j.Call, WaitStatus: j.WaitStatus} }

// An Output says where in the output file the output of some traces of a batch
// begins.
type Output struct {
	From int64
	Cuts uint32 // how often the file had been cut before
	// Looked: nothing in front of it is this trace's. Otherwise the place is that
	// of a trace before, and which of them wrote what is not known.
	Looked bool
}

// Output returns where the output of trace i begins; the number of traces
// stands for the end of the batch.
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

// Job reads what the worker left of trace i. The slices are the slot's own and
// hold until the next call.
func (s *Slot) Job(i int) Job {
	j, p := &s.jobs[i], s.placed[i]
	out := Job{
		Trace: s.traces[p.trace : p.trace+p.words],
		Call:  int(j.progress.call), Finished: j.finished == 1, WaitStatus: int(j.wait_status),
		Signal: int(j.signal), Code: int(j.code), OtherThread: j.other_thread == 1, Address: uint64(j.address), Nanos: uint64(j.nanos),
		OutputFrom: int64(j.output_from), OutputTo: int64(j.output_to), OutputCuts: uint32(j.output_cuts), HeapGrowth: int64(j.heap_growth),
	}
	out.NoFork = out.WaitStatus == -1 && out.Call == 0 && !out.Finished
	used := int(j.progress.answer_words)
	if j.begun != C.IPAFUZZ_BEGUN || used > p.room || j.finished > 1 || int(j.num_frames) > C.IPAFUZZ_FRAMES || out.Signal < 0 || out.Signal > mostSignal ||
		!out.NoFork && (out.WaitStatus < 0 || out.WaitStatus > mostStatus) {
		out.Err = ErrScribbled
		return out
	}
	s.copied = append(s.copied[:0], s.answers[p.answers:p.answers+used]...)
	out.Answers = s.copied
	if out.Finished {
		out.Err = exec.ResultError(int32(j.result))
	}
	for k := range min(int(j.num_frames), C.IPAFUZZ_FRAMES) {
		out.Frames = append(out.Frames, Frame{Module: text(j.frames[k].module[:]), Offset: uint64(j.frames[k].offset)})
	}
	return out
}
