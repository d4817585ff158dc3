package store

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
)

// proofFiles returns the wrong proof of a target with its formula, in formats that any checker reads.
func proofFiles(f *Finding) map[string][]byte {
	if !f.Class.IsAboutProof() {
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
				files["proof.cnf"] = conversation.DIMACS(p.Formula)
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
		formula, text := conversation.FilesOf(&p)
		if files[formula] = p.Formula; p.Formula == nil {
			files[formula] = conversation.DIMACS(conversation.FormulaAt(f.Minimal, p.Call))
		}
		if !p.IsMissing {
			files[text] = p.Text
		}
	}
	return files
}
