package trace

import (
	"bytes"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Equal reports whether two well-formed traces have the same model, notes, planted assignments,
// calls and answers. It ignores positions in the arenas and the effort of solves.
func Equal(a, b *Trace) bool {
	if a.Model != b.Model || !slices.Equal(a.Notes, b.Notes) || !equalPlanted(a.Planted, b.Planted) ||
		len(a.Calls) != len(b.Calls) {
		return false
	}
	for i := range a.Calls {
		if !equalCalls(a, &a.Calls[i], b, &b.Calls[i]) {
			return false
		}
		if reply := a.replyOf(i); !equalAnswers(reply, &a.Want, a.Want.At(i), &b.Want, b.Want.At(i)) ||
			!equalAnswers(reply, &a.Got, a.Got.At(i), &b.Got, b.Got.At(i)) {
			return false
		}
	}
	return true
}

// CallsAlone returns the text of a trace without its notes, planted assignments and recorded
// answers.
func CallsAlone(t *Trace) string {
	bare := *t
	bare.Notes, bare.Planted, bare.Got = nil, nil, Answers{}
	return bare.String()
}

func (t *Trace) replyOf(i int) apimodel.Reply {
	if t.Model != nil {
		if call := t.Model.Call(t.Calls[i].Op); call != nil {
			return call.Reply
		}
	}
	return apimodel.ReplyNothing
}

func equalCalls(a *Trace, c *Call, b *Trace, d *Call) bool {
	if c.Op != d.Op || c.Flags != d.Flags || c.Instance != d.Instance || c.Len != d.Len {
		return false
	}
	switch c.Op.Form() {
	case apimodel.FormText:
		return bytes.Equal(a.Bytes[c.Pos:c.Pos+c.Len], b.Bytes[d.Pos:d.Pos+d.Len])
	case apimodel.FormLits, apimodel.FormLit:
		return slices.Equal(a.Args(c), b.Args(d))
	case apimodel.FormSoft, apimodel.FormExtend, apimodel.FormWeighted:
		return c.Num == d.Num && slices.Equal(a.Args(c), b.Args(d))
	case apimodel.FormNumber, apimodel.FormLong:
		return c.Num == d.Num || c.Flags&Off != 0
	}
	return true
}

func equalAnswers(reply apimodel.Reply, all *Answers, x *Answer, others *Answers, y *Answer) bool {
	kindOf := func(a *Answer) AnswerKind {
		if a.Kind == Answered && reply == apimodel.ReplyNothing {
			return NotAnswered // the text cannot express it
		}
		return a.Kind
	}
	if kindOf(x) != kindOf(y) {
		return false
	}
	if kindOf(x) != Answered {
		return true
	}
	switch reply {
	case apimodel.ReplyModel, apimodel.ReplyCore:
		return x.Strange == y.Strange && slices.Equal(all.ListOf(x), others.ListOf(y))
	case apimodel.ReplyText:
		return x.Strange == y.Strange && all.TextOf(x) == others.TextOf(y)
	}
	return x.Num == y.Num
}
