package conversation

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace"
)

// ErrOutside is the error for proofs that no checker can relate to the trace.
var ErrOutside = fmt.Errorf("%w: the formats of proofs do not say what a soft clause of the file is there",
	proof.ErrUnsupported)

// CheckWritten checks a proof that a program wrote with its answer to a solve. An error that is not a *proof.Rejection
// says nothing about the proof.
func CheckWritten(t *trace.Trace, p *trace.Proof, status int32) error {
	formula := FormulaAt(t, p.Call)
	w := Proof{Format: p.Format, Text: p.Text}
	if p.Format != trace.VeriPB {
		_, err := proof.Check(formula, bytes.NewReader(p.Text), w.Options())
		var rejection *proof.Rejection
		if errors.As(err, &rejection) && !isUnambiguous(t, p.Call) &&
			(rejection.Kind == proof.Unjustified || rejection.Kind == proof.Different) {
			return ErrOutside
		}
		return err
	}
	costs, _, _ := costsAt(t, p.Call) // a file states the costs, so no policy matters
	problem := &proof.Problem{Clauses: formula, Costs: costs, NoCosts: p.Extension == ".cnf",
		HasRelaxations: hasRelaxations(t, p.Call)}
	if p.Extension == ".opb" { // the file has other constraints than clauses, and another cost
		var err error
		if problem, err = proof.ReadOPB(bytes.NewReader(p.Formula)); err != nil {
			return err
		}
	}
	result, err := proof.CheckFile(problem, p.Formula, p.Extension, p.Text, w.Options())
	if err != nil {
		return err
	}
	return compareStated(p, status, result.Conclusion)
}

// compareStated compares the conclusion of a proof with the program's answer.
func compareStated(p *trace.Proof, status int32, conclusion *proof.Conclusion) error {
	if status == apimodel.Unsatisfiable {
		if !conclusion.NoSolution() {
			return contradicting("it concludes %v, and the solver found no solution", conclusion)
		}
		return nil
	}
	optimum, isOptimal := conclusion.Optimum()
	if !isOptimal {
		return contradicting("it concludes %v, and the solver found an optimum", conclusion)
	}
	optimum += p.Offset
	for _, s := range p.Stated {
		if s.Cost != optimum {
			return contradicting("it concludes a cost of %d, and that of the lines %s is %d", optimum, s.Line, s.Cost)
		}
	}
	return nil
}

func contradicting(format string, args ...any) error {
	return &proof.Rejection{Kind: proof.Contradicting, Line: -1, Err: fmt.Errorf(format, args...)}
}

// DIMACS returns clauses, each of which ends with 0, in DIMACS.
func DIMACS(formula []int32) []byte {
	vars, clauses := int32(0), 0
	var lines []byte
	for _, lit := range formula {
		vars = max(vars, trace.Var(lit))
		if lit == 0 {
			clauses++
			lines = append(lines, "0\n"...)
			continue
		}
		lines = fmt.Appendf(lines, "%d ", lit)
	}
	return append(fmt.Appendf(nil, "p cnf %d %d\n", vars, clauses), lines...)
}

// CommandsOf returns the commands that check a proof of a program, for the file names in a finding.
func CommandsOf(p *trace.Proof) string {
	formula, _ := FilesOf(p)
	return commands(formula, formula, p.Format)
}

// FilesOf returns the names of the files in a finding that have a proof of a program: the formula and the proof.
func FilesOf(p *trace.Proof) (formula, text string) {
	formula, text = "proof.cnf", "proof."+p.Format
	if p.Format == trace.VeriPB {
		formula = "proof" + p.Extension
	}
	return formula, text
}
