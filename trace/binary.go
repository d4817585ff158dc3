package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// learnedRoom is the space in words for the learned clauses of a trace. The executor only counts
// clauses that do not fit.
const learnedRoom = 2048

// MaxInstances is the maximum number of instances that one trace may use.
const MaxInstances = maxInstances

// An Encoder encodes traces for the executor. It reuses its memory from trace to trace.
type Encoder struct {
	slotOf    []numbered // by instance number
	slots     []slot
	calls     []uint32
	seen      []seenVar // hash table with open addressing
	seenCount int
	stamp     uint32 // number of the trace; entries with another stamp are from earlier traces
}

// numbered is the slot number of an instance.
type numbered struct{ stamp, slot uint32 }

type slot struct {
	instance uint16
	vars     []int32
	first    int     // index in vars of the first variable of the current solver
	small    uint64  // bit v is set if the solver has named variable v; most variables are below 64
	pending  []int32 // assumptions since the last solve
	assumed  []int32 // assumptions of the last solve
}

type seenVar struct {
	stamp, slot uint32
	v           int32
	at          int32 // last position in the slot's vars
}

// ErrTooManyInstances reports a trace with more than MaxInstances instances.
var ErrTooManyInstances = fmt.Errorf("the trace has more than %d instances", MaxInstances)

// Append appends the executor's part of the binary form of t: the header, the tables of
// variables, and the calls. The tables are complete only after the last call. So Append first
// encodes the calls elsewhere, which costs less than reading the trace twice.
func (e *Encoder) Append(dst []uint32, t *Trace) ([]uint32, error) {
	answers, learned, err := e.encodeCalls(t)
	if err != nil {
		return dst, err
	}
	head := len(dst)
	dst = append(dst, make([]uint32, headLength)...)
	for i := range e.slots {
		s := &e.slots[i]
		dst = append(dst, uint32(s.instance), uint32(len(s.vars)))
		for _, v := range s.vars {
			dst = append(dst, uint32(v))
		}
	}
	vars := len(dst) - head - headLength
	dst = append(dst, e.calls...)
	if len(dst)-head > math.MaxInt32 {
		return dst[:head], errors.New("the trace is too large for its binary form")
	}
	h := dst[head:]
	h[headMagic], h[headVersion], h[headModel] = binaryMagic, binaryVersion, t.Model.ID
	h[headWords], h[headCalls], h[headInstances] = uint32(len(h)), uint32(len(t.Calls)), uint32(len(e.slots))
	h[headVars], h[headAnswers], h[headLearned] = uint32(vars), uint32(answers+learned), uint32(learned)
	return dst, nil
}

// encodeCalls numbers the instances, lists the variables of each, and encodes the calls into
// e.calls. It returns how many words the answers and the learned clauses may take at most.
func (e *Encoder) encodeCalls(t *Trace) (answers, learned int, err error) {
	e.begin()
	words := e.calls[:0]
	var s *slot
	number := uint32(0)
	for i := range t.Calls {
		c := &t.Calls[i]
		if s == nil || s.instance != c.Instance {
			if s = e.slotFor(c.Instance); s == nil {
				return 0, 0, ErrTooManyInstances
			}
			number = e.slotOf[c.Instance].slot
		}
		start := len(words)
		words = append(words, uint32(c.Op)|uint32(c.Flags)<<callFlagShift|number<<callInstanceShift, 0)
		code := &codes[c.Op]
		if code.form == apimodel.FormLits || code.form == apimodel.FormLit { // nearly all calls
			for _, lit := range t.Args(c) {
				if !s.hasSeen(lit) {
					e.see(s, lit)
				}
				words = append(words, uint32(lit))
			}
		} else {
			words = e.appendArgs(words, t, c, s)
		}
		words[start+1] = uint32(len(words) - start - callWords)
		if answers += int(code.bound); code.bound == 0 {
			answers += answerBound(c.Op, words[start+callWords:])
		}
		if !code.notes {
			continue
		}
		switch {
		case c.Op == apimodel.OpSolve:
			s.pending, s.assumed = s.assumed[:0], s.pending
		case c.Op == apimodel.OpAssume:
			s.pending = append(s.pending, t.Lit(c))
		case c.Op == apimodel.OpLearn:
			learned = learnedRoom
		case c.Op == apimodel.OpRelease:
			s.pending, s.assumed = s.pending[:0], s.assumed[:0]
			s.first, s.small = len(s.vars), 0
		case c.Op.Does(apimodel.Clears):
			s.pending = s.pending[:0]
		}
	}
	e.calls = words
	return answers, learned, nil
}

