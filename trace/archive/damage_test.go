package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// kept returns how many traces are in the sections that end before the cut.
func kept(r *Reader, cut int64) (traces int) {
	for _, s := range r.sections {
		if s.at+int64(s.size) <= cut {
			traces = s.first + s.count
		}
	}
	return traces
}

// TestCutOff: wherever a file is cut off, as by kill -9, the reader returns the traces of the sections before the cut,
// and says how many the cut section had. Append and Repair keep these traces.
func TestCutOff(t *testing.T) {
	path, n := grown(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := open(t, path)
	cuts := []int{1, 5, 17, 18, len(data) - 1, len(data) - headBytes, len(data) - headBytes - 1}
	for _, s := range whole.sections {
		for _, step := range []int{-headBytes, -headBytes + 1, -1, 0, 1, 9, int(s.size) - 1} {
			cuts = append(cuts, int(s.at)+step)
		}
	}
	for _, cut := range cuts {
		torn := filepath.Join(t.TempDir(), "torn"+Extension)
		if cut < 1 {
			continue
		}
		if err := os.WriteFile(torn, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Open(torn)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		had := r.Len()
		if want := kept(whole, int64(cut)); had != want {
			t.Errorf("cut at %d: the reader has %d traces, the whole sections have %d", cut, had, want)
		}
		for i := 0; i < had; i += 7 {
			if got, err := r.Text(i); err != nil || !bytes.Equal(got, text(i)) {
				t.Fatalf("cut at %d: trace %d: %v", cut, i, err)
			}
			if got, err := r.Name(i); err != nil || got != name(i) {
				t.Fatalf("cut at %d: trace %d is called %q: %v", cut, i, got, err)
			}
		}
		at := slices.IndexFunc(whole.sections, func(s section) bool { return s.first == had })
		if at >= 0 && int64(cut) >= whole.sections[at].at {
			if r.Torn == nil || r.Torn.Lost != whole.sections[at].count {
				t.Errorf("cut at %d: torn %+v, want %d traces lost", cut, r.Torn, whole.sections[at].count)
			}
		}
		isWhole := r.Torn == nil // cut behind the end mark of an earlier session
		r.Close()
		w := appending(t, torn)
		fill(t, w, 0, n)
		if w.Known != had || w.Added != n-had {
			t.Errorf("cut at %d: %d known, %d added, want %d and %d", cut, w.Known, w.Added, had, n-had)
		}
		if report := open(t, torn).Verify(); report.Wrong != 0 || report.Traces != n {
			t.Errorf("cut at %d, then appended to: %+v", cut, report)
		}
		if err := os.WriteFile(torn, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if done, err := Repair(torn); err != nil || done.Traces != had || (done.Torn == nil) != isWhole {
			t.Fatalf("cut at %d: %+v, %v", cut, done, err)
		}
		if _, err := os.Stat(torn); had == 0 && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if report := open(t, torn).Verify(); report.Wrong != 0 || report.Traces != had || had == 0 {
			t.Errorf("cut at %d, then repaired: %+v", cut, report)
		}
	}
}

// TestKilledWriter: what Write has written can be read while the writer lives, and after it was killed.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := appending(t, path)
	frame := new(Frame)
	for i := range 60 {
		traced := parse(t, string(text(i)))
		frame.Add([]byte(name(i)), &notes.Header{Form: notes.NewForm(traced.Notes)}, traced)
		if i%20 == 19 {
			if err := w.Write(frame); err != nil {
				t.Fatal(err)
			}
			frame.Reset()
		}
	}
	if r := open(t, path); r.Len() != 60 || r.Torn == nil || r.Torn.Lost != 0 {
		t.Errorf("%d traces, torn %+v", r.Len(), r.Torn)
	}
	if _, err := Repair(path); !errors.Is(err, ErrBusy) {
		t.Errorf("Repair of an archive that has a writer: %v", err)
	}
	if _, err := Append(path); !errors.Is(err, ErrBusy) {
		t.Errorf("Append to an archive that has a writer: %v", err)
	}
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	file := w.file
	w.file = readOnly // every write fails
	frame.Add([]byte("x"), &notes.Header{}, parse(t, string(text(60))))
	if err := w.Write(frame); err == nil {
		t.Error("Write returns no error for a frame that it cannot write")
	}
	if err := w.Close(); err == nil {
		t.Error("Close returns no error for an archive that it cannot complete")
	}
	file.Close()
	if done, err := Repair(path); err != nil || done.Traces != 60 || done.Torn == nil {
		t.Errorf("%+v, %v", done, err)
	}
	if report := open(t, path).Verify(); report.Wrong != 0 || report.Traces != 60 {
		t.Errorf("%+v", report)
	}
}

// TestDamageIsNoTornEnd: Append and Repair refuse a file that is damaged in the middle, and leave it as it is. They
// treat zeros at the end, as after a power failure, as a torn end and drop them.
func TestDamageIsNoTornEnd(t *testing.T) {
	path, _ := grown(t)
	whole := open(t, path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, last := whole.sections[1], whole.sections[len(whole.sections)-1]
	flip := func(at int64) func([]byte) []byte {
		return func(d []byte) []byte { d[at] ^= 0x20; return d }
	}
	for _, c := range []struct {
		what    string
		damage  func(data []byte) []byte
		isTaken bool
	}{
		{"a magic number", flip(second.at - int64(headBytes)), false},
		{"a head", flip(second.at - 9), false},
		{"the data of a section", flip(second.at + int64(second.size)/2), false},
		{"the data of the last section", flip(last.at + 40), false},
		{"the first end mark", flip(second.at - int64(headBytes) + 10), false},
		{"zeros", func(d []byte) []byte { return append(d[:len(d)-20:len(d)-20], make([]byte, 100_000)...) }, false},
		{"zeros behind a section", func(d []byte) []byte {
			return append(d[:last.at+int64(last.size)], make([]byte, 100_000)...)
		}, true},
		{"zeros only", func(d []byte) []byte { return append(d[:second.at-int64(headBytes)], make([]byte, 100_000)...) },
			true},
		{"zeros in place of the data", func(d []byte) []byte {
			return append(d[:last.at+3], make([]byte, last.size-3)...)
		}, true},
	} {
		torn := filepath.Join(t.TempDir(), "torn"+Extension)
		damaged := c.damage(bytes.Clone(data))
		if err := os.WriteFile(torn, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Append(torn)
		if (err == nil) != c.isTaken {
			t.Errorf("%s: %v", c.what, err)
		}
		if err == nil {
			fill(t, w, 0, 3)
			if report := open(t, torn).Verify(); report.Wrong > 0 {
				t.Errorf("%s: %+v", c.what, report)
			}
			continue
		}
		Repair(torn)
		if after, err := os.ReadFile(torn); err != nil || !bytes.Equal(after, damaged) {
			t.Errorf("%s: the file has changed: %v", c.what, err)
		}
	}
}

// TestEveryDamagedByte: with any byte damaged, the reader returns each trace unchanged or an error, and Verify notices.
func TestEveryDamagedByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	fill(t, create(t, path), 0, 6)
	fill(t, appending(t, path), 6, 12)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
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
				t.Errorf("Verify does not notice that byte %d of %d is damaged", at, len(data))
			}
			r.Close()
		}
	}
}

