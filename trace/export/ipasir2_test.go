package export_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestIPASIR2: the C and C++ programs call the functions of IPASIR-2, fail with the defects that the trace shows, and
// succeed without them.
func TestIPASIR2(t *testing.T) {
	t.Parallel()
	library := buildReference(t)
	tr, err := trace.ParseString("ipafuzz 2 ipasir2\nmisuse 5\nlearn 2\nadd 1 2 3 0\nsolve want 10\n" +
		"import -1 0\nimport -2 0\n" +
		"import 5 4 0\nassume -3\nsolve want 20\nsolve want 10\nassume 1\nsolve want 20\ncore\n" +
		"assume -5\nsolve want 10\nerrors\nmisuse 2\nmisuse 5\nhavoc 3\nhavoc 14\nadd 1 -3 0\nhavoc 5\n" +
		"add 6 0\nmisuse 0\nerrors\nsolve want 20\nadd 7 0\nerrors\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range []struct{ name, compiler string }{{"c", "cc"}, {"c++", "c++"}} {
		l := export.LanguageNamed(language.name)
		var b strings.Builder
		if err := l.Write(&b, tr, export.Options{}); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		source := filepath.Join(dir, "p"+l.Suffix)
		if err := os.WriteFile(source, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, dir, language.compiler, "-o", "p", source, library)
		for _, c := range []struct {
			defect string
			fails  bool
		}{{"none", false}, {"import-lost", true}, {"import-cut", true}, {"option-bound", true},
			{"wrong-code", true}, {"state-unchecked", true}, {"add-refused", true}, {"forgets-next", false}} {
			run := exec.Command(filepath.Join(dir, "p"))
			run.Env = append(os.Environ(), "IPAFUZZ_REF_DEFECT="+c.defect)
			out, err := run.CombinedOutput()
			if (err != nil) != c.fails {
				t.Errorf("%s, %s: %v\n%s", language.name, c.defect, err, out)
			}
		}
	}
}