// A code holds all that the encoder and the decoder need to know about an operation, so that they need only one
// load.
type code struct {
	form  apimodel.Form
	bound uint32 // answerBound, or 0 if it depends on the arguments
	notes bool   // a call changes what model and core ask about, or needs space for learned clauses
	quiet bool   // a call has no reply
}

var codes = func() (all [math.MaxUint8 + 1]code) {
	for i := range all {
		op := apimodel.Op(i)
		all[i].form, all[i].quiet = op.Form(), op.Reply() == apimodel.ReplyNothing
		if form := op.Form(); form != apimodel.FormVars && form != apimodel.FormAssumed {
			all[i].bound = uint32(answerBound(op, nil))
		}
		all[i].notes = op == apimodel.OpAssume || op == apimodel.OpLearn || op.Does(apimodel.Clears|apimodel.Renews)
	}
	return all
}()

// appendArgs appends the argument words of a call other than literals.
func (e *Encoder) appendArgs(dst []uint32, t *Trace, c *Call, s *slot) []uint32 {
	switch codes[c.Op].form {
	case apimodel.FormSoft:
		e.see(s, t.Lit(c))
		dst = append(dst, uint32(t.Lit(c)), uint32(c.Num), uint32(c.Num>>32))
	case apimodel.FormExtend:
		dst = append(dst, uint32(c.Num))
		for _, v := range t.Args(c) {
			e.see(s, v)
			dst = append(dst, uint32(v))
		}
	case apimodel.FormWeighted:
		dst = append(dst, uint32(c.Num), uint32(c.Num>>32))
		for _, lit := range t.Args(c) {
			e.see(s, lit)
			dst = append(dst, uint32(lit))
		}
	case apimodel.FormNumber:
		dst = append(dst, uint32(c.Num))
	case apimodel.FormLong:
		dst = append(dst, uint32(c.Num), uint32(c.Num>>32))
	case apimodel.FormText:
		dst = appendBytes(append(dst, c.Len+1), t.Bytes[c.Pos:c.Pos+c.Len])
	case apimodel.FormVars:
		dst = append(dst, uint32(s.first), uint32(len(s.vars)-s.first))
	case apimodel.FormAssumed:
		for _, lit := range s.assumed {
			dst = append(dst, uint32(lit))
		}
	}
	return dst
}

// answerBound returns the maximum number of words of an answer, including its head.
func answerBound(op apimodel.Op, args []uint32) int {
	switch op.Reply() {
	case apimodel.ReplyStatus:
		return 1 + solveLength
	case apimodel.ReplyWeight, apimodel.ReplyCounts:
		return 3
	case apimodel.ReplyModel:
		return 1 + valueWords(int(args[1]))
	case apimodel.ReplyCore:
		return 1 + valueWords(len(args))
	case apimodel.ReplyText:
		return 2 + textBytes(op)/4
	}
	return 2
}

// textBytes returns how many bytes the executor keeps of an answer that is a text.
func textBytes(op apimodel.Op) int {
	if op == apimodel.OpProof {
		return proofBytes
	}
	return signatureBytes
}

// AnswerWords returns the maximum number of words of the answers to an encoded trace.
func AnswerWords(encoded []uint32) int { return int(encoded[headAnswers]) }

// appendBytes packs text and at least one NUL into words.
func appendBytes(dst []uint32, text []byte) []uint32 {
	for i := 0; i <= len(text); i += 4 {
		var word uint32
		for k := 0; k < 4 && i+k < len(text); k++ {
			word |= uint32(text[i+k]) << (8 * k)
		}
		dst = append(dst, word)
	}
	return dst
}

