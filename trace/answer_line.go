package trace

import (
	"bytes"
	"errors"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// ReadAnswer reads the line with a runner's answer to one call (docs/protocol.md): "= ANSWER"
// as in a trace, "=" for a call without an answer, or "= ?". The effort may follow the answer of
// a solve. ReadAnswer adds literals, text and effort to all.
func ReadAnswer(line []byte, call *apimodel.Call, a *Answer, all *Answers) error {
	p := &parser{limits: DefaultLimits, whole: true, trace: &Trace{}}
	p.lex.reset(line)
	if err := refusal(func() { p.readAnswer(call, a, all) }); err != nil {
		return errors.New("want " + err.Want + ", got " + err.Got)
	}
	return nil
}

func (p *parser) readAnswer(call *apimodel.Call, a *Answer, all *Answers) {
	if field := p.lex.next(); !isSign(field, '=') {
		panic(p.unexpected(field, "= as the first field"))
	}
	switch {
	case call.Reply == apimodel.ReplyStatus:
		p.readStatus(a, all)
		return
	case call.Reply != apimodel.ReplyNothing:
		p.parseAnswer(call, a, all)
		p.endOfLine("the end of the line")
		return
	case isSign(p.lex.next(), '?'):
		a.Kind = Unsupported
	default:
		a.Kind = Answered
		p.lex.back()
	}
	p.endOfLine("the end of the line: " + call.Name + " has no answer")
}

// readStatus reads the answer of a solve and its effort: words NAME=NUMBER, then
// "clauses" and the clauses that the learn callback got.
func (p *parser) readStatus(a *Answer, all *Answers) {
	field := p.lex.next()
	if isSign(field, '?') {
		a.Kind = Unsupported
		p.endOfLine("the end of the line")
		return
	}
	n, ok := parseInt32(field)
	if !ok {
		panic(p.badNumber(field, "an answer from -2147483648 to 2147483647"))
	}
	a.Kind, a.Num = Answered, uint64(int64(n))
	var e Effort
	for {
		field := p.lex.next()
		if field == nil {
			break
		}
		if string(field) == "clauses" {
			p.readLearned(&e, all)
			break
		}
		if !e.set(field) {
			panic(p.unexpected(field, "nanos=, polls=, polls-after-stop=, learned=, too-long=, others-polls=, "+
				"others-learned= with a number, or clauses"))
		}
	}
	if e != (Effort{}) {
		all.SetEffort(a, e)
	}
}

// set reads one word NAME=NUMBER.
func (e *Effort) set(field []byte) bool {
	name, digits, _ := bytes.Cut(field, []byte{'='})
	n, ok := ParseUnsigned(digits, math.MaxUint32)
	switch string(name) {
	case "nanos":
		e.Nanos, ok = ParseUnsigned(digits, math.MaxUint64)
	case "polls":
		e.Polls = uint32(n)
	case "polls-after-stop":
		e.PollsAfter = uint32(n)
	case "learned":
		e.Learned = uint32(n)
	case "too-long":
		e.Odd = uint32(n)
	case "others-polls":
		e.OthersPolled = n > 0
	case "others-learned":
		e.OthersLearned = n > 0
	default:
		return false
	}
	return ok
}

func (p *parser) readLearned(e *Effort, all *Answers) {
	e.Clauses = uint32(len(all.Lits))
	for {
		field := p.lex.next()
		if field == nil {
			break
		}
		lit, ok := parseInt32(field)
		if !ok {
			panic(p.badNumber(field, "literals, and 0 behind each clause"))
		}
		if len(all.Lits) >= p.limits.Literals {
			panic(p.tooMany("literals in the answers", p.limits.Literals))
		}
		all.Lits = append(all.Lits, lit)
	}
	e.ClausesLen = uint32(len(all.Lits)) - e.Clauses
	if e.ClausesLen > 0 && all.Lits[len(all.Lits)-1] != 0 {
		panic(p.unexpected(nil, "0 behind each clause"))
	}
}
