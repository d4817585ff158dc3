package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// withoutNewlines drops the notes that the line-based forms cannot hold.
func withoutNewlines(t *Trace) *Trace {
	t.Notes = slices.DeleteFunc(t.Notes, func(note string) bool { return strings.ContainsAny(note, "\n\r") })
	return t
}

// TestBinaryRoundTrip: encoding and decoding a legal trace does not change it, and encoding it again gives the same
// bytes.
func TestBinaryRoundTrip(t *testing.T) {
	r := newRandom(t)
	for range 3000 {
		tr := withoutNewlines(randomTrace(r, true))
		data, err := tr.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseBinary(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, tr)
		}
		if !Equal(tr, again) {
			t.Fatalf("the trace changes:\n%s", firstDifference(tr.String(), again.String()))
		}
		same, err := again.AppendBinary(nil)
		if err != nil || !bytes.Equal(data, same) {
			t.Fatalf("the binary form changes (%v)\n%s", err, tr)
		}
		read, err := Read(bytes.NewReader(data), "f")
		if err != nil || !Equal(tr, read) {
			t.Fatalf("Read returns another trace: %v", err)
		}
	}
}

func sample(t *testing.T, text string) []byte {
	t.Helper()
	tr, err := ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tr.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const sampleText = "ipafuzz 1 ipamir\n# note\noption a b\nhard 1 -3 0\nsoft 3 17\nassume -1\nsolve = 30\nobj = 17\n" +
	"model = -1\n@2 hard 7 0\n"

// TestBinaryDamage: parseBinary checks every length before it uses it, and its error says what is wrong with the file.
func TestBinaryDamage(t *testing.T) {
	whole := sample(t, sampleText)
	word := func(i int, value uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[4*i:], value); return b }
	}
	for _, c := range []struct {
		name, want string
		change     func([]byte) []byte
	}{
		{"half", "not a header and whole calls", func(b []byte) []byte { return b[:30] }},
		{"cut in the calls", "words, it has", func(b []byte) []byte { return b[:80] }},
		{"cut in the expectations", "do not add up", func(b []byte) []byte { return b[:len(b)-4] }},
		{"odd size", "not a header and whole calls", func(b []byte) []byte { return append(b, 0) }},
		{"more behind it", "do not add up", func(b []byte) []byte { return append(b, 0, 0, 0, 0) }},
		{"newer", "format version 2", word(headVersion, 2)},
		{"unknown model", "no API model number 9", word(headModel, 9)},
		{"huge words", "words, it has", word(headWords, 1<<31)},
		{"huge tables", "tables of variables are longer", word(headVars, 1<<30)},
		{"other tables", "tables of variables", word(headVars, 4)},
		{"huge calls", "cut off", word(headCalls, 1<<31)},
		{"few calls", "behind its last call", word(headCalls, 2)},
		{"huge notes", "do not add up", word(headNotes, 1<<31)},
		{"huge expectations", "do not add up", word(headWant, 1<<31)},
		{"too many instances", "more than 4096 instances", word(headInstances, 1<<20)},
		{"room for answers", "is not what its calls make it", word(headAnswers, 1)},
		{"variable of the table", "is not what its calls make it", word(headLength+2, 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseBinary(c.change(slices.Clone(whole)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// TestBinaryIllegal: parseBinary refuses traces that are well formed but illegal, as Parse
// does.
func TestBinaryIllegal(t *testing.T) {
	tr := &Trace{Model: apimodel.IPASIR}
	tr.Plain(0, apimodel.OpModel)
	data, err := tr.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var check *CheckError
	if _, err := parseBinary(data); !errors.As(err, &check) {
		t.Errorf("got %v, want a CheckError", err)
	}
}

// TestEncoderForgets: variables of one trace are not in use in the next, nor those of a released solver in its
// successor.
func TestEncoderForgets(t *testing.T) {
	first, _ := ParseString("ipafuzz 1 ipasir\nadd 9 8 0\nsolve\nmodel\n")
	second, _ := ParseString("ipafuzz 1 ipasir\nadd 1 0\nsolve\nrelease\ninit\nadd 2 3 0\nsolve\nmodel\n")
	var encoder Encoder
	if _, err := encoder.Append(nil, first); err != nil {
		t.Fatal(err)
	}
	words, err := encoder.Append(nil, second)
	if err != nil {
		t.Fatal(err)
	}
	// Answers in the executor's encoding: in the second model, 2 is true and 3 is false.
	answers := []uint32{1, 1 | solveLength<<8, 10, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1 | solveLength<<8, 10, 0, 0, 0, 0, 0, 0,
		1 | 1<<8, 1 | 2<<2}
	var got Answers
	if err := DecodeAnswers(second, words, answers, &got); err != nil {
		t.Fatal(err)
	}
	if model := got.ListOf(got.At(6)); !slices.Equal(model, []int32{2, -3}) {
		t.Errorf("the model is %v, want 2 -3", model)
	}
	if inUse := second.InUse(0, len(second.Calls)); !slices.Equal(inUse, []int32{2, 3}) {
		t.Errorf("InUse returns %v, want 2 3", inUse)
	}
}

// FuzzParseBinary: no bytes make parseBinary panic. The traces that it accepts are legal
// and survive encoding and decoding.
func FuzzParseBinary(f *testing.F) {
	for _, text := range goldenFiles(f) {
		if tr, err := ParseString(string(text)); err == nil {
			if data, err := tr.AppendBinary(nil); err == nil {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := parseBinary(data)
		if err != nil {
			return
		}
		if err := Check(tr); err != nil {
			t.Fatalf("parseBinary accepts an illegal trace: %v", err)
		}
		again, err := tr.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseBinary(again); err != nil || !Equal(tr, back) {
			t.Fatalf("the trace changes (%v)", err)
		}
	})
}