// slotFor returns the slot of the instance, and makes one for a new instance. It returns nil if
// there would be too many.
func (e *Encoder) slotFor(instance uint16) *slot {
	at := &e.slotOf[instance]
	if at.stamp == e.stamp {
		return &e.slots[at.slot]
	}
	if len(e.slots) == MaxInstances {
		return nil
	}
	*at = numbered{e.stamp, uint32(len(e.slots))}
	if len(e.slots) < cap(e.slots) {
		e.slots = e.slots[:len(e.slots)+1]
	} else {
		e.slots = append(e.slots, slot{})
	}
	s := &e.slots[len(e.slots)-1]
	s.instance, s.first, s.small = instance, 0, 0
	s.vars, s.pending, s.assumed = s.vars[:0], s.pending[:0], s.assumed[:0]
	return s
}

// hasSeen reports whether the variable of a literal is a small one that the current solver has named. Most are, and
// the compiler inlines it, unlike see.
func (s *slot) hasSeen(lit int32) bool {
	v := Var(lit)
	return v < 64 && s.small>>v&1 != 0
}

// see adds the variable of a literal to the slot's vars, unless the current solver has named it.
func (e *Encoder) see(s *slot, lit int32) {
	v := Var(lit)
	if v >= 64 {
		e.seeLarge(s, v)
	} else if bit := uint64(1) << v; s.small&bit == 0 {
		s.small |= bit
		s.vars = append(s.vars, v)
	}
}

func (e *Encoder) seeLarge(s *slot, v int32) {
	if 2*e.seenCount >= len(e.seen) {
		e.grow()
	}
	number := e.slotOf[s.instance].slot
	entry := e.find(number, v)
	if entry.stamp == e.stamp {
		if int(entry.at) >= s.first {
			return
		}
	} else {
		*entry = seenVar{stamp: e.stamp, slot: number, v: v}
		e.seenCount++
	}
	entry.at = int32(len(s.vars))
	s.vars = append(s.vars, v)
}

func (e *Encoder) find(number uint32, v int32) *seenVar {
	mask := uint32(len(e.seen) - 1)
	for at := (uint32(v)*0x9e3779b1 ^ number*0x85ebca6b) & mask; ; at = (at + 1) & mask {
		if entry := &e.seen[at]; entry.stamp != e.stamp || entry.v == v && entry.slot == number {
			return entry
		}
	}
}

func (e *Encoder) grow() {
	old := e.seen
	e.seen = make([]seenVar, max(64, 2*len(old)))
	for _, entry := range old {
		if entry.stamp == e.stamp {
			*e.find(entry.slot, entry.v) = entry
		}
	}
}

// begin prepares the encoder for the next trace.
func (e *Encoder) begin() {
	e.slots, e.seenCount = e.slots[:0], 0
	e.stamp++
	if e.stamp == 0 || e.slotOf == nil { // the stamps wrapped around, or there are none yet
		e.stamp = 1
		e.slotOf = make([]numbered, 1<<16)
		e.seen = make([]seenVar, max(64, len(e.seen)))
	}
}

// DecodeAnswers decodes the executor's answers to an encoded trace into a. If the run ended
// early, the last calls have no answers. A broken target may have overwritten the words, so
// DecodeAnswers checks every length.
func DecodeAnswers(t *Trace, encoded, words []uint32, a *Answers) error {
	a.Reset()
	a.Of = slices.Grow(a.Of, len(t.Calls))[:len(t.Calls)]
	tables := encoded[headLength : headLength+encoded[headVars]]
	calls := encoded[headLength+encoded[headVars] : encoded[headWords]]
	answers := a.Of
	for i := range answers {
		answer := &answers[i]
		*answer = Answer{}
		if len(words) == 0 {
			continue
		}
		op, head := t.Calls[i].Op, words[0]
		length, count := int(head>>answerPayloadShift), int(calls[1])
		if length >= len(words) {
			return fmt.Errorf("the answer to call %d is cut off", i)
		}
		answer.Kind, answer.Strange = AnswerKind(head&(answerStrange-1)), head&answerStrange != 0
		if answer.Kind < Answered || answer.Kind > Unsupported {
			return fmt.Errorf("the answer to call %d has unknown kind %d", i, answer.Kind)
		}
		if answer.Kind != Answered || codes[op].quiet {
			if length != 0 {
				return fmt.Errorf("the answer to call %d: %w", i, errAnswerLength)
			}
		} else if err := decodeAnswer(op, calls[0]>>callInstanceShift, head, calls[callWords:callWords+count],
			tables, words[1:1+length], answer, a); err != nil {
			return fmt.Errorf("the answer to call %d: %w", i, err)
		}
		calls = calls[callWords+count:]
		words = words[1+length:]
	}
	if len(words) != 0 {
		return fmt.Errorf("%d words follow the last answer", len(words))
	}
	return nil
}

