package export_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// TestCallbackOfAnotherInProgram: a program shows that a solve calls a callback of another instance, and only that.
// The clause 666 makes the library call the right ones.
func TestCallbackOfAnotherInProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	library := filepath.Join(dir, "libcrosses.so")
	command(t, "", "cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-pthread", "-o", library,
		"../../replay/testdata/crosses.c")
	for _, callback := range []string{"terminate 1", "learn 3"} {
		for clause, want := range map[int]int{1: 1, 666: 0} {
			tr := parse(t, fmt.Sprintf("ipafuzz 2 ipasir\n@1 add %d 0\n@2 add 666 0\n@2 %s\n@2 solve\n@1 solve\n", clause,
				callback))
			finding := oracle.Finding{Class: oracle.WrongTermination, Detail: oracle.OfAnother}
			var b bytes.Buffer
			if err := export.LanguageNamed("c").Write(&b, tr,
				export.Options{Failure: failureOf(finding.Key("crosses"))}); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "repro.c"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			command(t, dir, "cc", "-Wall", "-Wextra", "-Werror", "-o", "repro", "repro.c", library, "-Wl,-rpath,"+dir)
			if code, said := exitOf(t, dir, "./repro"); code != want {
				t.Errorf("%s, clause %d: exit code %d, want %d\n%s\n%s", callback, clause, code, want, said, &b)
			}
		}
	}
}
