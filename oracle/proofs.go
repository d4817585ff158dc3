package oracle

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	proofs "github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/trace"
)

// proofCheck checks the proofs that a target wrote of its answers: a program after each answer that
// there is no solution, a library when it is asked for them. An answer that is known to be wrong has
// findings of its own: that nothing proves it is no news.
type proofCheck struct{}

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

// run checks what libraries handed over. Only now is it known which of their answers are wrong.
func (c proofCheck) run(j *Judge) {
	if j.run.FailedAllocation > 0 {
		return
	}
	for i := range j.t.Calls[:j.end] {
		if j.t.Calls[i].Op == apimodel.OpProof && !j.isRefuted(j.t.Calls[i].Instance) {
			c.handedOver(j, i)
		}
	}
}

// isRefuted reports whether an answer of the instance is known to be wrong.
func (j *Judge) isRefuted(instance uint16) bool {
	for i := range j.findings {
		if f := &j.findings[i]; f.Instance == instance && !isAboutProof(f.Class) {
			return true
		}
	}
	return false
}

func isAboutProof(c Class) bool { return c == ProofUnusable || c == ProofWrong || c == ProofOfOther }

func (c proofCheck) handedOver(j *Judge, call int) {
	p, ok := ProofAt(j.t, &j.run.Answers, call)
	if !ok {
		return
	}
	in := j.instance(j.t.Calls[call].Instance)
	f := Finding{Call: call, Expected: "a proof of the answers in " + p.Format, Known: "ipafuzz check-proof " + p.Files()}
	if p.Problem != nil {
		result, err := proofs.CheckCost(p.Problem, bytes.NewReader(p.Text), p.options())
		if err == nil {
			err = compareConclusion(j.t, &j.run.Answers, p.Solve, result.Conclusion)
		}
		c.conclude(j, in, p.Solve, f, p.options().Format, err)
		return
	}
	if p.Formula == nil {
		_, err := proofs.CheckScript(p.Events, bytes.NewReader(p.Text), p.options())
		c.conclude(j, in, p.Solve, f, p.options().Format, err)
		return
	}
	_, err := proofs.Check(p.Formula, bytes.NewReader(p.Text), p.options())
	c.conclude(j, in, p.Solve, f, p.options().Format, err)
}

func (c proofCheck) check(j *Judge, in *instance, p *trace.Proof) {
	f := Finding{Call: p.Call, Expected: "a proof of the answer in " + p.Format,
		Known: "ipafuzz check-proof proof.cnf proof." + p.Format}
	if p.IsMissing {
		f.Class, f.Detail, f.Observed = ProofUnusable, "missing", "there is no proof"
		j.decideBy(in, f)
		return
	}
	w := WrittenProof{Format: p.Format, Text: p.Text}
	_, err := proofs.Check(FormulaAt(j.t, p.Call), bytes.NewReader(p.Text), w.options())
	c.conclude(j, in, p.Call, f, w.options().Format, err)
}

// conclude makes a finding of a rejection. Another error says nothing about the proof.
func (proofCheck) conclude(j *Judge, in *instance, solve int, f Finding, format proofs.Format, err error) {
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
	f.Observed = fmt.Sprintf("%v: %v", format, rejection)
	j.decide()
	j.reportOf(in, solve, f)
}

// A WrittenProof is what a library handed over, and what it should be about.
type WrittenProof struct {
	Format  string
	Text    []byte
	Solve   int             // the last one before
	Formula []int32         // of a proof about one formula; each clause ends with 0
	Problem *proofs.Problem // of a proof about a cost
	Events  []proofs.Event  // of any other
}

func (p *WrittenProof) options() proofs.Options {
	return proofs.Options{Format: proofs.Format{Name: p.Format, Binary: proofs.IsBinary(p.Text)},
		Size: int64(len(p.Text))}
}

// Conversation returns what a proof of incremental solving is about, as check-proof reads it and as
// public checkers do.
func (p *WrittenProof) Conversation(t *trace.Trace, answers *trace.Answers, call int) (life, interactions []byte) {
	return conversation.Life(t, answers, call).AppendText(nil), conversation.Interactions(p.Events)
}

