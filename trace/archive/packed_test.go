package archive

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A framing writes packed traces in small frames.
type framing struct {
	*PackedWriter
	frame *PackedFrame
}

// newFraming begins an archive whose trace i has name(i) and text(i).
func newFraming(t testing.TB, path string) *framing {
	t.Helper()
	w, err := CreatePacked(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &framing{w, NewPackedFrame()}
	f.frame.fill = 300
	return f
}

var testForm = notes.NewForm(nil).WithNumber("gen=test/1 seed=", "")

func (f *framing) add(t testing.TB, i int) {
	t.Helper()
	f.frame.Add("dir/", &notes.Header{Form: testForm, Number: uint64(i)}, parse(t, string(text(i))))
	if f.frame.Full() {
		if err := f.write(); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *framing) write() error {
	defer f.frame.Reset()
	return f.Write(f.frame)
}

func (f *framing) flush() error { return cmp.Or(f.write(), f.Flush()) }

// packed returns an archive of n packed traces, in several frames.
func packed(t testing.TB, n int) []byte {
	path := filepath.Join(t.TempDir(), "p"+Extension)
	w := newFraming(t, path)
	for i := range n {
		w.add(t, i)
	}
	if err := w.write(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestPackedTracesAreRead(t *testing.T) {
	const n = 200
	data := packed(t, n)
	r, err := NewReader(bytes.NewReader(data), int64(len(data)), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Len() != n || r.Torn != nil || len(r.frames) < 5 {
		t.Fatalf("%d traces in %d frames, torn %v", r.Len(), len(r.frames), r.Torn)
	}
	for _, i := range []int{0, n - 1, 1, 99, 100, 57} {
		got, err := r.Text(i)
		if err != nil || !bytes.Equal(got, text(i)) {
			t.Fatalf("trace %d: %v\n%s", i, err, got)
		}
		hash, called, err := r.Entry(i)
		if err != nil || called != name(i) || hash != HashOf(text(i)) {
			t.Fatalf("trace %d: %q %x %v", i, called, hash, err)
		}
	}
	if report := r.Verify(); report.Wrong != 0 || report.Traces != n {
		t.Errorf("%+v", report)
	}
}

// TestAddToPackedTraces: appending adds text frames behind packed ones, keeps the whole frames of a torn archive, and
// skips traces that the archive has.
func TestAddToPackedTraces(t *testing.T) {
	data := packed(t, 100)
	for _, cut := range []int{len(data), len(data) - 1, len(data) / 2} {
		path := filepath.Join(t.TempDir(), "a"+Extension)
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		r := open(t, path)
		had := r.Len()
		if had == 0 || (cut == len(data)) != (had == 100) && cut == len(data)/2 {
			t.Fatalf("cut at %d of %d: %d traces", cut, len(data), had)
		}
		w := appending(t, path)
		fill(t, w, 0, 150)
		if w.Known != had || w.Added != 150-had {
			t.Errorf("cut at %d: %d known, %d added, want %d and %d", cut, w.Known, w.Added, had, 150-had)
		}
		if report := open(t, path).Verify(); report.Wrong != 0 || report.Traces != 150 {
			t.Errorf("cut at %d: %+v", cut, report)
		}
	}
}

// TestZstdReadsPackedFrames: zstd accepts frames with all sorts of columns: empty, short, of one byte, incompressible,
// and longer than a block.
func TestZstdReadsPackedFrames(t *testing.T) {
	if _, err := exec.LookPath("zstdcat"); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal("zstdcat is not installed (scripts/setup installs it)")
		}
		t.Skip("zstdcat is not installed")
	}
	random := make([]byte, 3*mostInBlock/2)
	rand.NewChaCha8([32]byte{1}).Read(random)
	few := bytes.Clone(random)
	for i := range few {
		few[i] &= few[len(few)-1-i] & 7
	}
	var file, want []byte
	var coder huffmanFrame
	for _, parts := range [][][]byte{{nil}, {random[:1]}, {few[:1000], nil, few[:200]}, {make([]byte, 5000), random},
		{few, few[:mostInBlock], few[:300]}} {
		content := slices.Concat(parts...)
		file = coder.begin(file, len(content))
		for _, part := range parts {
			file = coder.add(file, part)
		}
		file, want = coder.end(file, checksum(content)), append(want, content...)
	}
	path := filepath.Join(t.TempDir(), "x.zst")
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command("zstdcat", path).Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("zstdcat: %v, %d bytes, want %d", err, len(got), len(want))
	}
	decoder := newDecoder()
	defer decoder.Close()
	if got, err = decoder.DecodeAll(file, make([]byte, 0, len(want))); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the reader: %v, %d bytes, want %d", err, len(got), len(want))
	}
	if 4*len(file) > 3*len(want) {
		t.Errorf("%d bytes were compressed to %d", len(want), len(file))
	}
}
