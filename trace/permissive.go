package trace

import (
	"bytes"
	"math"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Permissive turns any bytes into a legal trace, so that a fuzzer that knows nothing about
// traces can drive ipafuzz. It never fails. It makes the same trace as Parse of a text that
// Parse accepts. Of other texts:
//
//   - A line with an illegal call is dropped. If only its right answer makes the call
//     illegal, the call stays without that answer.
//   - A line that begins with the name of a call becomes that call: its numbers become the
//     arguments, and arguments that are missing get values.
//   - In any other line, each byte selects a legal call or an argument.
//
// The first line names the model. If it names none, the model is m, or IPAMIR if m is nil. The
// trace has at most as many calls and literals as there are bytes (and one more literal for
// each repaired call), and no more than DefaultLimits allows.
func Permissive(data []byte, m *apimodel.Model) *Trace {
	data = data[:min(len(data), DefaultLimits.Bytes)]
	p := &permissive{parser{limits: DefaultLimits, trace: &Trace{Model: m}}}
	if m == nil {
		p.trace.Model = apimodel.IPAMIR
	}
	first, rest, _ := bytes.Cut(data, lineEnd)
	p.version = FormatVersion
	if named, version := headIn(first); named != nil {
		p.trace.Model, p.version = named, version
		data = rest
	}
	p.checker = newChecker(p.trace.Model)
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, lineEnd)
		p.takeLine(bytes.TrimRight(line, "\r"))
	}
	return p.trace
}

// headIn returns the model and the version in a header line, which may be damaged. The model is
// nil if the line names none. The version is the newest one unless the line names version 1.
func headIn(line []byte) (m *apimodel.Model, version uint64) {
	version = FormatVersion
	lex := lexer{line: bytes.TrimRight(line, "\r")}
	for range 3 {
		field := lex.next()
		if isSign(field, '0'+versionWithoutAnswers) {
			version = versionWithoutAnswers
		}
		if m := apimodel.ByName(string(field)); m != nil {
			return m, version
		}
	}
	return nil, version
}

// permissive is a parser that continues after errors.
type permissive struct{ parser }

func (p *permissive) takeLine(line []byte) {
	p.lex.reset(line)
	field := p.lex.next()
	if field == nil {
		_ = refusal(p.keepNote) // drops notes over the limit
		return
	}
	before := p.mark()
	if refusal(func() { p.parseCall(field) }) == nil {
		p.keepIfLegal(before)
		return
	}
	p.rollback(before)
	if call, instance := p.namedCall(line); call != nil {
		p.repair(call, instance)
	} else {
		p.chooseCalls(line)
	}
}

// namedCall returns the call that a line names, and leaves the lexer after the name.
func (p *permissive) namedCall(line []byte) (*apimodel.Call, uint16) {
	p.lex.reset(line)
	field := p.lex.next()
	var instance uint16
	if field[0] == '@' {
		instance = uint16(firstNumber(field).size)
		field = p.lex.next()
	}
	return p.trace.Model.CallNamed(string(field)), instance
}

// repair builds a call from the numbers after its name.
func (p *permissive) repair(call *apimodel.Call, instance uint16) {
	if call.Op.Form() == apimodel.FormText || len(p.trace.Calls) >= p.limits.Calls {
		return // no target would know an invented option
	}
	t := p.trace
	before := p.mark()
	c := Call{Op: call.Op, Instance: instance, Pos: uint32(len(t.Lits))}
	for _, arg := range call.Args {
		if len(t.Lits) >= p.limits.Literals {
			return
		}
		if arg.IsList() {
			for len(t.Lits) < p.limits.Literals {
				n, ok := p.nextNumber()
				if !ok || n.size == 0 {
					break
				}
				t.Lits = append(t.Lits, n.literalOf(arg))
			}
			c.Len = uint32(len(t.Lits)) - c.Pos
			continue
		}
		n, ok := p.nextNumber()
		switch arg {
		case apimodel.ArgLit:
			t.Lits = append(t.Lits, n.literalOf(arg))
			c.Len = 1
		case apimodel.ArgWeight, apimodel.ArgBits:
			c.Num = n.size
		case apimodel.ArgMost, apimodel.ArgLevel, apimodel.ArgGroup:
			c.Num = min(n.size, arg.Most())
		case apimodel.ArgCount, apimodel.ArgLimit:
			if c.Num = min(n.size, arg.Most()); !ok {
				c.Flags |= Off
			}
		}
	}
	p.appendIfLegal(c, before)
}

