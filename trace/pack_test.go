package trace

import (
	"bytes"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

func unpackerOf(p *Packer) *Unpacker { return NewUnpacker(p.Heads, p.Calls, p.Args, p.Lits) }

// TestPack: unpacking gives the texts of the packed traces, whether they are packed together or alone.
func TestPack(t *testing.T) {
	r := newRandom(t)
	var p, alone Packer
	var want [][]byte
	var notes [][]string
	columns := 0
	for range 2000 {
		tr := randomTrace(r, r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			tr.Planted, tr.Want, tr.Got = nil, Answers{}, Answers{}
		}
		if n := r.IntN(3) * r.IntN(100); n > 0 { // perhaps more literals than one byte can say
			tr.List(0, apimodel.OpClause, slices.Repeat([]int32{-1}, n)...)
		}
		if len(tr.Calls) > 1 && r.IntN(2) == 0 { // literals in another order than the calls
			k := r.IntN(len(tr.Calls) - 1)
			tr.Calls[k], tr.Calls[k+1] = tr.Calls[k+1], tr.Calls[k]
		}
		want, notes = append(want, tr.AppendText(nil)), append(notes, tr.Notes)
		alone.Reset()
		for _, packer := range []*Packer{&p, &alone} {
			if Packable(tr) {
				packer.Add(tr)
				columns++
			} else {
				packer.AddText(want[len(want)-1])
			}
		}
		u := unpackerOf(&alone)
		if got, err := u.Next(tr.Notes); err != nil || !bytes.Equal(got, want[len(want)-1]) || u.Left() != 0 {
			t.Fatalf("packed alone and unpacked: %v, %d bytes left\n%s\nwant\n%s", err, u.Left(), got, want[len(want)-1])
		}
	}
	u := unpackerOf(&p)
	for i := range want {
		if got, err := u.Next(notes[i]); err != nil || !bytes.Equal(got, want[i]) {
			t.Fatalf("packed and unpacked, trace %d: %v\n%s\nwant\n%s", i, err, got, want[i])
		}
	}
	if u.Left() != 0 || columns < 1000 {
		t.Errorf("%d bytes are left of %d traces in columns", u.Left(), columns)
	}
}

// FuzzUnpacker: Unpacker returns an error or the text of a trace for any columns.
func FuzzUnpacker(f *testing.F) {
	for _, text := range goldenFiles(f) {
		if tr, err := Parse(bytes.NewReader(text), "f"); err == nil {
			var p Packer
			tr.Planted, tr.Want = nil, Answers{}
			p.Add(tr)
			p.Add(tr)
			f.Add(p.Heads, p.Calls, p.Args, p.Lits)
		}
	}
	f.Fuzz(func(t *testing.T, heads, calls, args, lits []byte) {
		for u := NewUnpacker(heads, calls, args, lits); u.Left() > 0; {
			from := u.heads.data
			text, err := u.Next(nil)
			if err != nil {
				break
			}
			if from[0] != packedText && !bytes.HasPrefix(text, []byte(magicWord)) {
				t.Fatalf("the text does not begin a trace: %q", text)
			}
		}
	})
}
