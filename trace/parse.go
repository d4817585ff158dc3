package trace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Parse reads the text of a trace and checks that it is legal. Its errors are
// *ParseErrors and name the file.
func Parse(r io.Reader, file string) (*Trace, error) { return ParseLimits(r, file, DefaultLimits) }

// ParseString is like Parse for a text in memory, whose last line need not have a line end.
func ParseString(s string) (*Trace, error) {
	return parse(source{piece: []byte(s)}, "", DefaultLimits, true)
}

// ParseLimits is like Parse with other limits.
func ParseLimits(r io.Reader, file string, limits Limits) (*Trace, error) {
	return parse(source{from: r}, file, limits, true)
}

// ParseSyntax is like Parse, but the trace need not be legal. It may be the log of a run with
// answers that the interface does not know, for example.
func ParseSyntax(r io.Reader, file string) (*Trace, error) {
	return parse(source{from: r}, file, DefaultLimits, false)
}

// Locate adds the place to an error about a call of a trace that was parsed without error. It reads
// the text of the trace again, and returns a *ParseError at the call, or nil if it has no such call.
func Locate(r io.Reader, file string, refused *CheckError) error {
	p := &parser{source: source{from: r}, limits: DefaultLimits.withDefaults(), file: file, trace: &Trace{},
		refused: refused}
	p.source.limits = &p.limits
	if err := refusal(func() { p.read(false) }); err != nil {
		return err
	}
	return nil
}

// A parser reads one trace.
type parser struct {
	source    source
	limits    Limits
	file      string
	number    int  // number of the line, from 1
	whole     bool // the line has a line end
	lex       lexer
	version   uint64
	answerAt  int // where the last answer of the line begins
	comma     comma
	noteBytes int
	instances instanceSet
	trace     *Trace
	checker   *checker    // nil: calls may be illegal
	refused   *CheckError // nil, or an error about the call to stop at
}

func parse(from source, file string, limits Limits, strict bool) (*Trace, error) {
	p := &parser{source: from, limits: limits.withDefaults(), file: file, trace: &Trace{}}
	p.source.limits = &p.limits
	if err := refusal(func() { p.read(strict) }); err != nil {
		return nil, err
	}
	return p.trace, nil
}

// refusal calls read and returns the error with which the parser refused the text, or nil. To
// refuse a text, methods of a parser panic with a *ParseError, at any depth.
func refusal(read func()) (err *ParseError) {
	defer func() {
		switch refused := recover().(type) {
		case nil:
		case *ParseError:
			err = refused
		default:
			panic(refused)
		}
	}()
	read()
	return nil
}

func (p *parser) read(strict bool) {
	p.readHeader()
	p.wholeLine()
	if strict {
		p.checker = newChecker(p.trace.Model)
	}
	for p.readLine() {
		p.parseLine()
		p.wholeLine()
	}
}

// wholeLine refuses a last line without a line end, because a file that is cut off in the middle
// of a number may still look legal.
func (p *parser) wholeLine() {
	if p.whole || p.source.from == nil {
		return
	}
	p.lex.start = len(p.lex.line)
	panic(p.failure("the end of the line", "the end of the file: it ends in the middle of a line (is it half-written?)"))
}

// readLine gives the next line to the lexer. It returns false at the end of the file.
func (p *parser) readLine() bool {
	line, whole, err := p.source.line()
	p.number++
	p.whole = whole
	p.lex.reset(line)
	switch {
	case err == nil:
		return true
	case err == io.EOF:
		return false
	case err == errLineTooLong:
		p.lex.start = p.limits.Line
		panic(p.failure("a line of at most "+strconv.Itoa(p.limits.Line)+" bytes", "a longer one"))
	case err == errFileTooLong:
		panic(p.failure("at most "+strconv.Itoa(p.limits.Bytes)+" bytes in all", "more"))
	}
	failed := p.failure("the rest of the file", "an error: "+err.Error())
	failed.Err = err
	panic(failed)
}

