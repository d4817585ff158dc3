package trace

import (
	"math"
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// appendAnswer appends " = ANSWER", or nothing without an answer.
func appendAnswer(dst []byte, reply apimodel.Reply, a *Answer, all *Answers) []byte {
	switch a.Kind {
	case NotAnswered:
		return dst
	case Withheld:
		return append(dst, " = -"...)
	case Unsupported:
		return append(dst, " = ?"...)
	}
	if reply == apimodel.ReplyNothing {
		return dst
	}
	dst = append(dst, " ="...)
	switch reply {
	case apimodel.ReplyModel, apimodel.ReplyCore:
		if uint64(a.Pos)+uint64(a.Len) <= uint64(len(all.Lits)) {
			dst = appendLits(dst, all.Lits[a.Pos:a.Pos+a.Len])
		}
		if a.Strange {
			dst = append(dst, " !"...)
		}
	case apimodel.ReplyText:
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

// appendText appends a text in quotes.
func appendText(dst, text []byte) []byte {
	return append(printable.AppendEscaped(append(dst, '"'), text), '"')
}

// parseAnswer reads the answer after '=' into a, literals and text into all.
func (p *parser) parseAnswer(call *apimodel.Call, a *Answer, all *Answers) {
	field := p.lex.next()
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
		p.lex.back()
		p.parseAnswerList(a, all)
	case call.Reply == apimodel.ReplyText:
		p.parseAnswerText(field, a, all)
	case call.Reply == apimodel.ReplyCounts:
		p.lex.back()
		p.parseAnswerCounts(a)
	case call.Reply == apimodel.ReplyWeight:
		a.Num, ok = parseUnsigned(field, math.MaxUint64)
		want = "an answer from 0 to 18446744073709551615, - or ?"
	default:
		var n int32
		n, ok = parseInt32(field)
		a.Num, want = uint64(int64(n)), "an answer from -2147483648 to 2147483647, - or ?"
	}
	if !ok {
		panic(p.badNumber(field, want))
	}
	p.endOfLine("the end of the line")
}

func (p *parser) parseAnswerList(a *Answer, all *Answers) {
	a.Pos = uint32(len(all.Lits))
	for {
		field := p.lex.next()
		if field == nil {
			break
		}
		if isSign(field, '!') {
			a.Strange = true
			break
		}
		lit, ok := parseInt32(field)
		if !ok || !ValidLit(lit) {
			panic(p.badNumber(field, wantLit+", or ! at the end"))
		}
		if len(all.Lits) >= p.limits.Literals {
			panic(p.tooMany("literals in the expectations", p.limits.Literals))
		}
		all.Lits = append(all.Lits, lit)
	}
	a.Len = uint32(len(all.Lits)) - a.Pos
}

func (p *parser) parseAnswerCounts(a *Answer) {
	a.Num = 0
	for shift := 0; shift < 64; shift += 32 {
		field := p.lex.next()
		n, ok := parseUnsigned(field, math.MaxUint32)
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
	a.Pos = uint32(len(all.Text))
	if len(all.Text)+len(line) > p.limits.Text {
		panic(p.tooMany("bytes of expected texts", p.limits.Text))
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
	if i < len(line) && !isBlank(line[i]) {
		p.lex.start = i
		panic(p.unexpected(line[i:i+1], "a blank or the end of the line"))
	}
}

// unescape reads the character after a backslash; length is 0 for none.
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
