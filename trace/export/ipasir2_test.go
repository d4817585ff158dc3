package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
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

// TestRuleForCodes: exported programs and the judge have the same rule for the codes of wrong calls.
func TestRuleForCodes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	headers, err := filepath.Abs(filepath.Join("..", "..", "cexternal", "exec"))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "rule.c")
	program := `#include <stdio.h>
#include "ipasir2_client.h"
int main (void) {
  for (uint64_t facts = 0; facts < 1 << 11; facts++)
    for (uint64_t code = 0; code < 8; code++) putchar ('0' + layer_refused (code | facts << 32));
  return 0;
}
`
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "cc", "-std=c11", "-D_GNU_SOURCE", "-I", headers, "-o", "rule", source)
	var want strings.Builder
	for facts := range uint64(1 << 11) {
		for code := range uint64(8) {
			right := 1
			if m, made := apimodel.ReadMisuse(code | facts<<32); made && !slices.Contains(m.Right, m.Code) {
				right = 0
			}
			fmt.Fprint(&want, right)
		}
	}
	got, err := exec.Command(filepath.Join(dir, "rule")).Output()
	if err != nil || string(got) != want.String() {
		t.Errorf("the rules differ: %v\n%s\n%s", err, got, want.String())
	}
}
