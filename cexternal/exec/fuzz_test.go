package exec_test

import (
	"encoding/binary"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/trace"
)

// texts between them use every call.
var texts = []string{
	"ipafuzz 1 ipamir\nsignature\nhard 1 -3 0\nhard 2\nhard 3 0\nsoft 3 17\nassume -1\nterminate 2\nsolve\n" +
		"obj\nmodel\nval -3\n@2 hard 7 0\nterminate off\nrelease\ninit\nsolve\nmodel\n",
	"ipafuzz 1 ipasir\noption seed 3\nadd 1 -3 0\nlearn 4\nadd 2 0\nadd -2 3 0\nassume 1\nassume -3\nsolve\n" +
		"val 3\nfailed 1\nmodel\ncore\n@9 add 0\n@9 solve\nlearn off\nhavoc 7\n",
	"ipafuzz 1 ipamir\n",
}

const room = 1 << 16

func words(t testing.TB, text string) []uint32 {
	t.Helper()
	tr, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	var encoder trace.Encoder
	encoded, err := encoder.Append(nil, tr)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func target(model byte) exec.Target {
	if model%2 == 0 {
		return exec.Target(ref.Target(apimodel.IPASIR.ID))
	}
	return exec.Target(ref.Target(apimodel.IPAMIR.ID))
}

// FuzzExec gives arbitrary words to the executor, which must answer or refuse and stay within its memory.
func FuzzExec(f *testing.F) {
	for i, text := range texts {
		var seed []byte
		for _, w := range words(f, text) {
			seed = binary.LittleEndian.AppendUint32(seed, w)
		}
		f.Add(byte(1-i%2), seed)
		f.Add(byte(1-i%2), seed[:len(seed)/8*4])
		f.Add(byte(3-i%2), seed)
	}
	f.Fuzz(func(t *testing.T, model byte, data []byte) {
		input := make([]uint32, len(data)/4)
		for i := range input {
			input[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		if model&2 != 0 && len(input) >= header { // without it few mutants get beyond the header
			copy(input, words(t, "ipafuzz 1 "+[]string{"ipasir", "ipamir"}[model%2]+"\n")[:headWords])
			input[headWords], input[headAnswers], input[headLearned] = uint32(len(input)), room, input[headLearned]%room
		}
		const canary = 0xc0ffee
		answers := make([]uint32, room+64)
		for i := range answers {
			answers[i] = canary
		}
		out, err := exec.Run(target(model), nil, input, answers[:room:room])
		if err == nil && len(out) > room {
			t.Fatalf("%d words of answers", len(out))
		}
		for _, w := range answers[room:] {
			if w != canary {
				t.Fatal("the executor wrote behind the answers")
			}
		}
		if err != nil {
			return
		}
		for i := 0; i < len(out); i += 1 + int(out[i]>>8) {
			if kind := out[i] & 15; kind < 1 || kind > 3 || i+int(out[i]>>8) >= len(out) {
				t.Fatalf("word %d of the answers, %#x, is no answer: %#x", i, out[i], out)
			}
		}
	})
}

// TestRefused: the executor refuses numbers that a library must not see, and lengths that do not add up,
// before it makes the call.
func TestRefused(t *testing.T) {
	clause := func(w []uint32) int { return header + int(w[headVars]) }
	for _, c := range []struct {
		name   string
		change func(w []uint32) []uint32
	}{
		{"no words", func(w []uint32) []uint32 { return nil }},
		{"half a header", func(w []uint32) []uint32 { return w[:header/2] }},
		{"another magic", func(w []uint32) []uint32 { w[0]++; return w }},
		{"another version", func(w []uint32) []uint32 { w[1]++; return w }},
		{"another model", func(w []uint32) []uint32 { w[2] = 3 - w[2]; return w }},
		{"more words than there are", func(w []uint32) []uint32 { w[3]++; return w }},
		{"fewer words than calls", func(w []uint32) []uint32 { w[3]--; return w }},
		{"more calls than there are", func(w []uint32) []uint32 { w[4]++; return w }},
		{"fewer calls than there are", func(w []uint32) []uint32 { w[4]--; return w }},
		{"no instance", func(w []uint32) []uint32 { w[5] = 0; return w }},
		{"more instances than tables", func(w []uint32) []uint32 { w[5] = 2; return w }},
		{"too many instances", func(w []uint32) []uint32 { w[5] = 1 << 31; return w }},
		{"tables longer than all", func(w []uint32) []uint32 { w[headVars] = 1 << 30; return w }},
		{"a table longer than its place", func(w []uint32) []uint32 { w[header+1] = 1 << 31; return w }},
		{"variable 0", func(w []uint32) []uint32 { w[header+2] = 0; return w }},
		{"variable -1", func(w []uint32) []uint32 { w[header+2] = 1<<32 - 1; return w }},
		{"more room than there is", func(w []uint32) []uint32 { w[7] = room + 1; return w }},
		{"less room than needed", func(w []uint32) []uint32 { w[7] = 3; return w }},
		{"more learned than room", func(w []uint32) []uint32 { w[8] = w[7] + 1; return w }},
		{"all room for learned", func(w []uint32) []uint32 { w[8] = w[7]; return w }},
		{"no such call", func(w []uint32) []uint32 { w[clause(w)] = 17; return w }},
		{"call 0", func(w []uint32) []uint32 { w[clause(w)] = 0; return w }},
		{"a call of the other model", func(w []uint32) []uint32 { w[clause(w)] = uint32(apimodel.OpFailed); return w }},
		{"no such instance", func(w []uint32) []uint32 { w[clause(w)] |= 1 << 16; return w }},
		{"arguments beyond the end", func(w []uint32) []uint32 { w[clause(w)+1] = 1 << 31; return w }},
		{"literal 0", func(w []uint32) []uint32 { w[clause(w)+2] = 0; return w }},
		{"literal -2^31", func(w []uint32) []uint32 { w[clause(w)+2] = 1 << 31; return w }},
	} {
		w := c.change(words(t, "ipafuzz 1 ipamir\nhard 1 -3 0\nsolve\nmodel\n"))
		if out, err := exec.Run(exec.Target(ref.Target(apimodel.IPAMIR.ID)), nil, w, make([]uint32, room)); err == nil {
			t.Errorf("%s: not refused, answers %#x", c.name, out)
		}
	}
	out, err := exec.Run(exec.Target(ref.Target(apimodel.IPAMIR.ID)), nil, words(t, texts[0]), make([]uint32, room))
	if err != nil || len(out) == 0 {
		t.Errorf("the unchanged trace: %v", err)
	}
}

// These are words of the header; see exec.h.
const (
	headWords   = 3
	headVars    = 6
	headAnswers = 7
	headLearned = 8
	header      = 12
)

// FuzzDecodeAnswers decodes arbitrary words as the answers to a trace: a target may have overwritten them.
func FuzzDecodeAnswers(f *testing.F) {
	for i, text := range texts {
		encoded := words(f, text)
		out, err := exec.Run(target(byte(1-i%2)), nil, encoded, make([]uint32, room))
		if err != nil {
			f.Fatal(err)
		}
		var seed []byte
		for _, w := range out {
			seed = binary.LittleEndian.AppendUint32(seed, w)
		}
		f.Add(byte(i), seed)
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		text := texts[int(which)%len(texts)]
		tr, err := trace.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		input := make([]uint32, len(data)/4)
		for i := range input {
			input[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		var answers trace.Answers
		if err := trace.DecodeAnswers(tr, words(t, text), input, &answers); err != nil {
			return
		}
		if len(answers.Of) != len(tr.Calls) {
			t.Fatalf("%d answers to %d calls", len(answers.Of), len(tr.Calls))
		}
		run := trace.Run{Answers: answers}
		tr.AppendLog(nil, &run)
		for i := range answers.Of {
			a := &answers.Of[i]
			switch tr.Calls[i].Op {
			case apimodel.OpSignature:
				answers.TextOf(a)
			case apimodel.OpSolve:
				answers.LearnedBy(a)
			case apimodel.OpModel, apimodel.OpCore:
				answers.ListOf(a)
			}
		}
	})
}
