package oracle

import (
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	proofs "github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// proofCheck checks the proofs that a target wrote for its answers. A program writes one with its answer, a library
// when the client asks. An answer that is known to be wrong has findings of its own, so proofCheck omits its proof.
type proofCheck struct{}

func (c proofCheck) answer(j *Judge, in *instance) {
	s := &in.answer
	if len(j.run.Proofs) == 0 || s.status != apimodel.Unsatisfiable || s.truth.feasible == yes {
		return
	}
	for i := range j.run.Proofs {
		if p := &j.run.Proofs[i]; p.Call == s.call && p.Format != trace.VeriPB {
			c.check(j, in, p)
		}
	}
}

// fact notes the proof of a library for run.
func (proofCheck) fact(j *Judge, _ *instance, call int, c *trace.Call, _ *trace.Answer) {
	if c.Op == apimodel.OpProof {
		j.handedOver = append(j.handedOver, call)
	}
}

// run checks the proofs of libraries and proofs about costs. It does so at the end, because only then the judge knows
// which answers are wrong.
func (c proofCheck) run(j *Judge) {
	if _, failed := j.run.AllocationFailed(len(j.t.Calls)); failed {
		return
	}
	for _, call := range j.handedOver {
		if !j.isRefuted(j.t.Calls[call].Instance) {
			c.handedOver(j, call)
		}
	}
	for i := range j.run.Proofs {
		p := &j.run.Proofs[i]
		if number := j.t.Calls[p.Call].Instance; p.Format == trace.VeriPB && p.Call < j.end && !j.isRefuted(number) {
			c.check(j, j.instance(number), p)
		}
	}
}

// isRefuted reports whether there is a finding about an answer of the instance.
func (j *Judge) isRefuted(instance uint16) bool {
	for i := range j.findings {
		if f := &j.findings[i]; f.Instance == instance && !f.Class.IsAboutProof() {
			return true
		}
	}
	return false
}

// IsAboutProof reports whether findings of the class are about the proof of a right answer.
func (c Class) IsAboutProof() bool { return c == ProofUnusable || c == ProofWrong || c == ProofOfOther }

func (c proofCheck) handedOver(j *Judge, call int) {
	p, ok := conversation.ProofAt(j.t, &j.run.Answers, call)
	switch {
	case p == nil:
		return // no answer needs a proof, or the target handed over none
	case len(p.Text) >= trace.MostProofBytes:
		j.leaveOpen(call, unchecked.ProofCut, "")
		return
	case !ok, p.IsRedeclared && !j.rules.redeclareKnown, p.HasZero && !j.rules.zeroWeightKnown:
		j.leaveOpen(call, unchecked.ProofOutside, "")
		return
	}
	in := j.instance(j.t.Calls[call].Instance)
	f := Finding{Call: call, Expected: "a proof of the answers in " + p.Format, Known: p.Commands()}
	c.conclude(j, in, p.Solve, f, p.Options().Format, p.Check(j.t, &j.run.Answers))
}

func (c proofCheck) check(j *Judge, in *instance, p *trace.Proof) {
	f := Finding{Call: p.Call, Expected: "a proof of the answer in " + p.Format, Known: conversation.CommandsOf(p)}
	if p.IsCut {
		j.leaveOpen(p.Call, unchecked.ProofCut, "")
		return
	}
	if p.IsMissing {
		f.Class, f.Detail, f.Observed = ProofUnusable, "missing", "there is no proof"
		j.decideBy(in, f)
		return
	}
	format := (&conversation.Proof{Format: p.Format, Text: p.Text}).Options().Format
	c.conclude(j, in, p.Call, f, format, conversation.CheckWritten(j.t, p, int32(j.run.Answers.At(p.Call).Int())))
}

// conclude reports a rejection as a finding. After any other error the proof stays unchecked.
func (proofCheck) conclude(j *Judge, in *instance, solve int, f Finding, format proofs.Format, err error) {
	var rejection *proofs.Rejection
	if !errors.As(err, &rejection) {
		if err == nil {
			j.decide()
			return
		}
		j.leaveOpen(f.Call, reasonOf(err), err.Error())
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
	f.Observed = fmt.Sprintf("%v: %v", format, rejection)
	if rejection.Line < 0 { // the proof itself is right
		f.Known = "its conclusion, as printed by " + f.Known
	}
	j.decide()
	j.reportOf(in, solve, f)
}

// reasonOf says why a proof stays unchecked after an error that does not reject it.
func reasonOf(err error) unchecked.Reason {
	switch {
	case errors.Is(err, conversation.ErrOutside):
		return unchecked.ProofOutside
	case errors.Is(err, proofs.ErrNoChecker):
		return unchecked.NoChecker
	case errors.Is(err, proofs.ErrCheckerFails):
		return unchecked.CheckerFails
	}
	return unchecked.ProofFormat
}