// valueWords returns how many words so many values of two bits take.
func valueWords(values int) int { return (values + valuesPerWord - 1) / valuesPerWord }

func valueAt(words []uint32, k int) uint32 {
	return words[k/valuesPerWord] >> (k % valuesPerWord * 2) & 3
}

var errAnswerLength = errors.New("wrong length")

func decodeAnswer(
	op apimodel.Op, slotNumber, head uint32, args, tables, words []uint32, answer *Answer, a *Answers,
) error {
	switch op.Reply() {
	case apimodel.ReplyStatus:
		if len(words) < solveLength {
			return errAnswerLength
		}
		answer.Num = uint64(int64(int32(words[solveStatus])))
		a.SetEffort(answer, Effort{
			Nanos: uint64(words[solveNanosLow]) | uint64(words[solveNanosHigh])<<32,
			Polls: words[solvePolls], PollsAfter: words[solvePollsAfter], Learned: words[solveLearned], Odd: words[solveOdd],
			Clauses: uint32(len(a.Lits)), ClausesLen: uint32(len(words) - solveLength),
			OthersPolled: head&answerOthersPolled != 0, OthersLearned: head&answerOthersLearned != 0,
		})
		for _, w := range words[solveLength:] {
			a.Lits = append(a.Lits, int32(w))
		}
	case apimodel.ReplyWeight, apimodel.ReplyCounts:
		if len(words) != 2 {
			return errAnswerLength
		}
		answer.Num = uint64(words[0]) | uint64(words[1])<<32
	case apimodel.ReplyLit, apimodel.ReplyFlag, apimodel.ReplyCode:
		if len(words) != 1 {
			return errAnswerLength
		}
		answer.Num = uint64(int64(int32(words[0])))
	case apimodel.ReplyModel:
		for ; slotNumber > 0; slotNumber-- {
			tables = tables[2+tables[1]:]
		}
		vars := tables[2+args[0] : 2+args[0]+args[1]]
		if len(words) != valueWords(len(vars)) {
			return errAnswerLength
		}
		answer.Pos = uint32(len(a.Lits))
		for k, v := range vars {
			switch valueAt(words, k) {
			case 1:
				a.Lits = append(a.Lits, int32(v))
			case 2:
				a.Lits = append(a.Lits, -int32(v))
			}
		}
		answer.Len = uint32(len(a.Lits)) - answer.Pos
	case apimodel.ReplyCore:
		if len(words) != valueWords(len(args)) {
			return errAnswerLength
		}
		answer.Pos = uint32(len(a.Lits))
		for k, lit := range args {
			if valueAt(words, k) != 0 {
				a.Lits = append(a.Lits, int32(lit))
			}
		}
		answer.Len = uint32(len(a.Lits)) - answer.Pos
	case apimodel.ReplyText:
		if len(words) < 1 || words[0] > uint32(textBytes(op)) || len(words) != 1+int(words[0]+3)/4 ||
			answer.Strange && words[0] > 0 {
			return errAnswerLength
		}
		answer.Pos, answer.Len = uint32(len(a.Text)), words[0]
		for _, w := range words[1:] {
			a.Text = binary.LittleEndian.AppendUint32(a.Text, w)
		}
		a.Text = a.Text[:answer.Pos+answer.Len]
	}
	return nil
}
