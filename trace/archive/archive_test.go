package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	seekable "github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/klauspost/compress/zstd"
)

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
	w.fill = 3000
	for i := from; i < to; i++ {
		if _, err := w.AddText(name(i), text(i)); err != nil {
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

func wholeText(n int) []byte {
	var all []byte
	for i := range n {
		all = append(all, text(i)...)
	}
	return all
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
		hash, called, err := r.Entry(i)
		if err != nil || called != name(i) || hash != HashOf(text(i)) {
			t.Fatalf("trace %d: %q %x %v", i, called, hash, err)
		}
	}
	if len(r.frames) < 5 || len(r.indexes) != 3 {
		t.Errorf("%d frames, %d indexes: too few to test anything", len(r.frames), len(r.indexes))
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
	s := r.Stats()
	if s.TextBytes != uint64(len(wholeText(n))) || s.DataBytes+s.Tables != uint64(s.FileBytes) {
		t.Errorf("%+v", s)
	}
}

// TestOthersReadIt: an archive is a sequence of zstd frames, which any zstd decoder reads, with a seek table in the
// published format.
func TestOthersReadIt(t *testing.T) {
	path, n := grown(t)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := wholeText(n)
	decoder, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	if got, err := io.ReadAll(decoder); err != nil || !bytes.Equal(got, want) {
		t.Errorf("as a stream: %v, %d bytes, want %d", err, len(got), len(want))
	}
	table, err := seekable.NewReader(file, decoder)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if got, err := io.ReadAll(table); err != nil || !bytes.Equal(got, want) {
		t.Errorf("by the seek table: %v, %d bytes, want %d", err, len(got), len(want))
	}
	piece := make([]byte, 100)
	if _, err := table.ReadAt(piece, 4321); err != nil || !bytes.Equal(piece, want[4321:4421]) {
		t.Errorf("ReadAt by the seek table: %v, %q", err, piece)
	}
	if _, err := exec.LookPath("zstdcat"); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal("zstdcat is not installed (scripts/setup installs it)")
		}
		t.Skip("zstdcat is not installed")
	}
	got, err := exec.Command("zstdcat", path).Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("zstdcat: %v, %d bytes, want %d", err, len(got), len(want))
	}
}

func TestTheSameTraceIsKeptOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := create(t, path)
	for range 3 {
		if _, err := w.AddText(name(1), text(1)); err != nil {
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
	if _, err := w.AddText(name(1), text(1)); err != nil {
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
		if _, err := w.AddText(name(i), text(i)); err != nil {
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

func TestWhatIsNoTraceIsRefused(t *testing.T) {
	w := create(t, filepath.Join(t.TempDir(), "a"+Extension))
	defer w.Abort()
	for _, c := range []struct{ name, text string }{
		{"a", ""}, {"a", "p cnf 1 1\n1 0\n"}, {"a", "ipafuzz 1 ipamir\nsolve"},
		{"nul\x00", string(text(1))}, {strings.Repeat("x", maxName+1), string(text(1))},
	} {
		if _, err := w.AddText(c.name, []byte(c.text)); err == nil {
			t.Errorf("AddText(%q, %q) returns no error", c.name, c.text)
		}
	}
	if _, err := w.AddText("fine", text(1)); err != nil {
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
	s.limit = 1 << 20
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
		_, name, err := r.Entry(i)
		if err != nil {
			t.Fatal(err)
		}
		order += name
	}
	if order != "102435" {
		t.Errorf("the traces are in order %s, want 102435", order)
	}
}
