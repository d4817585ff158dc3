package trace

import (
	"errors"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// ReadAnswer reads a runner's answer to one call (docs/protocol.md): "= ANSWER" as
// in a trace, "=" for a call without an answer, or "= ?". The effort may follow the
// answer of a solve.
func ReadAnswer(line []byte, call *apimodel.Call, a *Answer, all *Answers) error {
	p := &parser{limits: DefaultLimits, whole: true, trace: &Trace{}}
	p.lex.reset(line)
	if field := p.lex.next(); !isSign(field, '=') {
		return inWords(p.unexpected(field, "= as the first field"))
	}
	switch {
	case call.Reply == apimodel.ReplyStatus:
		return inWords(p.readStatus(a, all))
	case call.Reply != apimodel.ReplyNothing:
		return inWords(p.parseAnswer(call, a, all))
	}
	if field := p.lex.next(); isSign(field, '?') {
		a.Kind = Unsupported
	} else {
		a.Kind = Answered
		p.lex.back()
	}
	return inWords(p.endOfLine("the end of the line: " + call.Name + " has no answer"))
}

func inWords(err *ParseError) error {
	if err == nil {
		return nil
	}
	return errors.New("want " + err.Want + ", got " + err.Got)
}

// readStatus reads the answer of a solve and its effort: words NAME=NUMBER, then
// "clauses" and the clauses that the learn callback got.
func (p *parser) readStatus(a *Answer, all *Answers) *ParseError {
	field := p.lex.next()
	if isSign(field, '?') {
		a.Kind = Unsupported
		return p.endOfLine("the end of the line")
	}
	n, ok := parseInt32(field)
	if !ok {
		return p.badNumber(field, "an answer from -2147483648 to 2147483647")
	}
	a.Kind, a.Num = Answered, uint64(int64(n))
	var e Effort
	for {
		field := p.lex.next()
		if field == nil {
			break
		}
		if string(field) == "clauses" {
			if err := p.readLearned(&e, all); err != nil {
				return err
			}
			break
		}
		if !e.set(field) {
			return p.unexpected(field, "nanos=, polls=, polls-after-stop=, learned=, too-long= with a number, or clauses")
		}
	}
	if e != (Effort{}) {
		all.SetEffort(a, e)
	}
	return nil
}

// set reads one word NAME=NUMBER.
func (e *Effort) set(field []byte) bool {
	at := len(field)
	for i, b := range field {
		if b == '=' {
			at = i
			break
		}
	}
	if at == len(field) {
		return false
	}
	if string(field[:at]) == "nanos" {
		n, ok := parseUnsigned(field[at+1:], math.MaxUint64)
		e.Nanos = n
		return ok
	}
	n, ok := parseUnsigned(field[at+1:], math.MaxUint32)
	switch string(field[:at]) {
	case "polls":
		e.Polls = uint32(n)
	case "polls-after-stop":
		e.PollsAfter = uint32(n)
	case "learned":
		e.Learned = uint32(n)
	case "too-long":
		e.Odd = uint32(n)
	default:
		return false
	}
	return ok
}

func (p *parser) readLearned(e *Effort, all *Answers) *ParseError {
	e.Clauses = uint32(len(all.Lits))
	for {
		field := p.lex.next()
		if field == nil {
			break
		}
		lit, ok := parseInt32(field)
		if !ok {
			return p.badNumber(field, "literals, and 0 behind each clause")
		}
		if len(all.Lits) >= p.limits.Literals {
			return p.tooMany("literals in the answers", p.limits.Literals)
		}
		all.Lits = append(all.Lits, lit)
	}
	e.ClausesLen = uint32(len(all.Lits)) - e.Clauses
	if e.ClausesLen > 0 && all.Lits[len(all.Lits)-1] != 0 {
		return p.unexpected(nil, "0 behind each clause")
	}
	return nil
}
