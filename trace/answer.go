package trace

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/reuse"
)

// An AnswerKind says what happened to a call.
type AnswerKind uint8

const (
	NotAnswered AnswerKind = 0                 // the answer is unknown, or the run ended before the call returned
	Answered    AnswerKind = answerMade        // the call returned
	Withheld    AnswerKind = answerWithheld    // "-": not made, because it is illegal after an earlier answer
	Unsupported AnswerKind = answerUnsupported // "?": not made, because the target lacks the function
)

// An Answer is the answer of one call. Num, Pos and Len depend on the call's reply:
//
//	status, flag, code  Num, as a signed number
//	weight, two counts  Num
//	literal             Num, as a signed 32-bit number, exactly as returned
//	model               Lits[Pos:Pos+Len]: of each variable in use, in order of first
//	                    occurrence, v if true, -v if false; variables that are "not
//	                    important" are omitted
//	core                Lits[Pos:Pos+Len]: the assumptions for which failed returned non-zero
//	text                Text[Pos:Pos+Len]
//
// An Answer is small, so that a batch of answers fits into the second-level cache.
type Answer struct {
	Kind AnswerKind
	// Strange says that the target returned something that the interface does not know: for a model,
	// a val returned none of lit, -lit and 0; for a core, a failed returned neither 0 nor 1; for a
	// text, the function returned NULL.
	Strange  bool
	Pos, Len uint32
	effort   uint32 // for a solve, 1 + the index of its effort; 0: none
	Num      uint64
}

// Int returns Num as the signed number that the C function returned.
func (a *Answer) Int() int64 { return int64(a.Num) }

// Effort is what the executor observed of a solve besides its answer. Right answers have none.
type Effort struct {
	Nanos      uint64 // wall time
	Polls      uint32 // how often the terminate callback was called
	PollsAfter uint32 // how many of the calls came after it first said stop
	Learned    uint32 // how often the learn callback was called
	Clauses    uint32 // where the learned clauses, each with its final 0, begin in Lits
	ClausesLen uint32 // how many words they take; clauses without space are missing
	Odd        uint32 // how often the learn callback got a clause longer than allowed
	// The solve called the terminate or learn callback of another instance, in the client's thread.
	OthersPolled, OthersLearned bool
}

// Answers are the answers of a trace: none at all, or one for each call.
type Answers struct {
	Of      []Answer
	Lits    []int32
	Text    []byte
	efforts []Effort
}

// Reset empties the answers and keeps the memory that they need.
func (a *Answers) Reset() {
	a.Of = reuse.Empty(a.Of)
	a.Lits = reuse.Empty(a.Lits)
	a.Text = reuse.Empty(a.Text)
	a.efforts = reuse.Empty(a.efforts)
}

// Clone returns a copy that shares no memory with a.
func (a *Answers) Clone() Answers {
	return Answers{
		Of:      append([]Answer(nil), a.Of...),
		Lits:    append([]int32(nil), a.Lits...),
		Text:    append([]byte(nil), a.Text...),
		efforts: append([]Effort(nil), a.efforts...),
	}
}

// At returns the answer of call i. Its kind is NotAnswered if there is none.
func (a *Answers) At(i int) *Answer {
	if i < len(a.Of) {
		return &a.Of[i]
	}
	return &noAnswer
}

var noAnswer Answer

// EffortOf returns the effort of a solve's answer, or the zero Effort if it is not known.
func (a *Answers) EffortOf(answer *Answer) Effort {
	if answer.effort == 0 {
		return Effort{}
	}
	return a.efforts[answer.effort-1]
}

// SetEffort sets the effort of a solve's answer.
func (a *Answers) SetEffort(answer *Answer, e Effort) {
	if answer.effort == 0 {
		a.efforts = append(a.efforts, Effort{})
		answer.effort = uint32(len(a.efforts))
	}
	a.efforts[answer.effort-1] = e
}

// ListOf returns the literals of a model or core answer.
func (a *Answers) ListOf(answer *Answer) []int32 {
	return a.Lits[answer.Pos : answer.Pos+answer.Len : answer.Pos+answer.Len]
}

// TextOf returns the text of an answer: a signature or a proof.
func (a *Answers) TextOf(answer *Answer) string {
	return string(a.Text[answer.Pos : answer.Pos+answer.Len])
}

// LearnedBy returns the learned clauses of a solve, each with its final 0, as far as there was
// space for them.
func (a *Answers) LearnedBy(answer *Answer) []int32 {
	e := a.EffortOf(answer)
	return a.Lits[e.Clauses : e.Clauses+e.ClausesLen : e.Clauses+e.ClausesLen]
}

// Show returns an answer as text, for a message that compares answers.
func (a *Answers) Show(answer *Answer, reply apimodel.Reply) string {
	switch answer.Kind {
	case Withheld:
		return "-"
	case Unsupported:
		return "?"
	}
	switch reply {
	case apimodel.ReplyNothing:
		return "made"
	case apimodel.ReplyWeight:
		return fmt.Sprint(answer.Num)
	case apimodel.ReplyModel, apimodel.ReplyCore:
		text := fmt.Sprint(a.ListOf(answer))
		if answer.Strange {
			text += " and strange values"
		}
		return text
	case apimodel.ReplyText:
		if answer.Strange {
			return "NULL"
		}
		return a.TextOf(answer)
	}
	return fmt.Sprint(int32(answer.Num))
}
