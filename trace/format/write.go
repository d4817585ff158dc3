package format

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// MaxWeight is the greatest weight of the WCNF formats.
const MaxWeight = math.MaxInt64

// Write writes a trace in the format. It omits calls that do not change the formula: queries,
// options, callbacks. If the format cannot express the rest, Write writes nothing and
// returns a *CannotSayError.
func Write(w io.Writer, f Format, t *trace.Trace) error {
	if f == Trace {
		_, err := t.WriteTo(w)
		return err
	}
	if err := single(f, t); err != nil {
		return err
	}
	if Of(f).Many && t.Model.Quantified() {
		return cannotSay(f, t, -1, "it has quantifiers (qdimacs and smtlib have them)")
	}
	if Of(f).Many && t.Model.File {
		formula := Solves(t)[0]
		if err := sayable(f, formula, t); err != nil {
			return err
		}
		_, err := WriteWeighted(w, f, formula.Lines, t.Notes)
		return err
	}
	if Of(f).Many {
		return writeSequence(w, f, t)
	}
	formulas := Solves(t)
	if len(formulas) > 1 {
		more := " (icnf and wcnfi have more)"
		if t.Model.Quantified() {
			more = ""
		}
		return cannotSay(f, t, formulas[1].Call, "it is the second solve, and the format has one%s", more)
	}
	_, err := WriteFormula(w, f, formulas[0], t)
	return err
}

// WriteSolve writes the formula of one solve, in a format of one solve. The solves of a trace are numbered
// from 1, those of all solvers together.
func WriteSolve(w io.Writer, f Format, t *trace.Trace, solve int) error {
	formulas := Solves(t)
	if solve < 1 || solve > len(formulas) {
		return cannotSay(f, t, -1, "there is no solve %d: the trace has %d", solve, len(formulas))
	}
	_, err := WriteFormula(w, f, formulas[solve-1], t)
	return err
}

// single refuses a trace with more than one solver, at the same time or one after the other.
func single(f Format, t *trace.Trace) error {
	released := false
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Instance != t.Calls[0].Instance {
			return cannotSay(f, t, i, "it belongs to a second solver instance")
		}
		if released && c.Op != apimodel.OpSignature {
			return cannotSay(f, t, i, "it belongs to a second solver, after the release of the first")
		}
		released = released || c.Op == apimodel.OpRelease
	}
	return nil
}

// WriteFormula writes the formula of one solve of trace t in a format of one solve, with the
// trace's notes as comments. Errors name calls of the trace. The cost in the trace is the
// objective value of the file plus the offset.
func WriteFormula(w io.Writer, f Format, formula *Formula, t *trace.Trace) (offset uint64, err error) {
	if err := sayable(f, formula, t); err != nil {
		return 0, err
	}
	if formula.Lines != nil {
		return WriteWeighted(w, f, formula.Lines, t.Notes)
	}
	out := &text{to: w}
	switch f {
	case CNF:
		writeCNF(out, formula, t.Notes)
	case WCNF:
		writeWCNF(out, formula, t.Notes)
	case WCNFOld:
		writeWCNFOld(out, formula, t.Notes)
	case OPB:
		offset = writeOPB(out, formula, t.Notes)
	case WBO:
		writeWBO(out, formula, slices.Collect(formula.SoftClauses), t.Notes)
	case MPS:
		offset = writeMPS(out, formula, t.Notes)
	case LP:
		offset = writeLP(out, formula, t.Notes)
	case QDIMACS:
		writeQDIMACS(out, formula.assumed(), t.Notes)
	case SMTLIB:
		writeSMTLIB(out, formula.assumed(), t.Notes)
	default:
		return 0, fmt.Errorf("the format %s is not one of single formulas", f)
	}
	return offset, out.close()
}

// sayable refuses a formula that the format cannot express.
func sayable(f Format, formula *Formula, t *trace.Trace) error {
	if !f.Quantified() && formula.hasUniversal() {
		return cannotSay(f, t, -1, "it has universal variables (qdimacs and smtlib have them)")
	}
	var last Weighted
	for soft := range formula.SoftClauses {
		if last = soft; !Of(f).Soft {
			what := "literals"
			if formula.Lines != nil {
				what = "clauses"
			}
			return cannotSay(f, t, declared(t, formula, soft), "it has no soft %s", what)
		}
		if soft.Weight > MaxWeight {
			return cannotSay(f, t, declared(t, formula, soft), "weights are at most 2^63-1")
		}
	}
	if sum, fits := formula.Sum(); !fits || sum == math.MaxUint64 {
		return cannotSay(f, t, declared(t, formula, last), "the sum of the weights is not below 2^64-1")
	}
	return nil
}

// declared returns the index of the call that set the weight of a soft clause.
func declared(t *trace.Trace, formula *Formula, soft Weighted) int {
	for i := min(formula.Call, len(t.Calls)) - 1; i >= 0; i-- {
		switch c := &t.Calls[i]; c.Op {
		case apimodel.OpSoft:
			if len(soft.Lits) == 1 && t.Lit(c) == -soft.Lits[0] {
				return i
			}
		case apimodel.OpSoftClause:
			if c.Num == soft.Weight && slices.Equal(t.Args(c), soft.Lits) {
				return i
			}
		}
	}
	return -1
}