// A number is what a damaged field has of a number.
type number struct {
	negative bool
	size     uint64
}

// literal returns the number as a literal. 0 becomes 1.
func (n number) literal() int32 {
	lit := int32(min(max(n.size, 1), math.MaxInt32))
	if n.negative {
		return -lit
	}
	return lit
}

// literalOf returns the number as a literal for an argument: in a block, literals are positive.
func (n number) literalOf(arg apimodel.Arg) int32 {
	if arg == apimodel.ArgVars {
		n.negative = false
	}
	return n.literal()
}

// nextNumber returns the first number in the next field that has one. It stops at an answer.
func (p *permissive) nextNumber() (number, bool) {
	for {
		field := p.lex.next()
		if field == nil || field[0] == '=' || string(field) == wantWord {
			p.lex.back()
			return number{}, false
		}
		if bytes.ContainsAny(field, "0123456789") {
			return firstNumber(field), true
		}
	}
}

func firstNumber(field []byte) number {
	var n number
	at := bytes.IndexAny(field, "0123456789")
	if at < 0 {
		return n
	}
	n.negative = at > 0 && field[at-1] == '-'
	for _, b := range field[at:] {
		digit := uint64(b - '0')
		if digit > 9 {
			break
		}
		if n.size > (math.MaxUint64-digit)/10 {
			n.size = math.MaxUint64
			break
		}
		n.size = n.size*10 + digit
	}
	return n
}

// chooseCalls reads bytes as choices. Calls are as frequent as their weights, so most of them add
// clauses. One value of a byte in 256 changes the instance.
func (p *permissive) chooseCalls(line []byte) {
	var instance uint16
	choices := &choices{line}
	for len(choices.left) > 0 && len(p.trace.Calls) < p.limits.Calls && len(p.trace.Lits)+maxChosen < p.limits.Literals {
		b := choices.next()
		if b == math.MaxUint8 {
			instance = uint16(choices.next() % 4)
			continue
		}
		if call := p.choose(instance, b); call != nil {
			p.appendChosen(call, instance, choices)
		}
	}
}

// choices are the bytes of a line, followed by zeros.
type choices struct{ left []byte }