// parseLine reads a line after the header: a call, a comment or nothing.
func (p *parser) parseLine() {
	field := p.lex.next()
	if field == nil {
		p.keepNote()
		return
	}
	if len(p.trace.Calls) == 0 {
		p.reserve()
	}
	nameAt := p.parseCall(field)
	if p.refused != nil && p.refused.Call == len(p.trace.Calls)-1 {
		panic(p.illegal(p.refused.Err, nameAt))
	}
	if p.checker == nil {
		return
	}
	if illegal := p.checker.step(p.trace, len(p.trace.Calls)-1); illegal != nil {
		panic(p.illegal(illegal, nameAt))
	}
}

// keepNote adds a comment before the first call to the notes.
func (p *parser) keepNote() {
	comment := p.lex.line[p.lex.start:]
	if len(comment) == 0 || len(p.trace.Calls) > 0 {
		return
	}
	text := comment[1:]
	if len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	p.noteBytes += len(text)
	switch {
	case len(p.trace.Notes)+len(p.trace.Planted) >= p.limits.Notes:
		panic(p.tooMany("comment lines before the first call", p.limits.Notes))
	case p.noteBytes > p.limits.NoteBytes:
		panic(p.tooMany("bytes of comments before the first call", p.limits.NoteBytes))
	}
	p.trace.addNote(string(text))
}

// reserve allocates space for the calls in the first piece of the file, so that the arenas of
// most traces need not grow.
func (p *parser) reserve() {
	piece := p.source.piece[min(p.source.begin, len(p.source.piece)):]
	piece = piece[:min(len(piece), firstPiece)]
	lines := 1 + bytes.Count(piece, lineEnd)
	blanks := len(p.lex.line)/2 + bytes.Count(piece, blank)
	if cap(p.trace.Calls) == 0 {
		p.trace.Calls = make([]Call, 0, min(lines, p.limits.Calls))
		p.trace.Lits = make([]int32, 0, min(blanks, p.limits.Literals))
	}
}

var (
	lineEnd = []byte{'\n'}
	blank   = []byte{' '}
)

// parseCall reads the call that begins with the field, and appends it to the trace. It returns
// the offset of the call's name in the line.
func (p *parser) parseCall(field []byte) (nameAt int) {
	t := p.trace
	var c Call
	if field[0] == '@' {
		if t.Model.File {
			panic(p.unexpected(field, "a call without @: a formula file has one solve"))
		}
		n, ok := ParseUnsigned(field[1:], math.MaxUint16)
		if !ok {
			panic(p.badNumber(field, "@ and an instance from 0 to 65535"))
		}
		c.Instance = uint16(n)
		field = p.lex.next()
	}
	nameAt = p.lex.start
	var call *apimodel.Call
	if field == nil {
		panic(p.unexpected(field, "a call"))
	}
	if call = t.Model.CallNamed(string(field)); call == nil {
		panic(p.unknownCall(field))
	}
	if len(t.Calls) >= p.limits.Calls {
		panic(p.tooMany("calls", p.limits.Calls))
	}
	if p.instances.add(c.Instance) > p.limits.Instances {
		panic(p.tooMany("different instances", p.limits.Instances))
	}
	c.Op = call.Op
	for _, arg := range call.Args {
		p.parseArg(&c, call, arg)
	}
	var got, want Answer
	if field = p.lex.next(); p.isAnswerSign(field) {
		p.parseAnswers(field, call, &got, &want)
	} else if field != nil {
		needed := "= or want or the end of the line"
		if p.version == versionWithoutAnswers {
			needed = "= or the end of the line"
		}
		if call.Op.Form() == apimodel.FormLits && c.Flags&Open == 0 {
			list := "clause"
			if slices.Contains(call.Args, apimodel.ArgVars) {
				list = "block"
			}
			needed += " (0 ends the " + list + "; nothing may follow it)"
		}
		panic(p.unexpected(field, needed))
	}
	t.Calls = append(t.Calls, c)
	t.Want.addLast(len(t.Calls), want)
	t.Got.addLast(len(t.Calls), got)
	return nameAt
}

// isAnswerSign reports whether an answer follows the field. The field "=," is a recorded list
// without literals, before a right one.
func (p *parser) isAnswerSign(field []byte) bool {
	return isSign(field, '=') || string(field) == wantWord || string(field) == "=," && p.version != versionWithoutAnswers
}

