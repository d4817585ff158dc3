// Package ref is the built-in reference library: correct SAT, MaxSAT and QBF solvers in C
// that serve IPASIR, IPAMIR and qbf.h. Planted defects show whether a fuzzer finds them.
package ref

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden -I${SRCDIR}/../exec
#include "defects.h"
#include "ref.h"
*/
import "C"

import (
	"slices"
	"unsafe"
)

// A Defect is one planted defect. The option "defect" of a solver selects it by its
// number or its name.
type Defect struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	Model  string `json:"model"` // "ipasir", "ipamir", "both" (of these) or the name of another model
	Class  string `json:"class"` // of its most frequent fault
	Doc    string `json:"doc"`
}

// Defects lists the planted defects that show in answers, in the order of their numbers.
func Defects() []Defect { return defects(0, C.ref_defect_count()) }

// ProofDefects lists the planted defects that show in proofs alone. A trace that does not
// ask for a proof cannot find them.
func ProofDefects() []Defect { return defects(C.ref_defect_count(), C.ref_proof_defect_count()) }

func defects(first, count C.int32_t) []Defect {
	defects := make([]Defect, int(count))
	for i := range defects {
		d := C.ref_defect(first + C.int32_t(i))
		defects[i] = Defect{
			Number: int(d.number),
			Name:   C.GoString(d.name),
			Model:  C.GoString(d.model),
			Class:  C.GoString(d.fault_class),
			Doc:    C.GoString(d.text),
		}
	}
	return defects
}

// PropositionalDefects lists the defects of the SAT and MaxSAT solvers.
func PropositionalDefects() []Defect {
	return slices.DeleteFunc(Defects(), func(d Defect) bool { return d.Model == "qbf" })
}

// Target returns the library's table (a struct ipafuzz_target) for the model with that
// number.
func Target(model uint32) unsafe.Pointer { return unsafe.Pointer(C.ref_target(C.uint32_t(model))) }