func checkPlace(t *testing.T, err error) {
	t.Helper()
	var damage *DamageError
	if !errors.As(err, &damage) || damage.File != "d" {
		t.Fatalf("%T does not say where: %v", err, err)
	}
}

// forged returns an archive with one section of these columns, which says that it has so many traces and bytes.
func forged(count, plain int, columns ...string) []byte {
	encoder := newEncoder()
	defer encoder.Close()
	var content []byte
	for i := range 5 {
		n := 0
		if i < len(columns) {
			n = len(columns[i])
		}
		content = binary.AppendUvarint(content, uint64(n))
	}
	content = append(content, strings.Join(columns, "")...)
	if plain == 0 {
		plain = len(content)
	}
	data := encoder.EncodeAll(content, nil)
	return slices.Concat(appendHead(nil, count, plain, data), data, endMark)
}

// TestHostile: the reader refuses files that contradict themselves, and the error names the file and the byte.
func TestHostile(t *testing.T) {
	version := bytes.Clone(endMark)
	version[15] = '3'
	binary.LittleEndian.PutUint64(version[headBytes-8:], xxhash.Sum64(version[8:headBytes-8]))
	const fill = "\x00\x01x"
	for _, c := range []struct {
		what string
		data []byte
		want string
	}{
		{"empty", nil, "at byte 0: this is not an archive: the file is empty"},
		{"text", []byte("ipafuzz 1 ipamir\n"), "at byte 0: this is not an archive"},
		{"zstd", []byte("\x28\xb5\x2f\xfd\x04\x00\x91\x00\x00p cnf 2 1\n1 -2 0\nand some more bytes"),
			"at byte 0: this is not an archive"},
		{"another version", version, `has an unknown version ("IPAFTRC3"; this ipafuzz reads "IPAFTRC4")`},
		{"longer than it says", forged(1, 6, fill, "\x00", "\x00\x11ipafuzz 1 ipamir\n"),
			"cannot be decompressed to 6 bytes"},
		{"shorter than it says", forged(1, 100, fill, "\x00", "\x00\x11ipafuzz 1 ipamir\n"), "should have 100"},
		{"longer than it can be", forged(1, maxFrame+1, fill), "cannot have 1 traces in 268435457 bytes"},
		{"more traces than bytes", forged(1<<31, 0, fill), "cannot have 2147483648 traces"},
		{"no traces", forged(0, 0, fill), "cannot have 0 traces"},
		{"too many traces", forged(2, 0, fill, "\x00", "\x00\x11ipafuzz 1 ipamir\n"), "its names are damaged"},
		{"too many names", forged(1, 0, fill+fill, "\x00", "\x00\x11ipafuzz 1 ipamir\n"), "more names than 1 traces"},
		{"a name that shares too much", forged(1, 0, "\x05\x01x", "\x00", "\x00\x11ipafuzz 1 ipamir\n"), "names are damaged"},
		{"too many headers", forged(1, 0, fill, "\x00\x00", "\x00\x11ipafuzz 1 ipamir\n"), "there is more than 1 traces"},
		{"no model", forged(1, 0, fill, "\x02", "\x63\x01"), "its columns are damaged"},
		{"an unknown model", forged(1, 0, fill, "\x01\x00\x00\x00\x00", "\x63\x01"), "there is no API model number 99"},
		{"text that is not a trace", forged(1, 0, fill, "\x00", "\x00\x02x\n"), "does not begin with a trace"},
		{"two lists of words", forged(1, 0, fill, "\x01\x01\x04\x00w\x00w\x00\x00\x00", "\x01\x00"), "columns are damaged"},
	} {
		r, err := NewReader(bytes.NewReader(c.data), int64(len(c.data)), "d")
		if err == nil {
			if _, err = r.Text(0); err == nil {
				_, err = r.Text(1)
			}
			r.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %q", c.what, err, c.want)
			continue
		}
		checkPlace(t, err)
	}
}

// FuzzReader: the reader returns traces, or errors that name a place, for any bytes. The checksums are made right.
func FuzzReader(f *testing.F) {
	f.Add(1, "\x00\x01x", "\x00", "\x00\x11ipafuzz 1 ipamir\n", "", "", "")
	f.Add(2, "\x00\x01x\x01\x00", "\x01\x01\x02ab\x00\x00\x00\x02\x00\x00", "\x02\x01\x01\x01", "\xc2\xc1", "",
		"\x02\x03\x04")
	f.Fuzz(func(t *testing.T, count int, names, headers, heads, calls, args, lits string) {
		data := forged(count&0xff, 0, names, headers, heads, calls, args, lits)
		r, err := NewReader(bytes.NewReader(data), int64(len(data)), "d")
		if err != nil {
			checkPlace(t, err)
			return
		}
		defer r.Close()
		for i := range r.Len() {
			got, err := r.Text(i)
			if err != nil {
				checkPlace(t, err)
				return
			}
			if !beginsTrace(got) || got[len(got)-1] != '\n' {
				t.Fatalf("trace %d: %q", i, got)
			}
			if _, err := r.Name(i); err != nil {
				t.Fatal(err)
			}
		}
	})
}
