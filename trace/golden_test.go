package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// goldenFiles returns the canonical texts in testdata.
func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.trace")
	if err != nil || len(names) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	files := make(map[string][]byte)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	return files
}

func TestGoldenFilesPrintAsTheyAre(t *testing.T) {
	for name, text := range goldenFiles(t) {
		tr, err := Parse(bytes.NewReader(text), name)
		if err != nil {
			t.Error(err)
			continue
		}
		if printed := tr.String(); printed != string(text) {
			t.Errorf("%s prints differently:\n%s", name, firstDifference(string(text), printed))
		}
		var written bytes.Buffer
		if n, err := tr.WriteTo(&written); err != nil || n != int64(len(text)) || !bytes.Equal(written.Bytes(), text) {
			t.Errorf("%s: WriteTo wrote %d bytes (%v), want the %d of the file", name, n, err, len(text))
		}
		if err := Check(tr); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !Equal(tr, tr.Clone()) {
			t.Errorf("%s: the trace does not equal its clone", name)
		}
	}
}

func TestGoldenFilesHoldEveryCallAndAnswer(t *testing.T) {
	called := make(map[string]bool)
	for name, text := range goldenFiles(t) {
		tr, err := Parse(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Calls {
			call := tr.Model.Call(tr.Calls[i].Op)
			called[tr.Model.Name+" "+call.Name] = true
			switch tr.Want.At(i).Kind {
			case Answered:
				called[tr.Model.Name+" "+call.Name+" ="] = true
			case Withheld:
				called[tr.Model.Name+" = -"] = true
			case Unsupported:
				called["= ?"] = true
			}
		}
	}
	want := []string{"= ?"}
	for _, m := range apimodel.Models() {
		want = append(want, m.Name+" = -")
		for i := range m.Calls {
			want = append(want, m.Name+" "+m.Calls[i].Name)
			if m.Calls[i].Reply != apimodel.ReplyNothing {
				want = append(want, m.Name+" "+m.Calls[i].Name+" =")
			}
		}
	}
	for _, w := range want {
		if !called[w] {
			t.Errorf("no golden file has %q", w)
		}
	}
}

func TestLooseTextPrintsCanonically(t *testing.T) {
	loose, err := os.ReadFile("testdata/loose.input")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/loose.trace")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Parse(bytes.NewReader(loose), "loose.input")
	if err != nil {
		t.Fatal(err)
	}
	if tr.String() != string(want) {
		t.Errorf("loose.input prints differently from loose.trace:\n%s", firstDifference(string(want), tr.String()))
	}
}

// TestPiecesOfAReaderDoNotMatter: Parse returns the same trace for all sizes of reads.
func TestPiecesOfAReaderDoNotMatter(t *testing.T) {
	for name, text := range goldenFiles(t) {
		want, err := Parse(bytes.NewReader(text), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{1, 2, 3, 7, 64} {
			got, err := Parse(&smallReads{text, size}, name)
			if err != nil {
				t.Errorf("%s in reads of %d bytes: %v", name, size, err)
			} else if !Equal(want, got) {
				t.Errorf("%s in reads of %d bytes is another trace", name, size)
			}
		}
	}
}

type smallReads struct {
	rest []byte
	size int
}

func (r *smallReads) Read(into []byte) (int, error) {
	n := copy(into[:min(len(into), r.size)], r.rest)
	r.rest = r.rest[n:]
	return n, eofWhen(n == 0)
}

func firstDifference(want, got string) string {
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		w, g := "(nothing)", "(nothing)"
		if i < len(wants) {
			w = wants[i]
		}
		if i < len(gots) {
			g = gots[i]
		}
		if w != g {
			return "want " + w + "\n got " + g
		}
	}
	return "the same"
}
