package oracle

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	proofs "github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace"
)

// proofCheck checks the proofs that a target wrote of its answers. An answer that is known to be wrong
// has findings of its own: that nothing proves it is no news.
type proofCheck struct{}

func (proofCheck) name() string { return "proof" }

func (c proofCheck) answer(j *Judge, in *instance) {
	s := &in.now
	if len(j.run.Proofs) == 0 || s.status != apimodel.Unsatisfiable || s.truth.feasible == yes {
		return
	}
	for i := range j.run.Proofs {
		if p := &j.run.Proofs[i]; p.Call == s.call && !p.IsCut {
			c.check(j, in, p)
		}
	}
}

func (proofCheck) check(j *Judge, in *instance, p *trace.Proof) {
	f := Finding{Call: p.Call, Expected: "a proof of the answer in " + p.Format,
		Known: "ipafuzz check-proof proof.cnf proof." + p.Format}
	if p.IsMissing {
		f.Class, f.Detail, f.Observed = ProofUnusable, "missing", "there is no proof"
		j.decideBy(in, f)
		return
	}
	options := proofs.Options{Format: proofs.Format{Name: p.Format, Binary: proofs.IsBinary(p.Text)},
		Size: int64(len(p.Text))}
	_, err := proofs.Check(FormulaAt(j.t, p.Call), bytes.NewReader(p.Text), options)
	var rejection *proofs.Rejection
	if !errors.As(err, &rejection) {
		if err == nil {
			j.decide()
		}
		return
	}
	switch f.Detail = rejection.Kind.String(); rejection.Kind {
	case proofs.Unjustified:
		f.Class = ProofWrong
	case proofs.Different, proofs.Contradicting:
		f.Class = ProofOfOther
	default:
		f.Class = ProofUnusable
	}
	f.Observed = fmt.Sprintf("%v: %v", options.Format, rejection)
	j.decideBy(in, f)
}

// FormulaAt returns the clauses and assumptions of a solve, each with a 0.
func FormulaAt(t *trace.Trace, solve int) []int32 {
	var formula, assumed []int32
	of := t.Calls[solve].Instance
	for i := range t.Calls[:solve] {
		c := &t.Calls[i]
		if c.Instance != of {
			continue
		}
		switch c.Op {
		case apimodel.OpInit, apimodel.OpRelease:
			formula, assumed = formula[:0], assumed[:0]
		case apimodel.OpClause:
			if formula = append(formula, t.Args(c)...); c.Flags&trace.Open == 0 {
				formula = append(formula, 0)
			}
		case apimodel.OpAssume:
			assumed = append(assumed, t.Lit(c), 0)
		case apimodel.OpSolve:
			assumed = assumed[:0]
		}
	}
	return append(formula, assumed...)
}
