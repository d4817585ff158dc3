package trace

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// The packed form is for archives of millions of traces. It is a third as long as the text,
// and takes a fraction of the time to write. Traces that were packed together are four columns of varints and bytes.
// Each column has values of one sort, so that a code of its own for the frequent ones makes it short:
//
//	heads  for each trace: the number of its API model, of its notes, the notes, and the number of its calls
//	calls  for each call: a byte (operation, flags)
//	args   for each call: how many literals it has, if that varies, and what it has beside literals
//	lits   the literals
//
// A note with a blank is written as the numbers of bytes that it shares with the last such note of its place, at its
// beginning (plus 1) and at its end, then the bytes between, after their number. Another note is a list of words, with
// commas between them: 0, how many, and for each the number that it got when it first occurred, or 0 and the word.
//
// A byte of calls with all flags says how often the call before comes once more, but packedInstance says that the next
// call is of the instance whose number is in args. A trace with more than notes and calls has 0 in place of the model,
// and then its text, after the length.

const (
	packedFlagShift = 6    // of the byte of a call
	packedRepeat    = 0xc0 // and more: the call before comes once more, and so on; no call has all flags
	packedInstance  = 0xff // the number of another instance follows
	packedText      = 0    // stands for an API model: the text of the trace follows
)

// A Packer packs traces into columns.
type Packer struct {
	Heads, Calls, Args, Lits []byte

	notes []string       // the last first note with a blank, the last second one, and so on
	words map[string]int // the number of each word
}

// Reset empties the columns.
func (p *Packer) Reset() {
	p.Heads, p.Calls, p.Args, p.Lits, p.notes = p.Heads[:0], p.Calls[:0], p.Args[:0], p.Lits[:0], p.notes[:0]
	clear(p.words)
}

// Len returns how many bytes the columns have.
func (p *Packer) Len() int { return len(p.Heads) + len(p.Calls) + len(p.Args) + len(p.Lits) }

// Add packs a trace.
func (p *Packer) Add(t *Trace) {
	if !packable(t) {
		text := t.AppendText(nil)
		p.Heads = append(appendNumber(append(p.Heads, packedText), len(text)), text...)
		return
	}
	dst := appendNumber(appendNumber(p.Heads, int(t.Model.ID)), len(t.Notes))
	at := 0
	for _, note := range t.Notes {
		if isList(note) {
			dst = p.appendList(dst, note)
			continue
		}
		if at == len(p.notes) {
			p.notes = append(p.notes, "")
		}
		last := p.notes[at]
		p.notes[at] = note
		at++
		front := commonFront(note, last)
		back := commonBack(note[front:], last[front:])
		between := note[front : len(note)-back]
		dst = appendNumber(appendNumber(appendNumber(dst, 1+front), back), len(between))
		dst = append(dst, between...)
	}
	p.Heads = appendNumber(dst, len(t.Calls))
	p.addCalls(t)
}

// isList reports whether a note is written as a list of words.
func isList(note string) bool { return strings.IndexByte(note, ' ') < 0 }

func (p *Packer) appendList(dst []byte, note string) []byte {
	dst = appendNumber(append(dst, 0), 1+strings.Count(note, ","))
	for more := true; more; {
		var word string
		word, note, more = strings.Cut(note, ",")
		number, known := p.words[word]
		if dst = appendNumber(dst, number); known {
			continue
		}
		if p.words == nil {
			p.words = make(map[string]int)
		}
		p.words[word] = 1 + len(p.words)
		dst = append(appendNumber(dst, len(word)), word...)
	}
	return dst
}

// packable reports whether columns can hold the whole trace other than as text.
func packable(t *Trace) bool {
	return t.Model != nil && len(t.Want.Of) == 0 && len(t.Got.Of) == 0 && len(t.Planted) == 0 &&
		len(t.Notes) <= DefaultLimits.Notes
}

// commonFront returns how many bytes two texts have in common at the beginning.
func commonFront(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n && a[i:i+8] == b[i:i+8] {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// commonBack returns how many bytes two texts have in common at the end.
func commonBack(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+8 <= n && a[len(a)-i-8:len(a)-i] == b[len(b)-i-8:len(b)-i] {
		i += 8
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}

func (p *Packer) addCalls(t *Trace) {
	calls, args := p.Calls, p.Args
	instance, last, repeats := uint16(0), byte(packedInstance), 0
	from, to := uint32(0), uint32(0) // of literals that the calls so far have, one behind the other
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Instance != instance {
			instance = c.Instance
			calls, args = append(calls, packedInstance), binary.AppendUvarint(args, uint64(instance))
			last = packedInstance
		}
		call := byte(c.Op) | byte(c.Flags)<<packedFlagShift
		switch {
		case call != last:
			calls, last, repeats = append(calls, call), call, 0
		case repeats == 0 || packedRepeat+repeats == packedInstance:
			calls, repeats = append(calls, packedRepeat), 1
		default:
			calls[len(calls)-1]++
			repeats++
		}
		lits := uint32(0)
		switch codes[c.Op].form {
		case apimodel.FormLits:
			lits = c.Len
			args = appendNumber(args, int(lits))
		case apimodel.FormLit:
			lits = 1
		case apimodel.FormExtend:
			lits = c.Len
			args = appendNumber(binary.AppendUvarint(args, c.Num), int(lits))
		case apimodel.FormSoft:
			lits = 1
			args = binary.AppendUvarint(args, c.Num)
		case apimodel.FormNumber, apimodel.FormLong:
			args = binary.AppendUvarint(args, c.Num)
		case apimodel.FormText:
			args = append(appendNumber(args, int(c.Len)), t.Bytes[c.Pos:c.Pos+c.Len]...)
		}
		if lits == 0 {
			continue
		}
		if c.Pos != to {
			p.addLits(t.Lits[from:to])
			from = c.Pos
		}
		to = c.Pos + lits
	}
	p.addLits(t.Lits[from:to])
	p.Calls, p.Args = calls, args
}

// addLits packs literals. Those of small variables take one byte.
func (p *Packer) addLits(lits []int32) {
	p.Lits = slices.Grow(p.Lits, binary.MaxVarintLen32*len(lits))
	dst, n := p.Lits[:cap(p.Lits)], len(p.Lits)
	for _, lit := range lits {
		word := uint32(lit<<1) ^ uint32(lit>>31)
		for ; word >= 0x80; word >>= 7 {
			dst[n] = byte(word) | 0x80
			n++
		}
		dst[n] = byte(word)
		n++
	}
	p.Lits = dst[:n]
}

// appendNumber appends a number. Small numbers take one byte.
func appendNumber(dst []byte, n int) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, uint64(n))
}