// Files returns the arguments of check-proof, as a finding names its files.
func (p *WrittenProof) Files() string {
	switch {
	case p.Problem != nil:
		return "proof.opb proof." + p.Format
	case p.Formula != nil:
		return "proof.cnf proof." + p.Format
	}
	return "--trace proof.trace proof." + p.Format
}

// ProofAt returns the proof that a call answered, if it is one that can be checked: nothing is cut
// off, and what the client asked can be said in its format. A proof about clauses is one of the
// solver's first answer, a proof about a cost one of its last.
func ProofAt(t *trace.Trace, answers *trace.Answers, call int) (*WrittenProof, bool) {
	a := answers.At(call)
	if a.Kind != trace.Answered || a.Len >= trace.MostProofBytes {
		return nil, false
	}
	p := &WrittenProof{Solve: -1}
	of := t.Calls[call].Instance
	solves, assumed, isPlain, isLast := 0, 0, true, false
	for i := conversation.StartOf(t, call, of); i < call; i++ {
		c := &t.Calls[i]
		kind := answers.At(i).Kind
		switch {
		case c.Instance != of, kind == trace.Withheld, kind == trace.Unsupported:
		case kind == trace.NotAnswered && c.Op.Reply() != apimodel.ReplyNothing:
			return nil, false
		case c.Op == apimodel.OpOption:
			if name, value := t.Option(c); name == apimodel.ProofOption && answers.At(i).Int() == 0 {
				p.Format = value
			}
		case c.Op == apimodel.OpSolve:
			p.Solve = i
			solves++
			status := answers.At(i).Int()
			isLast = status == apimodel.Unsatisfiable || status == apimodel.Optimum
			isPlain = isPlain && answers.At(i).Int() == apimodel.Unsatisfiable
		case c.Op == apimodel.OpAssume:
			assumed++
			isPlain, isLast = isPlain && solves == 0, false
		case c.Op.Does(apimodel.Poses):
			isPlain, isLast = isPlain && solves == 0 && c.Op == apimodel.OpClause, false
		case c.Op.Does(apimodel.Clears), c.Op == apimodel.OpHavoc:
			isPlain, isLast = false, false
		}
	}
	format, err := proofs.ParseFormat(p.Format)
	if err != nil || p.Solve < 0 {
		return nil, false
	}
	p.Text = []byte(answers.TextOf(a))
	if format.IsAboutCosts() {
		p.Problem = &proofs.Problem{Clauses: FormulaAt(t, p.Solve), Costs: costsAt(t, p.Solve)}
		return p, isLast && t.Model.Call(apimodel.OpSoft) != nil
	}
	if format.IsIncremental() {
		p.Events, err = conversation.Before(t, answers, call, of)
		return p, err == nil
	}
	p.Formula = FormulaAt(t, p.Solve)
	return p, solves == 1 && isPlain && (assumed == 0 || p.Format == "drat")
}

// FormulaAt returns the clauses and assumptions of a solve, each with a 0.
func FormulaAt(t *trace.Trace, solve int) []int32 {
	formula, assumed, closed := []int32{}, []int32{}, 0
	of := t.Calls[solve].Instance
	for i := range t.Calls[:solve] {
		c := &t.Calls[i]
		if c.Instance != of {
			continue
		}
		switch c.Op {
		case apimodel.OpInit, apimodel.OpRelease:
			formula, assumed, closed = formula[:0], assumed[:0], 0
		case apimodel.OpClause:
			if formula = append(formula, t.Args(c)...); c.Flags&trace.Open == 0 {
				formula = append(formula, 0)
				closed = len(formula)
			}
		case apimodel.OpAssume:
			assumed = append(assumed, t.Lit(c), 0)
		case apimodel.OpSolve:
			assumed = assumed[:0]
		}
	}
	return append(formula[:closed], assumed...)
}
