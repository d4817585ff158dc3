package store

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/trace"
)

// proofFiles returns the proof that a finding is about, with its formula, as any checker reads them.
func proofFiles(f *Finding) map[string][]byte {
	switch f.Class {
	case oracle.ProofUnusable, oracle.ProofWrong, oracle.ProofOfOther:
	default:
		return nil
	}
	files := map[string][]byte{}
	if f.Call < len(f.Minimal.Calls) && f.Minimal.Calls[f.Call].Op == apimodel.OpProof {
		if p, ok := conversation.ProofAt(f.Minimal, &f.Run.Answers, f.Call); ok {
			files["proof."+p.Format] = p.Text
			switch {
			case p.Problem != nil:
				files["proof.opb"] = p.Problem.OPB()
			case p.Formula != nil:
				files["proof.cnf"] = dimacs(p.Formula)
			default:
				files["proof.trace"], files["proof.icnf"] = p.Conversation(f.Minimal, &f.Run.Answers, f.Call)
			}
		}
		return files
	}
	for _, p := range f.Run.Proofs {
		if p.Call != f.Call || p.Call >= len(f.Minimal.Calls) {
			continue
		}
		files["proof.cnf"] = dimacs(conversation.FormulaAt(f.Minimal, p.Call))
		if !p.IsMissing {
			files["proof."+p.Format] = p.Text
		}
	}
	return files
}

// dimacs writes clauses that end with 0, one a line.
func dimacs(formula []int32) []byte {
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
