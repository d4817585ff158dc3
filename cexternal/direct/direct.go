// Package direct makes single calls of a loaded solver library, in this process. Runners,
// which get a trace call by call, use it; the executor runs whole traces.
package direct

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden -I${SRCDIR}/../exec
#include <stdlib.h>
#include "direct.h"
#include "opcodes.h"
*/
import "C"

import (
	"slices"
	"unsafe"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
)

// A Library is a loaded solver library.
type Library struct{ table *C.struct_ipafuzz_target }

// New returns the library of a filled table.
func New(table exec.Target) Library { return Library{(*C.struct_ipafuzz_target)(table)} }

// HasOptions reports whether the library has a function to set options.
func (l Library) HasOptions() bool { return l.table.set_option != nil }

// HasHavoc reports whether the library has ipafuzz_havoc.
func (l Library) HasHavoc() bool { return l.table.havoc != nil }

// HasTerminate reports whether the library takes a callback that stops a solve.
func (l Library) HasTerminate() bool { return l.table.set_terminate != nil }

// HasLearn reports whether the library takes a callback for learned clauses.
func (l Library) HasLearn() bool { return l.table.set_learn != nil }

// Signature returns what the library calls itself.
func (l Library) Signature() string { return C.GoString(C.ipafuzz_direct_signature(l.table)) }

// Describe returns the library's description of itself, "" when it has none.
func (l Library) Describe() string { return C.GoString(C.ipafuzz_direct_describe(l.table)) }

// learnedSpace is the space for the learned clauses of one solve, in words.
const learnedSpace = 2048

// A Solver is one solver with the observations of its callbacks.
type Solver struct {
	library Library
	handle  unsafe.Pointer
	seen    *C.struct_ipafuzz_seen
}

// Init creates a solver.
func (l Library) Init() *Solver {
	seen := (*C.struct_ipafuzz_seen)(C.calloc(1, C.sizeof_struct_ipafuzz_seen))
	seen.room, seen.clauses = learnedSpace, (*C.int32_t)(C.calloc(learnedSpace, 4))
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

// Soft declares a soft literal.
func (s *Solver) Soft(lit int32, weight uint64) {
	C.ipafuzz_direct_soft(s.library.table, s.handle, C.int32_t(lit), C.uint64_t(weight))
}

// Assume adds an assumption for the next solve.
func (s *Solver) Assume(lit int32) {
	C.ipafuzz_direct_assume(s.library.table, s.handle, C.int32_t(lit))
}

// quantified are the calls of model qbf that IPASIR lacks.
var quantified = map[string]C.uint32_t{
	"exists": C.IPAFUZZ_OP_EXISTS, "forall": C.IPAFUZZ_OP_FORALL, "extend": C.IPAFUZZ_OP_EXTEND,
	"push": C.IPAFUZZ_OP_PUSH, "pop": C.IPAFUZZ_OP_POP, "open": C.IPAFUZZ_OP_OPEN, "close": C.IPAFUZZ_OP_CLOSE,
	"activate": C.IPAFUZZ_OP_ACTIVATE, "deactivate": C.IPAFUZZ_OP_DEACTIVATE, "delete": C.IPAFUZZ_OP_DELETE,
}

// Quantified makes a call that model qbf adds to IPASIR, if the library has its function.
// exists and forall take the variables of a block, extend a level and variables; the calls of
// groups take the number of a group as their level.
func (s *Solver) Quantified(name string, level int32, vars []int32) bool {
	op, known := quantified[name]
	if !known || !s.library.hasQuantified(name) {
		return false
	}
	C.ipafuzz_direct_quantified(s.library.table, s.handle, op, C.int32_t(level),
		(*C.int32_t)(unsafe.SliceData(vars)), C.uint32_t(len(vars)))
	return true
}

func (l Library) hasQuantified(name string) bool {
	switch name {
	case "exists", "forall":
		return l.table.exists != nil && l.table.forall != nil
	case "extend":
		return l.HasExtend()
	case "push", "pop":
		return l.HasPush()
	}
	return l.HasGroups()
}

// HasExtend reports whether the library can add variables to blocks.
func (l Library) HasExtend() bool { return l.table.extend != nil }

// HasPush reports whether the library has frames.
func (l Library) HasPush() bool { return l.table.push != nil && l.table.pop != nil }

// HasGroups reports whether the library has groups of clauses.
func (l Library) HasGroups() bool {
	t := l.table
	return t.open_group != nil && t.close_group != nil && t.activate_group != nil && t.deactivate_group != nil &&
		t.delete_group != nil
}

// Val returns the value of a literal in the last solution.
func (s *Solver) Val(lit int32) int32 {
	return int32(C.ipafuzz_direct_val(s.library.table, s.handle, C.int32_t(lit)))
}

// Failed returns whether an assumption is in the core of the last solve.
func (s *Solver) Failed(lit int32) int {
	return int(C.ipafuzz_direct_failed(s.library.table, s.handle, C.int32_t(lit)))
}

// Obj returns the cost of the last solution.
func (s *Solver) Obj() uint64 { return uint64(C.ipafuzz_direct_obj(s.library.table, s.handle)) }

// Havoc has the solver do something legal and rare.
func (s *Solver) Havoc(value uint64) {
	C.ipafuzz_direct_havoc(s.library.table, s.handle, C.uint64_t(value))
}

// Option sets an option and returns 0 if the library accepted the value.
func (s *Solver) Option(name, value string) int {
	n, v := C.CString(name), C.CString(value)
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	return int(C.ipafuzz_direct_option(s.library.table, s.handle, n, v))
}

// Terminate installs a callback that says stop from its count-th call on; 0: never.
func (s *Solver) Terminate(count uint32) {
	s.seen.stop_at = C.uint32_t(count)
	C.ipafuzz_direct_terminate(s.library.table, s.handle, s.seen, 1)
}

// TakeTerminate takes the callback of Terminate away.
func (s *Solver) TakeTerminate() {
	s.seen.stop_at = 0
	C.ipafuzz_direct_terminate(s.library.table, s.handle, s.seen, 0)
}

// Learn installs a callback for learned clauses of at most bound literals.
func (s *Solver) Learn(bound uint32) {
	s.seen.bound = C.uint32_t(bound)
	C.ipafuzz_direct_learn(s.library.table, s.handle, s.seen, 1)
}

// TakeLearn takes the callback of Learn away.
func (s *Solver) TakeLearn() {
	s.seen.bound = 0
	C.ipafuzz_direct_learn(s.library.table, s.handle, s.seen, 0)
}

// Seen is what the callbacks saw during the last solve of a solver. Clauses holds the
// learned clauses that fit in the space for them, each with its 0.
type Seen struct {
	Polls, PollsAfter, Learned, TooLong uint32
	OthersPolls, OthersLearned          uint32 // calls of the callbacks of other solvers
	Clauses                             []int32
}

// Solve returns the status and what the callbacks saw.
func (s *Solver) Solve() (int, Seen) {
	status := int(C.ipafuzz_direct_solve(s.library.table, s.handle, s.seen))
	clauses := unsafe.Slice((*int32)(unsafe.Pointer(s.seen.clauses)), int(s.seen.used))
	return status, Seen{
		Polls: uint32(s.seen.polls), PollsAfter: uint32(s.seen.polls_after),
		Learned: uint32(s.seen.learned), TooLong: uint32(s.seen.too_long),
		OthersPolls: uint32(s.seen.others_polls), OthersLearned: uint32(s.seen.others_learned),
		Clauses: slices.Clone(clauses),
	}
}
