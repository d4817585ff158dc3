package trace

import (
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// unsaid reports whether the text of a trace omits the answer, because there is none or the
// call returns nothing.
func unsaid(reply apimodel.Reply, a *Answer) bool {
	return a.Kind == NotAnswered || a.Kind == Answered && reply == apimodel.ReplyNothing
}

// appendAnswer appends the sign and the answer. If there is no answer, it appends nothing.
func appendAnswer(dst []byte, sign string, reply apimodel.Reply, a *Answer, all *Answers) []byte {
	if unsaid(reply, a) {
		return dst
	}
	dst = append(dst, sign...)
	switch a.Kind {
	case Withheld:
		return append(dst, " -"...)
	case Unsupported:
		return append(dst, " ?"...)
	}
	switch reply {
	case apimodel.ReplyModel, apimodel.ReplyCore:
		if uint64(a.Pos)+uint64(a.Len) <= uint64(len(all.Lits)) {
			dst = appendLits(dst, all.Lits[a.Pos:a.Pos+a.Len])
		}
		if a.Strange {
			dst = append(dst, " !"...)
		}
	case apimodel.ReplyText:
		if a.Strange {
			return append(dst, " !"...)
		}
		var text []byte
		if uint64(a.Pos)+uint64(a.Len) <= uint64(len(all.Text)) {
			text = all.Text[a.Pos : a.Pos+a.Len]
		}
		dst = appendText(append(dst, ' '), text)
	case apimodel.ReplyCounts:
		dst = strconv.AppendUint(append(dst, ' '), a.Num&math.MaxUint32, 10)
		dst = strconv.AppendUint(append(dst, ' '), a.Num>>32, 10)
	case apimodel.ReplyWeight:
		dst = strconv.AppendUint(append(dst, ' '), a.Num, 10)
	default:
		dst = strconv.AppendInt(append(dst, ' '), a.Int(), 10)
	}
	return dst
}

func appendText(dst, text []byte) []byte {
	return append(printable.AppendEscaped(append(dst, '"'), text), '"')
}

// parseAnswers reads the answers of a call up to the end of the line. sign is the first field
// after the arguments: '=' precedes a recorded answer, "want" the right one. In version 1, '='
// may precede either. parseAnswers takes that answer for the right one, as programs of version
// 1 did.
func (p *parser) parseAnswers(sign []byte, call *apimodel.Call, got, want *Answer) {
	all := &p.trace.Want
	p.comma = commaForbidden
	switch {
	case string(sign) == wantWord && p.version == versionWithoutAnswers:
		panic(p.unexpected(sign, "= or the end of the line in version 1 (\"want\" needs version 2: write \""+magicWord+
			" 2 "+p.trace.Model.Name+"\" in the first line)"))
	case string(sign) == wantWord:
		p.parseAnswer(call, want, all)
	case p.version == versionWithoutAnswers:
		p.parseAnswer(call, want, all)
	default:
		if p.comma = commaAllowed; len(sign) > 1 {
			p.comma = commaSeen
		}
		p.parseAnswer(call, got, &p.trace.Got)
		if p.comma == commaSeen {
			if field := p.lex.next(); string(field) != wantWord {
				panic(p.unexpected(field, "want after the comma"))
			}
			p.comma = commaForbidden
			p.parseAnswer(call, want, all)
		}
	}
	p.endOfLine("the end of the line")
}

// A comma tells whether a comma may end the answer, or has ended it. A comma ends a recorded
// answer before a right one.
type comma uint8

const (
	commaForbidden comma = iota
	commaAllowed
	commaSeen
)

// answerField returns the next field of an answer, without the comma that ends the answer.
// It returns nil at the end of the answer.
func (p *parser) answerField() []byte {
	if p.comma == commaSeen {
		p.lex.start = p.lex.at
		return nil
	}
	field := p.lex.next()
	if last := len(field) - 1; p.comma == commaAllowed && last >= 0 && field[last] == ',' {
		p.comma = commaSeen
		if field = field[:last]; last == 0 {
			return nil
		}
	}
	return field
}

// parseAnswer reads an answer into a, and its literals and text into all.
func (p *parser) parseAnswer(call *apimodel.Call, a *Answer, all *Answers) {
	field := p.answerField()
	p.answerAt = p.lex.start
	a.Kind = Answered
	ok, want := true, ""
	switch {
	case isSign(field, '-'):
		a.Kind = Withheld
	case isSign(field, '?'):
		a.Kind = Unsupported
	case call.Reply == apimodel.ReplyNothing:
		panic(p.unexpected(field, "- (withheld) or ? (not supported): "+call.Name+" has no answer"))
	case call.Reply == apimodel.ReplyModel, call.Reply == apimodel.ReplyCore:
		p.parseAnswerList(field, a, all)
	case call.Reply == apimodel.ReplyText && isSign(field, '!'):
		a.Strange = true
	case call.Reply == apimodel.ReplyText:
		p.parseAnswerText(field, a, all)
	case call.Reply == apimodel.ReplyCounts:
		p.parseAnswerCounts(field, a)
	case call.Reply == apimodel.ReplyWeight:
		a.Num, ok = ParseUnsigned(field, math.MaxUint64)
		want = "an answer from 0 to 18446744073709551615, - or ?"
	default:
		var n int32
		n, ok = parseInt32(field)
		a.Num, want = uint64(int64(n)), "an answer from -2147483648 to 2147483647, - or ?"
	}
	if !ok {
		panic(p.badNumber(field, want))
	}
}

func (p *parser) parseAnswerList(field []byte, a *Answer, all *Answers) {
	a.Pos = uint32(len(all.Lits))
	for ; field != nil; field = p.answerField() {
		if isSign(field, '!') {
			a.Strange = true
			break
		}
		lit, ok := parseInt32(field)
		if !ok || !validLit(lit) {
			panic(p.badNumber(field, wantLit+", or ! at the end"))
		}
		if len(all.Lits) >= p.limits.Literals {
			panic(p.tooMany("literals in the answers", p.limits.Literals))
		}
		all.Lits = append(all.Lits, lit)
	}
	a.Len = uint32(len(all.Lits)) - a.Pos
}

func (p *parser) parseAnswerCounts(field []byte, a *Answer) {
	a.Num = 0
	for shift := 0; shift < 64; shift += 32 {
		if shift > 0 {
			field = p.answerField()
		}
		n, ok := ParseUnsigned(field, math.MaxUint32)
		if !ok {
			panic(p.badNumber(field, "two counts from 0 to 4294967295, - or ?"))
		}
		a.Num |= n << shift
	}
}

func (p *parser) parseAnswerText(first []byte, a *Answer, all *Answers) {
	if first == nil || first[0] != '"' {
		panic(p.unexpected(first, `a text in quotes ("..."), - or ?`))
	}
	line, i := p.lex.line, p.lex.start+1
	if p.comma == commaSeen {
		p.comma = commaAllowed // the comma at the end of the field may be part of the text
	}
	a.Pos = uint32(len(all.Text))
	if len(all.Text)+len(line) > p.limits.Text {
		panic(p.tooMany("bytes of texts in answers", p.limits.Text))
	}
	for {
		if i >= len(line) {
			p.lex.start = len(line)
			panic(p.unexpected(nil, `" at the end of the text`))
		}
		b := line[i]
		i++
		if b == '"' {
			break
		}
		if b == '\\' {
			escaped, length := unescape(line[i:])
			if length == 0 {
				p.lex.start = i - 1
				panic(p.unexpected(line[i-1:min(i+3, len(line))], `\", \\ or \x and two of 0-9a-f`))
			}
			b = escaped
			i += length
		} else if b < ' ' && b != '\t' {
			p.lex.start = i - 1
			panic(p.unexpected(line[i-1:i], `a printable character or \x and two of 0-9a-f`))
		}
		all.Text = append(all.Text, b)
	}
	a.Len = uint32(len(all.Text)) - a.Pos
	p.lex.at = i
	if p.comma == commaAllowed && i < len(line) && line[i] == ',' {
		i++
		p.comma, p.lex.at = commaSeen, i
	}
	if i < len(line) && !isBlank(line[i]) {
		p.lex.start = i
		panic(p.unexpected(line[i:i+1], "a blank or the end of the line"))
	}
}

// unescape reads an escape sequence after its backslash. length is 0 if there is none.
func unescape(b []byte) (value byte, length int) {
	switch {
	case len(b) >= 1 && (b[0] == '"' || b[0] == '\\'):
		return b[0], 1
	case len(b) >= 3 && b[0] == 'x':
		high, low := hexValue(b[1]), hexValue(b[2])
		if high < 16 && low < 16 {
			return high<<4 | low, 3
		}
	}
	return 0, 0
}

func hexValue(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	}
	return 16
}