// addLast adds the answer of the last call. calls is the number of calls, including that one.
func (a *Answers) addLast(calls int, answer Answer) {
	if answer.Kind == NotAnswered && len(a.Of) == 0 {
		return
	}
	for len(a.Of) < calls-1 {
		a.Of = append(a.Of, Answer{})
	}
	a.Of = append(a.Of, answer)
}

const wantLit = "a literal from -2147483647 to 2147483647, not 0"

func (p *parser) parseArg(c *Call, call *apimodel.Call, arg apimodel.Arg) {
	if arg.IsList() {
		p.parseLits(c, call, arg)
		return
	}
	field := p.lex.next()
	var ok bool
	switch arg {
	case apimodel.ArgLit:
		lit, isNumber := parseInt32(field)
		if !isNumber || !validLit(lit) {
			panic(p.badNumber(field, wantLit))
		}
		c.Pos, c.Len = uint32(len(p.trace.Lits)), 1
		p.addLit(lit)
	case apimodel.ArgWeight:
		least := uint64(0) // a soft literal of weight 0 takes a cost away
		if call.Op.Form() == apimodel.FormWeighted {
			least = 1
		}
		if c.Num, ok = ParseUnsigned(field, math.MaxUint64); !ok || c.Num < least {
			panic(p.badNumber(field, "a weight from "+strconv.FormatUint(least, 10)+" to 18446744073709551615"))
		}
	case apimodel.ArgBits:
		if c.Num, ok = ParseUnsigned(field, math.MaxUint64); !ok {
			panic(p.badNumber(field, "a number from 0 to 18446744073709551615"))
		}
	case apimodel.ArgLevel:
		if c.Num, ok = ParseUnsigned(field, arg.Most()); !ok || c.Num == 0 {
			panic(p.badNumber(field, "the level of a block, from 1 to "+strconv.FormatUint(arg.Most(), 10)))
		}
	case apimodel.ArgGroup:
		if c.Num, ok = ParseUnsigned(field, arg.Most()); !ok {
			panic(p.badNumber(field, "the number of a group, from 0 to "+strconv.FormatUint(arg.Most(), 10)))
		}
	case apimodel.ArgMost:
		if c.Num, ok = ParseUnsigned(field, arg.Most()); !ok {
			panic(p.badNumber(field, "a number from 0 to "+strconv.FormatUint(arg.Most(), 10)))
		}
	case apimodel.ArgCount, apimodel.ArgLimit:
		if string(field) == "off" {
			c.Flags |= Off
		} else if c.Num, ok = ParseUnsigned(field, arg.Most()); !ok {
			panic(p.badNumber(field, "off or a count from 0 to "+strconv.FormatUint(arg.Most(), 10)))
		}
	case apimodel.ArgName:
		if want := badOptionName(field); want != "" {
			panic(p.unexpected(field, want))
		}
		if len(p.trace.Bytes)+2*maxOptionWord+1 > p.limits.Text {
			panic(p.tooMany("bytes of options", p.limits.Text))
		}
		c.Pos = uint32(len(p.trace.Bytes))
		p.trace.Bytes = append(append(p.trace.Bytes, field...), 0)
	case apimodel.ArgValue:
		if want := badOptionValue(field); want != "" {
			panic(p.unexpected(field, want))
		}
		p.trace.Bytes = append(p.trace.Bytes, field...)
		c.Len = uint32(len(p.trace.Bytes)) - c.Pos
	}
}