func (c *choices) next() byte {
	if len(c.left) == 0 {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return b
}

const (
	maxChosen   = 7   // literals of a clause
	emptyClause = 128 // the byte for an empty clause, only one: such a clause makes everything unsatisfiable
)

// choose returns a legal call of the instance, chosen by weight.
func (p *permissive) choose(instance uint16, b byte) *apimodel.Call {
	calls := p.trace.Model.Calls
	var usable uint64
	sum := 0
	for i := range calls {
		if calls[i].Op.Form() != apimodel.FormText && p.allows(&calls[i], instance) {
			usable |= 1 << i
			sum += calls[i].Weight
		}
	}
	at := int(b) * sum / (math.MaxUint8 + 1)
	for i := range calls {
		if usable&(1<<i) != 0 {
			if at -= calls[i].Weight; at < 0 {
				return &calls[i]
			}
		}
	}
	return nil
}

func (p *permissive) allows(call *apimodel.Call, instance uint16) bool {
	if p.checker.free.Met(instance, call)&call.Legal == 0 {
		return false
	}
	return p.checker.told == nil || p.checker.told.Met(instance, call)&call.Legal != 0
}

func (p *permissive) appendChosen(call *apimodel.Call, instance uint16, choices *choices) {
	t := p.trace
	before := p.mark()
	c := Call{Op: call.Op, Instance: instance}
	for _, arg := range call.Args {
		switch arg {
		case apimodel.ArgClause, apimodel.ArgLits, apimodel.ArgVars:
			shape := choices.next() // 1 to 7 literals, or none for one value in 256; one clause in 32 stays open
			c.Pos, c.Len = uint32(len(t.Lits)), uint32(min(int(shape%maxChosen)+1, max(1, len(choices.left))))
			if shape == emptyClause {
				c.Len = 0
			}
			for range c.Len {
				lit := chosenLit(choices.next())
				if arg == apimodel.ArgVars {
					lit = Var(lit)
				}
				t.Lits = append(t.Lits, lit)
			}
			if shape>>3 == 31 && c.Len > 0 && arg == apimodel.ArgClause {
				c.Flags |= Open
			}
		case apimodel.ArgLit:
			c.Pos, c.Len = uint32(len(t.Lits)), 1
			t.Lits = append(t.Lits, chosenLit(choices.next()))
		case apimodel.ArgWeight, apimodel.ArgBits:
			c.Num = chosenWeight(choices.next())
		case apimodel.ArgMost:
			c.Num = uint64(choices.next())
		case apimodel.ArgLevel, apimodel.ArgGroup:
			c.Num = uint64(choices.next()%4) + 1
		case apimodel.ArgCount, apimodel.ArgLimit:
			if b := choices.next(); b == math.MaxUint8 {
				c.Flags |= Off
			} else {
				c.Num = uint64(b)
			}
		}
	}
	p.appendIfLegal(c, before)
}

// chosenLit returns a literal. Its variable is from 1 to 16, so that clauses share variables, and
// rarely up to 112.
func chosenLit(b byte) int32 {
	v := int32(b>>1)%16 + 1
	if b >= 224 {
		v = int32(b-224)/2*6 + 17
	}
	if b&1 != 0 {
		return -v
	}
	return v
}

// chosenWeight returns the byte itself or a number near a power of two up to 2^64-1.
func chosenWeight(b byte) uint64 {
	if b < 128 {
		return uint64(b)
	}
	return uint64(1)<<(b&63) - uint64(b>>6&1)
}

// A mark is the state of the arenas before a call.
type mark struct {
	calls, lits, bytes int
	want, got          answersMark
}

type answersMark struct{ answers, lits, text int }

func (a *Answers) mark() answersMark { return answersMark{len(a.Of), len(a.Lits), len(a.Text)} }

func (a *Answers) rollback(to answersMark) {
	a.Of, a.Lits, a.Text = a.Of[:to.answers], a.Lits[:to.lits], a.Text[:to.text]
}

func (p *permissive) mark() mark {
	t := p.trace
	return mark{len(t.Calls), len(t.Lits), len(t.Bytes), t.Want.mark(), t.Got.mark()}
}

func (p *permissive) rollback(to mark) {
	t := p.trace
	t.Calls, t.Lits, t.Bytes = t.Calls[:to.calls], t.Lits[:to.lits], t.Bytes[:to.bytes]
	t.Want.rollback(to.want)
	t.Got.rollback(to.got)
}

func (p *permissive) appendIfLegal(c Call, before mark) {
	t := p.trace
	if p.instances.add(c.Instance) > p.limits.Instances {
		p.rollback(before)
		return
	}
	t.Calls = append(t.Calls, c)
	t.Want.addLast(len(t.Calls), Answer{})
	t.Got.addLast(len(t.Calls), Answer{})
	p.keepIfLegal(before)
}

// keepIfLegal keeps the last call if it is legal, with or without its right answer;
// otherwise it drops the call.
func (p *permissive) keepIfLegal(before mark) {
	t := p.trace
	last := len(t.Calls) - 1
	if p.checker.step(t, last) == nil {
		return
	}
	if len(t.Want.Of) > last && t.Want.Of[last].Kind != NotAnswered {
		t.Want.Of[last] = Answer{}
		if p.checker.step(t, last) == nil {
			return
		}
	}
	p.rollback(before)
}
