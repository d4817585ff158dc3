package conversation

import (
	"bytes"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Proof is a proof that a library or a program has written, and what it should be about.
type Proof struct {
	Format  string
	Text    []byte
	Solve   int            // the last solve before the call that returned the proof
	Formula []int32        // for a proof about one formula; each clause ends with 0
	Problem *proof.Problem // for a proof about a cost
	Events  []proof.Event  // for any other
	// IsRedeclared and HasZero say that the costs depend on the policies redeclare and soft-zero.
	IsRedeclared, HasZero bool
}

// Options returns the options to check the proof with.
func (p *Proof) Options() proof.Options {
	return proof.Options{Format: proof.Format{Name: p.Format, Binary: proof.IsBinary(p.Text)}}
}

// Check checks the proof, which a library has returned in a trace. An error that is not a *proof.Rejection says nothing
// about the proof.
func (p *Proof) Check(t *trace.Trace, answers *trace.Answers) error {
	text := bytes.NewReader(p.Text)
	switch {
	case p.Problem != nil:
		result, err := proof.CheckFile(p.Problem, p.Problem.OPB(), ".opb", p.Text, p.Options())
		if err == nil {
			err = compareConclusion(t, answers, p.Solve, result.Conclusion)
		}
		return err
	case p.Formula != nil:
		_, err := proof.Check(p.Formula, text, p.Options())
		return err
	}
	_, err := proof.CheckScript(p.Events, text, p.Options())
	return err
}

// Conversation returns what a proof of several solves is about, in the form for check-proof and in the form for public
// checkers.
func (p *Proof) Conversation(t *trace.Trace, answers *trace.Answers, call int) (life, interactions []byte) {
	return lifeBefore(t, answers, call).AppendText(nil), interactionsOf(p.Events)
}

// Commands returns the commands that check the proof, with ipafuzz and with a public checker, for the file names in a
// finding.
func (p *Proof) Commands() string {
	switch {
	case p.Problem != nil:
		return commands("proof.opb", "proof.opb", p.Format)
	case p.Formula != nil:
		return commands("proof.cnf", "proof.cnf", p.Format)
	}
	return commands("--trace proof.trace", "proof.icnf", p.Format)
}

func commands(ours, formula, format string) string {
	text := "proof." + format
	command := "ipafuzz check-proof " + ours + " " + text
	if format == "frat" {
		return command + ", or frat-rs elab " + text + " " + formula + " -v"
	}
	public := map[string]string{"drat": "drat-trim", "lrat": "lrat-check", "idrup": "idrup-check",
		"lidrup": "lidrup-check", trace.VeriPB: "veripb"}
	return command + ", or " + public[format] + " " + formula + " " + text
}

// ProofAt returns the proof that a call returned, or nil if the call returned none, or none that by its format proves
// an answer: a proof about one formula must be about the only solve of the life, a proof about a cost about the last
// one. It reports whether Check can check the proof, which must be complete.
func ProofAt(t *trace.Trace, answers *trace.Answers, call int) (*Proof, bool) {
	a := answers.At(call)
	if a.Kind != trace.Answered {
		return nil, false
	}
	p := &Proof{Solve: -1}
	instance := t.Calls[call].Instance
	solves, assumed, isPlain, isLast := 0, 0, true, false
	for i := startOf(t, call, instance); i < call; i++ {
		c := &t.Calls[i]
		kind := answers.At(i).Kind
		switch {
		case c.Instance != instance, kind == trace.Withheld, kind == trace.Unsupported:
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
	format, err := proof.ParseFormat(p.Format)
	if err != nil || p.Solve < 0 {
		return nil, false
	}
	p.Text = []byte(answers.TextOf(a))
	isWhole := len(p.Text) < trace.MostProofBytes
	isOnly := solves == 1 && isPlain
	switch {
	case format.IsIncremental():
		p.Events, err = Before(t, answers, call, instance)
		return p, isWhole && err == nil
	case !format.IsAboutCosts():
		p.Formula = FormulaAt(t, p.Solve)
		isOnly = isOnly && (assumed == 0 || p.Format == "drat")
	case t.Model.Call(apimodel.OpSoft) == nil:
		p.Problem = &proof.Problem{Clauses: FormulaAt(t, p.Solve), NoCosts: true}
		isOnly = isOnly && assumed == 0
	default:
		p.Problem = &proof.Problem{Clauses: FormulaAt(t, p.Solve)}
		p.Problem.Costs, p.IsRedeclared, p.HasZero = costsAt(t, p.Solve)
		isOnly = isLast
	}
	if !isOnly {
		return nil, false
	}
	return p, isWhole
}

// FormulaAt returns the clauses and the assumptions of a solve, each ending with a 0.
func FormulaAt(t *trace.Trace, solve int) []int32 {
	formula, assumed, closed := []int32{}, []int32{}, 0
	for _, c := range callsBefore(t, solve) {
		switch c.Op {
		case apimodel.OpClause, apimodel.OpImport:
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