// parseLits reads literals up to their final 0, which only a clause may lack.
func (p *parser) parseLits(c *Call, call *apimodel.Call, arg apimodel.Arg) {
	c.Pos = uint32(len(p.trace.Lits))
	for {
		field := p.lex.next()
		if field == nil || p.isAnswerSign(field) {
			c.Len = uint32(len(p.trace.Lits)) - c.Pos
			if arg == apimodel.ArgVars {
				panic(p.unexpected(field, "the variables of "+call.Name+" up to the final 0"))
			}
			if c.Len == 0 {
				panic(p.unexpected(field, "a literal, or 0 for the empty clause"))
			}
			if arg == apimodel.ArgLits || !call.Legal.Has(apimodel.Clause) {
				panic(p.unexpected(nil, "the literals of "+call.Name+" up to the final 0"))
			}
			c.Flags |= Open
			p.lex.back()
			return
		}
		lit, ok := parseInt32(field)
		if arg == apimodel.ArgVars && (!ok || lit < 0) {
			panic(p.badNumber(field, "a variable from 1 to 2147483647, or 0 to end the block"))
		}
		if !ok || lit == math.MinInt32 {
			panic(p.badNumber(field, "a literal from -2147483647 to 2147483647, or 0 to end the clause"))
		}
		if lit == 0 {
			c.Len = uint32(len(p.trace.Lits)) - c.Pos
			return
		}
		p.addLit(lit)
	}
}

func (p *parser) addLit(lit int32) {
	if len(p.trace.Lits) >= p.limits.Literals {
		panic(p.tooMany("literals", p.limits.Literals))
	}
	p.trace.Lits = append(p.trace.Lits, lit)
}

// endOfLine refuses anything but a comment in the rest of the line.
func (p *parser) endOfLine(want string) {
	if field := p.lex.next(); field != nil {
		panic(p.unexpected(field, want))
	}
}

// failure returns an error at the place of the last field.
func (p *parser) failure(want, got string) *ParseError {
	return &ParseError{File: p.file, Line: p.number, Column: p.lex.start + 1, Want: want, Got: got}
}

// unexpected returns the error for a wrong last field. field is nil at the end of the line.
func (p *parser) unexpected(field []byte, want string) *ParseError {
	switch {
	case field != nil:
		return p.failure(want, printable.Excerpt(field))
	case p.whole:
		return p.failure(want, "the end of the line")
	}
	return p.failure(want, "the end of the file")
}

func (p *parser) badNumber(field []byte, want string) *ParseError {
	if odd(field) {
		want += " (without + or leading zeros)"
	}
	return p.unexpected(field, want)
}

func (p *parser) tooMany(what string, limit int) *ParseError {
	return p.failure("at most "+strconv.Itoa(limit)+" "+what, "more")
}

func (p *parser) unknownCall(field []byte) *ParseError {
	m := p.trace.Model
	err := p.unexpected(field, "a call of "+m.Name+" ("+strings.Join(m.CallNames(), ", ")+")")
	var others []string
	for _, other := range apimodel.AllModels() {
		if call := other.CallNamed(string(field)); call != nil && (other.Extends == nil || other.Own(call)) {
			others = append(others, other.Name)
		}
	}
	if len(others) > 0 {
		err.Got += ", which is a call of " + strings.Join(others, " and ")
	}
	return err
}

// illegal adds the place to an error of the checker.
func (p *parser) illegal(err error, nameAt int) *ParseError {
	if illegal, ok := errors.AsType[*apimodel.IllegalCall](err); ok {
		p.lex.start = nameAt
		failed := p.failure("a call that is legal in state "+illegal.Met.String(),
			illegal.Call.Name+": it needs "+illegal.Needs.String())
		failed.Err = err
		return failed
	}
	if misuse, ok := errors.AsType[*Misuse](err); ok {
		p.lex.at = nameAt
		for range misuse.Arg + 1 {
			p.lex.next()
		}
		failed := p.failure(misuse.Want, printable.Excerpt(p.lex.line[p.lex.start:p.lex.at])+" ("+misuse.Problem+")")
		failed.Err = err
		return failed
	}
	// The arguments are right, so the answer of a solve is wrong.
	p.lex.start = p.answerAt
	call := p.trace.Model.Call(apimodel.OpSolve)
	var known []string
	for status := range 100 {
		if c, ok := apimodel.AnswerCondition(status); ok {
			if _, leads := call.Leads(apimodel.Input, c); leads {
				known = append(known, strconv.Itoa(status))
			}
		}
	}
	p.lex.at = p.lex.start
	return p.unexpected(p.lex.next(), "an answer that solve gives ("+strings.Join(known, ", ")+")")
}
