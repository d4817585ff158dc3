package trace

import (
	"bytes"
	"testing"
)

// TestPack: unpacking gives the text of the packed trace, whether or not the same Packer packed others before it.
func TestPack(t *testing.T) {
	r := newRandom(t)
	var p Packer
	var u Unpacker
	for range 2000 {
		tr := randomTrace(r, r.IntN(2) == 0)
		if r.IntN(2) == 0 {
			tr.Planted, tr.Want = nil, Answers{}
		}
		want := tr.AppendText(nil)
		got, err := u.Text(p.Append(nil, tr))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("packed and unpacked: %v\n%s\nwant\n%s", err, got, want)
		}
		var alone Packer
		got, err = new(Unpacker).Text(alone.Append(nil, tr))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("packed alone and unpacked: %v\n%s\nwant\n%s", err, got, want)
		}
	}
}

// FuzzUnpack: Unpacker returns an error or the text of a trace for any record.
func FuzzUnpack(f *testing.F) {
	for _, text := range goldenFiles(f) {
		if tr, err := Parse(bytes.NewReader(text), "f"); err == nil {
			var p Packer
			tr.Planted, tr.Want = nil, Answers{}
			f.Add(p.Append(nil, tr))
		}
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		u := Unpacker{notes: []string{"a note", ""}}
		text, err := u.Text(record)
		if err == nil && len(record) > 0 && record[0] != packedText && !bytes.HasPrefix(text, []byte(magicWord)) {
			t.Fatalf("the text does not begin a trace: %q", text)
		}
	})
}
