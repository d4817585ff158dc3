package suite

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"
)

// FuzzSuite reads damaged suites. A suite that can be read is the same after it is written
// and read again.
func FuzzSuite(f *testing.F) {
	const trace = "ipafuzz 1 ipamir\nhard 1 0\nsoft -1 3\nsolve = 30\nobj = 3\n"
	for _, list := range []string{
		`{"name": "s", "solved_by": "ref", "within_seconds": 1, "entries": [{"name": "a", "title": "t", "model": "ipamir",
			"solves": 1, "weights": "S", "unweighted": false, "answers": ["30 optimum 3"], "seconds": 0.1}]}`,
		`{"entries": [{"name": "a", "model": "ipamir", "wcnf": "wcnf/a.wcnf"}, {"name": "a", "model": "ipamir"}]}`,
		`{"entries": [{"name": "../traces/a", "model": "ipamir"}]}`, `{"entries": [{}]}`, `{}`, `null`, `[]`,
	} {
		f.Add([]byte(list), []byte(trace))
	}
	f.Fuzz(func(t *testing.T, list, trace []byte) {
		s, err := Read(fstest.MapFS{"suite.json": {Data: list}, "traces/a.trace": {Data: trace}}, "the suite")
		if err != nil {
			return
		}
		for i := range s.Entries {
			s.Entries[i].WCNF = "" // Read leaves the formulas where they are
		}
		dir := t.TempDir()
		if err := s.Write(dir); err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		again, err := Read(os.DirFS(dir), "the suite")
		if err != nil {
			text, _ := fs.ReadFile(os.DirFS(dir), "suite.json")
			t.Fatalf("written as\n%s\nit cannot be read: %v", text, err)
		}
		if len(again.Entries) != len(s.Entries) || again.Name != s.Name {
			t.Errorf("%d tests of %q, then %d of %q", len(s.Entries), s.Name, len(again.Entries), again.Name)
		}
	})
}
