package pipe

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// take checks and stores the answer to one request.
func (w *walk) take(r *request, line []byte) error {
	plain := string(line) == "="
	switch {
	case r.sent.threw && r.kind != requestEnd && string(line) != endLine:
		return nil // the rest of the trace has no answers
	case bytes.HasPrefix(line, threwPrefix) && r.kind != requestEnd && r.kind != requestHead:
		return w.threw(r, line)
	case r.kind == requestEnd && string(line) == endLine,
		plain && (r.kind == requestHead || r.kind == requestImplied):
		return nil
	case r.kind == requestEnd:
		return w.wrong(r, line, `want "end" (it has answered more lines than it was sent)`)
	case string(line) == endLine:
		return w.wrong(r, line, "want an answer (it has answered fewer lines than it was sent)")
	case r.kind == requestHead, r.kind == requestImplied:
		return w.wrong(r, line, `want "="`)
	case r.kind == requestSetting:
		if string(line) != "= 0" {
			return replay.Unusable(w.runner.target.Name,
				"the runner does not take an option that was set: it answered %s, want \"= 0\"", replay.Excerpt(line))
		}
		return nil
	}
	answers := &r.sent.run.Answers
	answer := &answers.Of[r.call]
	if err := trace.ReadAnswer(line, w.model.Call(r.op), answer, answers); err != nil {
		return w.wrong(r, line, err.Error())
	}
	switch {
	case answer.Kind == trace.Withheld:
		return w.wrong(r, line, "\"= -\" is not an answer: ipafuzz itself withholds illegal calls")
	case answer.Kind == trace.Unsupported && always>>r.op&1 == 1:
		return w.wrong(r, line, "want another answer: every runner has this call")
	case answer.Kind == trace.Answered && r.op == apimodel.OpSolve && r.solver.solving == r.call:
		r.solver.solving = -1
		r.solver.Solved(w.model, answer.Int())
	case answer.Kind == trace.Answered && r.op == apimodel.OpModel:
		if !w.sortModel(r, answer) {
			return w.wrong(r, line, "want each variable once")
		}
	case answer.Kind == trace.Answered && r.op == apimodel.OpCore:
		w.sortCore(r, answer)
	}
	return nil
}

// threwPrefix begins the answer of a runner that has caught an exception of its solver.
var threwPrefix = []byte(`threw "`)

// thrown returns the text of an answer that begins with threwPrefix.
func thrown(line []byte) (string, error) {
	quoted, ok := bytes.CutPrefix(line, threwPrefix)
	if !ok {
		return "", strconv.ErrSyntax
	}
	return strconv.Unquote(`"` + string(quoted))
}

// threw ends the run in this call, as the exception would end a client that does not catch it.
func (w *walk) threw(r *request, line []byte) error {
	text, err := thrown(line)
	if err != nil {
		return w.wrong(r, line, `want threw "text"`)
	}
	sent := r.sent
	sent.threw = true
	run := sent.run
	run.Call = min(r.call, len(sent.t.Calls))
	run.End, run.Death = trace.Exited, trace.Death{ExitCode: 1, Stderr: text[:min(len(text), process.MaxExcerpt)]}
	for i := run.Call; i < len(run.Answers.Of); i++ { // also those of calls that were never sent
		run.Answers.Of[i] = trace.Answer{}
	}
	for _, s := range sent.solvers {
		s.solving = -1
	}
	return nil
}

// always are the calls that every runner must support: to skip them would change the formula.
const always uint64 = 1<<apimodel.OpInit | 1<<apimodel.OpRelease | 1<<apimodel.OpClause | 1<<apimodel.OpSoft |
	1<<apimodel.OpAssume | 1<<apimodel.OpSolve

func (w *walk) wrong(r *request, line []byte, why string) error {
	w.wronged = r.sent
	place := "the first line of a trace"
	switch r.kind {
	case requestCall:
		place = fmt.Sprintf("call %d (%s)", r.call+1, short(r.sent.t.AppendRequest(nil, r.call)))
	case requestImplied:
		place = r.op.String()
	case requestEnd:
		place = endLine
	}
	return violation(w.runner.target, "to %s it answered %s: %s", place, replay.Excerpt(line), why)
}

func short(text []byte) string {
	const most = 40
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// sortModel orders the literals of a model as the trace names their variables. It drops
// variables that the trace does not name: a runner may answer with its solver's whole model.
// It returns false if a variable occurs twice.
func (w *walk) sortModel(r *request, a *trace.Answer) bool {
	if w.signs == nil {
		w.signs = make(map[int32]bool)
	}
	clear(w.signs)
	all := &r.sent.run.Answers
	for _, lit := range all.ListOf(a) {
		v := trace.Var(lit)
		if _, twice := w.signs[v]; twice {
			return false
		}
		w.signs[v] = lit > 0
	}
	all.Lits = all.Lits[:a.Pos]
	for _, v := range r.lits {
		if positive, known := w.signs[v]; known && positive {
			all.Lits = append(all.Lits, v)
		} else if known {
			all.Lits = append(all.Lits, -v)
		}
	}
	a.Len = uint32(len(all.Lits)) - a.Pos
	return true
}

// sortCore orders the literals of a core like the assumptions. It marks the answer as strange
// if a literal was not assumed.
func (w *walk) sortCore(r *request, a *trace.Answer) {
	if w.signs == nil {
		w.signs = make(map[int32]bool)
	}
	clear(w.signs)
	for _, lit := range r.lits {
		w.signs[lit] = false
	}
	all := &r.sent.run.Answers
	for _, lit := range all.ListOf(a) {
		if _, assumed := w.signs[lit]; !assumed {
			a.Strange = true
		} else {
			w.signs[lit] = true
		}
	}
	all.Lits = all.Lits[:a.Pos]
	for _, lit := range r.lits {
		if w.signs[lit] {
			all.Lits = append(all.Lits, lit)
		}
	}
	a.Len = uint32(len(all.Lits)) - a.Pos
}
