package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTornTail: wherever a file is cut off, the reader returns the traces of the frames before the cut, and appending
// keeps them.
func TestTornTail(t *testing.T) {
	path, n := grown(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := open(t, path)
	cuts := []int{1, 5, 17, 18, len(data) - 1, len(data) - 9, len(data) - 17}
	for _, b := range whole.blocks {
		cuts = append(cuts, int(b.at), int(b.at)+1, int(b.at)+4, int(b.at)+9, int(b.at)+200)
	}
	for _, cut := range cuts {
		if cut < 1 || cut >= len(data) {
			continue
		}
		torn := filepath.Join(t.TempDir(), "torn"+Extension)
		if err := os.WriteFile(torn, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		had := 0
		r, err := Open(torn)
		if err == nil {
			had = r.Len()
			for i := 0; i < had; i += 7 {
				if got, err := r.Text(i); err != nil || !bytes.Equal(got, text(i)) {
					t.Fatalf("cut at %d: trace %d: %v", cut, i, err)
				}
			}
			kept := 0 // traces in the frames before the cut
			for _, f := range whole.frames {
				if f.at+int64(f.size) <= int64(cut) {
					kept = f.first + f.count
				}
			}
			if had != kept {
				t.Errorf("cut at %d: the reader has %d traces, the whole frames have %d", cut, had, kept)
			}
			r.Close()
		}
		var damage *DamageError
		if err != nil && !(errors.As(err, &damage) && strings.Contains(err.Error(), torn+": at byte")) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err != nil {
			continue // the cut is within the first frame
		}
		w := appending(t, torn)
		fill(t, w, 0, n)
		if w.Known != had || w.Added != n-had {
			t.Errorf("cut at %d: %d known, %d added, want %d and %d", cut, w.Known, w.Added, had, n-had)
		}
		r = open(t, torn)
		if report := r.Verify(); report.Wrong != 0 || report.Traces != n {
			t.Errorf("cut at %d, then appended to: %+v", cut, report)
		}
	}
}

// TestDamageIsNoTornEnd: Append refuses a file without tables that is damaged in the middle. It treats zeros at the end
// as a torn end and drops them.
func TestDamageIsNoTornEnd(t *testing.T) {
	path, _ := grown(t)
	whole := open(t, path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := whole.frames[1]
	for _, c := range []struct {
		what   string
		damage func(data []byte) []byte
		taken  bool
	}{
		{"a magic number", func(d []byte) []byte { d[second.at] ^= 1; return d[:len(d)-20] }, false},
		{"text of a frame that no index has",
			func(d []byte) []byte { d[second.at+int64(second.size)-6] ^= 1; return d[:whole.indexes[0].at] }, false},
		{"zeros", func(d []byte) []byte { return append(d[:len(d)-20:len(d)-20], make([]byte, 100_000)...) }, true},
		{"zeros only", func(d []byte) []byte { return append(d[:second.at:second.at], make([]byte, 100_000)...) }, true},
	} {
		torn := filepath.Join(t.TempDir(), "torn"+Extension)
		damaged := c.damage(bytes.Clone(data))
		if err := os.WriteFile(torn, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Append(torn)
		if (err == nil) != c.taken {
			t.Errorf("%s: %v", c.what, err)
		}
		if err == nil {
			fill(t, w, 0, 3)
			if report := open(t, torn).Verify(); report.Wrong > 0 {
				t.Errorf("%s: %+v", c.what, report)
			}
			continue
		}
		if after, err := os.ReadFile(torn); err != nil || !bytes.Equal(after, damaged) {
			t.Errorf("%s: the file has changed: %v", c.what, err)
		}
	}
}

// TestEveryDamagedByte: with any byte damaged, the reader returns each trace unchanged or an error.
func TestEveryDamagedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	fill(t, create(t, path), 0, 6)
	fill(t, appending(t, path), 6, 12)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, silent := open(t, path), 0
	for at := range data {
		for _, flip := range []byte{0x01, 0x80} {
			damaged := bytes.Clone(data)
			damaged[at] ^= flip
			r, err := NewReader(bytes.NewReader(damaged), int64(len(damaged)), "d")
			if err != nil {
				checkPlace(t, err)
				continue
			}
			for i := range r.Len() {
				got, err := r.Text(i)
				if err != nil {
					checkPlace(t, err)
				} else if !bytes.Equal(got, text(i)) {
					t.Fatalf("byte %d: trace %d is wrong, without an error:\n%s", at, i, got)
				}
			}
			if r.Verify().Wrong == 0 {
				silent++
				if !slices.ContainsFunc(whole.frames, func(f frame) bool {
					return int64(at) >= f.at && int64(at) < f.at+int64(f.size)
				}) {
					t.Errorf("byte %d of %d, %#x: Verify does not notice a damaged table", at, len(data), flip)
				}
			}
			r.Close()
		}
	}
	// Decoders ignore some bits of zstd frames, so these changes do not alter the text.
	if silent > len(data)/50 {
		t.Errorf("Verify does not notice %d of %d changes", silent, 2*len(data))
	}
}

func checkPlace(t *testing.T, err error) {
	t.Helper()
	var damage *DamageError
	if !errors.As(err, &damage) || damage.File != "d" {
		t.Fatalf("%T does not say where: %v", err, err)
	}
}

// TestNothingIsAddedToDamage: Append refuses an archive with a damaged frame, index or seek table, and leaves it
// unchanged, even if appending would not read the damaged part.
func TestNothingIsAddedToDamage(t *testing.T) {
	path, _ := grown(t)
	whole := open(t, path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tables := whole.blocks[len(whole.blocks)-1]
	for what, at := range map[string]int64{
		"a frame":                   whole.frames[1].at + int64(whole.frames[1].size)/2,
		"the last frame":            whole.frames[len(whole.frames)-1].at + 40,
		"names":                     whole.indexes[0].at + int64(whole.indexes[0].size) - sumBytes - 3,
		"a checksum of the table":   tables.at + skippableHead + 8,
		"the first seek table":      whole.indexes[0].at + int64(whole.indexes[0].size) + skippableHead + 8,
		"the kind of an index":      whole.indexes[0].at + skippableHead + 7,
		"the checksum of a table":   tables.at + skippableHead + seekEntry*int64(len(whole.blocks)-2) + 8,
		"the magic of an old table": whole.indexes[0].at + int64(whole.indexes[0].size),
	} {
		damaged := filepath.Join(t.TempDir(), "damaged"+Extension)
		bytesOf := bytes.Clone(data)
		bytesOf[at] ^= 0x20
		if err := os.WriteFile(damaged, bytesOf, 0o644); err != nil {
			t.Fatal(err)
		}
		if w, err := Append(damaged); err == nil {
			w.Abort()
			t.Errorf("%s: Append returns no error", what)
		}
		if after, err := os.ReadFile(damaged); err != nil || !bytes.Equal(after, bytesOf) {
			t.Errorf("%s: the file has changed: %v", what, err)
		}
	}
}
