package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// text returns trace number i. Its length depends on i.
func text(i int) []byte {
	b := fmt.Appendf(nil, "ipafuzz 1 ipamir\n# gen=test/1 seed=%d\n", i)
	for k := range i%7 + 1 {
		b = fmt.Appendf(b, "hard %d %d 0\n", i+k+1, -(i*31%1000)-1)
	}
	return append(b, "solve\n"...)
}

func name(i int) string { return fmt.Sprintf("dir/%d", i) }

// fill adds the traces numbered from to to-1 and closes the archive.
func fill(t testing.TB, w *Writer, from, to int) {
	t.Helper()
	w.frame.fill = 1000
	for i := from; i < to; i++ {
		if _, err := w.Add(name(i), parse(t, string(text(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, path string) *Writer {
	t.Helper()
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func appending(t testing.TB, path string) *Writer {
	t.Helper()
	w, err := Append(path)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func open(t testing.TB, path string) *Reader {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// grown returns an archive of several frames that was written in three sessions: created, then appended to twice.
func grown(t testing.TB) (path string, traces int) {
	path = filepath.Join(t.TempDir(), "a"+Extension)
	fill(t, create(t, path), 0, 100)
	fill(t, appending(t, path), 100, 110)
	fill(t, appending(t, path), 110, 200)
	return path, 200
}

func TestEveryTraceIsRead(t *testing.T) {
	path, n := grown(t)
	r := open(t, path)
	if r.Len() != n || r.Torn != nil {
		t.Fatalf("%d traces, torn %v", r.Len(), r.Torn)
	}
	for _, i := range []int{0, n - 1, 1, 99, 100, 109, 110, 150} {
		got, err := r.Text(i)
		if err != nil || !bytes.Equal(got, text(i)) {
			t.Fatalf("trace %d: %v\n%s", i, err, got)
		}
		hash, err := r.Hash(i)
		called, err2 := r.Name(i)
		if err != nil || err2 != nil || called != name(i) || hash != HashOf(text(i)) {
			t.Fatalf("trace %d: %q %x %v %v", i, called, hash, err, err2)
		}
	}
	if len(r.sections) < 5 {
		t.Errorf("%d sections: too few to test anything", len(r.sections))
	}
	for _, i := range []int{-1, n} {
		if _, err := r.Text(i); err == nil {
			t.Errorf("Text(%d) returns no error", i)
		}
	}
	report := r.Verify()
	if report.Wrong != 0 || report.Traces != n {
		t.Errorf("%+v", report)
	}
	if s := r.Stats(); s.Traces != n || s.Bytes == 0 || int64(s.Bytes) < s.FileBytes {
		t.Errorf("%+v", s)
	}
}

// TestEveryTraceIsKept: random traces of all models, with and without answers, are read as they were.
func TestEveryTraceIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := create(t, path)
	w.frame.fill = 5000
	var want []string
	for _, model := range append(apimodel.Models(), apimodel.QBF) {
		generator, err := gen.New(gen.Config{Model: model, Profile: "mixed"})
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(60) {
			made := new(trace.Trace)
			seed := gen.Seed(testseed.Of(t, 1), 0, number)
			generator.Generate(seed, made)
			made.Notes = generator.Notes(seed)
			if number%3 == 0 {
				answered := strings.Replace(made.String(), "\nsolve\n", "\nsolve = 0\n", 1)
				made = parse(t, strings.Replace(answered, "ipafuzz 1 ", "ipafuzz 2 ", 1))
			}
			added, err := w.Add(fmt.Sprint(model.Name, number), made)
			if err != nil {
				t.Fatal(err)
			}
			if added {
				want = append(want, made.String())
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	if report := r.Verify(); report.Wrong != 0 || report.Traces != len(want) {
		t.Errorf("%+v", report)
	}
	for i := range want {
		if got, err := r.Text(i); err != nil || string(got) != want[i] {
			t.Fatalf("trace %d is\n%s\n(%v), want\n%s", i, got, err, want[i])
		}
	}
}

// TestHuffman: the decoder reads columns of all sorts: empty, short, of one byte, incompressible, and longer than a
// block.
func TestHuffman(t *testing.T) {
	random := make([]byte, 3*mostInBlock/2)
	rand.NewChaCha8([32]byte{1}).Read(random)
	few := bytes.Clone(random)
	for i := range few {
		few[i] &= few[len(few)-1-i] & 7
	}
	var file, want []byte
	var coder huffman
	for _, column := range [][]byte{nil, random[:1], few[:1000], few[:200], make([]byte, 5000), random, few,
		few[:mostInBlock]} {
		file, want = coder.EncodeAll(column, file), append(want, column...)
	}
	decoder := newDecoder()
	defer decoder.Close()
	if got, err := decoder.DecodeAll(file, make([]byte, 0, len(want))); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v, %d bytes, want %d", err, len(got), len(want))
	}
	if 4*len(file) > 3*len(want) {
		t.Errorf("%d bytes were compressed to %d", len(want), len(file))
	}
}

func TestTheSameTraceIsKeptOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := create(t, path)
	for range 3 {
		if _, err := w.Add(name(1), parse(t, string(text(1)))); err != nil {
			t.Fatal(err)
		}
	}
	if w.Added != 1 || w.Known != 2 {
		t.Errorf("%d added, %d known", w.Added, w.Known)
	}
	fill(t, w, 1, 5)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w = appending(t, path)
	fill(t, w, 0, 5)
	if w.Added != 1 || w.Known != 4 {
		t.Errorf("after reopening: %d added, %d known", w.Added, w.Known)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(after, before) {
		t.Errorf("appending changed the traces before: %v", err)
	}
	fill(t, appending(t, path), 0, 5)
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, after) {
		t.Errorf("adding only known traces changed the file: %v", err)
	}
}

func TestOnlyOneAddsAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	fill(t, create(t, path), 0, 3)
	w := appending(t, path)
	if _, err := Append(path); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a second Append: %v", err)
	}
	fill(t, w, 3, 6)
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a"+Extension)
	w := create(t, path)
	if _, err := w.Add(name(1), parse(t, string(text(1)))); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left over: %v %v", left, err)
	}
	fill(t, create(t, path), 0, 3)
	before, _ := os.ReadFile(path)
	w = appending(t, path)
	for i := range 3000 {
		if _, err := w.Add(name(i), parse(t, string(text(i)))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the archive has changed: %v", err)
	}
	w = appending(t, filepath.Join(dir, "new"+Extension))
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left over: %v %v", left, err)
	}
}

func TestLongNamesAreRefused(t *testing.T) {
	w := create(t, filepath.Join(t.TempDir(), "a"+Extension))
	defer w.Abort()
	if _, err := w.Add(strings.Repeat("x", maxName+1), parse(t, string(text(1)))); err == nil {
		t.Error("Add takes a name that is too long")
	}
	if _, err := w.Add("fine\x00", parse(t, string(text(1)))); err != nil {
		t.Error(err)
	}
}

func TestSplitter(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"ipafuzz 1 ipamir\n", []string{"ipafuzz 1 ipamir\n"}},
		{"ipafuzz 1 ipamir\nsolve\nipafuzz 1 ipasir\n# ipafuzz 1\nsolve\n",
			[]string{"ipafuzz 1 ipamir\nsolve\n", "ipafuzz 1 ipasir\n# ipafuzz 1\nsolve\n"}},
		{"ipafuzz 1 ipamir\nipafuzz\nipafuzz 1 ipasir", []string{"ipafuzz 1 ipamir\nipafuzz\n", "ipafuzz 1 ipasir"}},
		{"no trace\nat all", []string{"no trace\nat all"}},
		{"\nipafuzz\t1 ipamir\n", []string{"\n", "ipafuzz\t1 ipamir\n"}},
	} {
		for _, from := range []io.Reader{strings.NewReader(c.text), oneByte{strings.NewReader(c.text)}} {
			s := NewSplitter(from)
			var got []string
			for {
				next, err := s.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(next))
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
				t.Errorf("%q: %q, want %q", c.text, got, c.want)
			}
		}
	}
}

type oneByte struct{ from io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.from.Read(p[:1]) }

func TestFamiliesAreTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := create(t, path)
	s := NewSorter(w)
	for i, gen := range []string{"b/1", "a/1", "b/1", "mutation/1 seed=1 of=y,x", "mutation/1 seed=2 of=x,y",
		"mutation/1 seed=3 of=y"} {
		if err := s.Add(fmt.Sprint(i), parse(t, "ipafuzz 1 ipamir\n# gen="+gen+"\n# n="+fmt.Sprint(i)+"\n"+
			"solve\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	var order string
	for i := range r.Len() {
		name, err := r.Name(i)
		if err != nil {
			t.Fatal(err)
		}
		order += name
	}
	if order != "102435" {
		t.Errorf("the traces are in order %s, want 102435", order)
	}
}

// FuzzSplitter: the pieces joined are the text, and do not depend on the sizes of reads.
func FuzzSplitter(f *testing.F) {
	f.Add(bytes.Join([][]byte{text(0), text(1), text(2)}, nil))
	f.Add([]byte("ipafuzz 1\nipafuzz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, slow := NewSplitter(bytes.NewReader(data)), NewSplitter(oneByte{bytes.NewReader(data)})
		var all []byte
		for {
			next, err := s.Next()
			other, errSlow := slow.Next()
			if err != errSlow || !bytes.Equal(next, other) {
				t.Fatalf("%q %v, byte by byte %q %v", next, err, other, errSlow)
			}
			if err != nil {
				break
			}
			all = append(all, next...)
		}
		if !bytes.Equal(all, data) {
			t.Fatalf("%q becomes %q", data, all)
		}
	})
}
