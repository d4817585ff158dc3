package trace

import (
	"bytes"
	"testing"
)

func unpackerOf(p *Packer) *Unpacker { return NewUnpacker(p.Heads, p.Calls, p.Args, p.Lits) }

// TestPack: unpacking gives the texts of the packed traces, whether they are packed together or alone.
func TestPack(t *testing.T) {
	r := newRandom(t)
	var p, alone Packer
	var want [][]byte
	for range 2000 {
		tr := randomTrace(r, r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			tr.Planted, tr.Want = nil, Answers{}
		}
		if r.IntN(3) == 0 {
			tr.Notes = append(tr.Notes, []string{"one,two,,three", "two", "", ",", "three,one", "one, two"}[r.IntN(6)])
		}
		for n := r.IntN(3) * r.IntN(100); n > 0 && len(tr.Calls) > 0; n-- { // more than one byte can say
			tr.Calls = append(tr.Calls, tr.Calls[len(tr.Calls)-1])
		}
		want = append(want, tr.AppendText(nil))
		p.Add(tr)
		alone.Reset()
		alone.Add(tr)
		u := unpackerOf(&alone)
		if got, err := u.Next(); err != nil || !bytes.Equal(got, want[len(want)-1]) || u.Left() != 0 {
			t.Fatalf("packed alone and unpacked: %v, %d bytes left\n%s\nwant\n%s", err, u.Left(), got, want[len(want)-1])
		}
	}
	u := unpackerOf(&p)
	for i := range want {
		if got, err := u.Next(); err != nil || !bytes.Equal(got, want[i]) {
			t.Fatalf("packed and unpacked, trace %d: %v\n%s\nwant\n%s", i, err, got, want[i])
		}
	}
	if u.Left() != 0 {
		t.Errorf("%d bytes are left", u.Left())
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
			text, err := u.Next()
			if err != nil {
				return
			}
			if from[0] != packedText && !bytes.HasPrefix(text, []byte(magicWord)) {
				t.Fatalf("the text does not begin a trace: %q", text)
			}
		}
	})
}
