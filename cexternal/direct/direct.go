// Package direct makes single calls of a loaded solver library, in this process.
// It serves a runner, which is given a trace call by call; whoever has a whole
// trace uses the executor.
package direct

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden -I${SRCDIR}/../exec
#include <stdlib.h>
#include "direct.h"
*/
import "C"

import (
	"unsafe"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
)

// A Library is a loaded solver library.
type Library struct{ table *C.struct_ipafuzz_target }

// New returns the library of a filled table.
func New(table exec.Target) Library { return Library{(*C.struct_ipafuzz_target)(table)} }

// What a library may lack.
func (l Library) HasOptions() bool   { return l.table.set_option != nil }
func (l Library) HasHavoc() bool     { return l.table.havoc != nil }
func (l Library) HasTerminate() bool { return l.table.set_terminate != nil }
func (l Library) HasLearn() bool     { return l.table.set_learn != nil }

// Signature is what the library calls itself.
func (l Library) Signature() string { return C.GoString(C.ipafuzz_direct_signature(l.table)) }

// Describe is what the library says of itself; "" when it says nothing.
func (l Library) Describe() string { return C.GoString(C.ipafuzz_direct_describe(l.table)) }

// learnedRoom is the space for the learned clauses of one solve.
const learnedRoom = 2048

// A Solver is one solver with what its callbacks have seen.
type Solver struct {
	library Library
	handle  unsafe.Pointer
	seen    *C.struct_ipafuzz_seen
}

// Init makes a solver.
func (l Library) Init() *Solver {
	seen := (*C.struct_ipafuzz_seen)(C.calloc(1, C.sizeof_struct_ipafuzz_seen))
	seen.room, seen.clauses = learnedRoom, (*C.int32_t)(C.calloc(learnedRoom, 4))
	return &Solver{l, C.ipafuzz_direct_init(l.table), seen}
}

// Release ends the solver.
func (s *Solver) Release() {
	C.ipafuzz_direct_release(s.library.table, s.handle)
	C.free(unsafe.Pointer(s.seen.clauses))
	C.free(unsafe.Pointer(s.seen))
}

// Add adds literals to the open clause, and closes it.
func (s *Solver) Add(lits []int32, closed bool) {
	var end C.int
	if closed {
		end = 1
	}
	C.ipafuzz_direct_add(s.library.table, s.handle, (*C.int32_t)(unsafe.SliceData(lits)), C.uint32_t(len(lits)), end)
}

func (s *Solver) Soft(lit int32, weight uint64) {
	C.ipafuzz_direct_soft(s.library.table, s.handle, C.int32_t(lit), C.uint64_t(weight))
}

func (s *Solver) Assume(lit int32) {
	C.ipafuzz_direct_assume(s.library.table, s.handle, C.int32_t(lit))
}

func (s *Solver) Val(lit int32) int32 {
	return int32(C.ipafuzz_direct_val(s.library.table, s.handle, C.int32_t(lit)))
}

func (s *Solver) Failed(lit int32) int {
	return int(C.ipafuzz_direct_failed(s.library.table, s.handle, C.int32_t(lit)))
}

func (s *Solver) Obj() uint64 { return uint64(C.ipafuzz_direct_obj(s.library.table, s.handle)) }

func (s *Solver) Havoc(value uint64) {
	C.ipafuzz_direct_havoc(s.library.table, s.handle, C.uint64_t(value))
}

// Option sets an option; 0 when the library took the value.
func (s *Solver) Option(name, value string) int {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	return int(C.ipafuzz_direct_option(s.library.table, s.handle, n, v))
}

// Terminate gives the solver a callback that says stop from its count-th call
// on, 0: never; TakeTerminate takes it away.
func (s *Solver) Terminate(count uint32) {
	s.seen.stop_at = C.uint32_t(count)
	C.ipafuzz_direct_terminate(s.library.table, s.handle, s.seen, 1)
}

func (s *Solver) TakeTerminate() {
	s.seen.stop_at = 0
	C.ipafuzz_direct_terminate(s.library.table, s.handle, s.seen, 0)
}

// Learn asks for learned clauses of at most so many literals; TakeLearn for none.
func (s *Solver) Learn(bound uint32) {
	s.seen.bound = C.uint32_t(bound)
	C.ipafuzz_direct_learn(s.library.table, s.handle, s.seen, 1)
}

func (s *Solver) TakeLearn() {
	s.seen.bound = 0
	C.ipafuzz_direct_learn(s.library.table, s.handle, s.seen, 0)
}

// Seen is what the callbacks of a solver saw during its last solve. Clauses has
// those that the room was enough for, each with its 0.
type Seen struct {
	Polls, PollsAfter, Learned, TooLong uint32
	Clauses                             []int32
}

// Solve returns the status and what the callbacks saw.
func (s *Solver) Solve() (int, Seen) {
	status := int(C.ipafuzz_direct_solve(s.library.table, s.handle, s.seen))
	seen := Seen{uint32(s.seen.polls), uint32(s.seen.polls_after), uint32(s.seen.learned), uint32(s.seen.too_long), nil}
	seen.Clauses = append(seen.Clauses, unsafe.Slice((*int32)(unsafe.Pointer(s.seen.clauses)), int(s.seen.used))...)
	return status, seen
}
