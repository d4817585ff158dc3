package ref

/*
#include "prover.h"
*/
import "C"

import (
	"errors"
	"unsafe"
)

// The answers of Solve: the numbers of IPASIR. A prover that gives up answers 0.
const (
	Satisfiable   = 10
	Unsatisfiable = 20
)

// DefaultMaxProof is the default limit on the size of a proof, in bytes.
const DefaultMaxProof = 64 << 20

// A Result is an answer of a prover. It is a struct without a name, so that a package
// can declare the same one and use a prover without importing this package.
type Result = struct {
	Status    int
	Model     []int32 // when satisfiable: the true literal of every variable
	Proof     []byte  // when unsatisfiable: LRAT, as text
	Conflicts uint64  // that the search took
}

// A Prover is the SAT solver of the built-in library, without planted defects. It is
// not safe for concurrent use.
type Prover struct {
	MaxProof int // limit on the size of a proof, in bytes

	prover *C.struct_ref_prover
}

// NewProver returns a prover, which must be closed.
func NewProver() *Prover {
	return &Prover{MaxProof: DefaultMaxProof, prover: C.ref_prover_open()}
}

// Close frees the prover.
func (p *Prover) Close() {
	if p.prover != nil {
		C.ref_prover_close(p.prover)
		p.prover = nil
	}
}

// Interrupt makes Solve give up at once, the one in progress too, or lets it work again.
// Any goroutine may call it.
func (p *Prover) Interrupt(interrupted bool) {
	C.ref_prover_interrupt(p.prover, C.bool(interrupted))
}

// Solve decides whether the clauses, each of which ends with a 0, are satisfiable. It
// gives up after that many conflicts, or when the proof or the learned clauses take too
// much memory. Its errors are about the formula.
//
// The proof numbers the clauses 1, 2, 3, ... in their order.
func (p *Prover) Solve(formula []int32, conflicts uint64) (Result, error) {
	if p.prover == nil {
		return Result{}, errors.New("ref: the prover is closed")
	}
	var answer C.struct_ref_prover_answer
	switch C.ref_prover_solve(p.prover, (*C.int32_t)(unsafe.SliceData(formula)), C.size_t(len(formula)),
		C.uint64_t(conflicts), C.size_t(max(0, p.MaxProof)), &answer) {
	case C.REF_PROVER_BAD_LITERAL:
		return Result{}, errors.New("ref: -2147483648 in the formula is not a literal")
	case C.REF_PROVER_OPEN_CLAUSE:
		return Result{}, errors.New("ref: the last clause of the formula does not end with a 0")
	}
	result := Result{Status: int(answer.status), Conflicts: uint64(answer.conflicts)}
	if answer.model_size > 0 {
		result.Model = append(result.Model, unsafe.Slice((*int32)(answer.model), int(answer.model_size))...)
	}
	if answer.proof_size > 0 {
		result.Proof = append(result.Proof, unsafe.Slice((*byte)(unsafe.Pointer(answer.proof)), int(answer.proof_size))...)
	}
	return result, nil
}
