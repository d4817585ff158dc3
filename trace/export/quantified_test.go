package export_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

const quantifiedTrace = `ipafuzz 2 qbf
exists 1 2 0
forall 3 0
exists 0
extend 3 4 0
clause 1 -3 4 0
push
clause -1
clause -1 0
clause -4 0
solve want 20
val 1
core
pop
clause 1 2 0
assume -2
solve want 10
val -1
model
failed -2
core
@1 forall 1 0
@1 open 5
@1 clause 1 0
@1 close 5
@1 solve want 20
@1 deactivate 5
@1 solve want 10
@1 activate 5
@1 delete 5
@1 solve want 10
@1 terminate 1
@2 forall 1 2 0
@2 exists 3 4 0
@2 clause 1 -2 -3 0
@2 clause 1 4 0
@2 clause -1 3 0
@2 clause 2 -3 0
@2 solve want 20
@2 model
@2 assume 1
@2 assume -2
@2 solve want 20
@2 val 2
@2 core
@3 exists 1 2 0
@3 clause 1 2 0
@3 clause -1 -2 0
@3 assume 1
@3 assume 2
@3 solve want 20
@3 core
@3 release
@3 init
@3 forall 1 2 0
@3 exists 3 0
@3 clause 1 2 3 0
@3 clause 1 2 -3 0
@3 assume 1
@3 solve want 10
@3 core
@4 forall 1 0
@4 exists 2 0
@4 solve want 10
@4 model
`

// TestQuantifiedProgram: C and C++ programs make all calls of model qbf, and fail if an answer is wrong or the library
// crashes.
func TestQuantifiedProgram(t *testing.T) {
	t.Parallel()
	whole, err := trace.ParseString(quantifiedTrace)
	if err != nil {
		t.Fatal(err)
	}
	library := buildReference(t)
	for _, c := range []struct {
		language, defect, class string
		fails                   bool
	}{
		{"c", "", "", false},
		{"c++", "", "", false},
		{"c", "pop-keeps-clause", "", true},
		{"c", "deactivated-counts", "", true},
		{"c", "deactivated-counts", "2.5", true},
		{"c", "deactivated-counts", "2.4", true},
		{"c++", "pop-after-false", "1.5", true},
		{"c", "", "1.5", false},
		{"c", "leak-per-push", "5.7", true},
		{"c", "", "5.7", false},
		{"c", "", "2.6", false},
		{"c++", "values-of-first-leaf", "2.6", true},
		{"c", "false-values-negated", "2.6", true},
		{"c", "core-misses-last", "5.3", true},
		{"c", "true-blameless", "5.3", true},
		{"c++", "", "5.3", false},
		{"c", "", "5.2", false},
		{"c", "values-of-inner", "5.2 value after the other answer", true},
		{"c++", "dependency-forgotten", "5.2 value of another variable", true},
		{"c", "", "5.2 value of another variable", false},
		{"c++", "", "5.2 value after the other answer", false},
	} {
		var text bytes.Buffer
		language := export.LanguageNamed(c.language)
		var o export.Options
		o.Failure.Class, o.Failure.Detail, _ = strings.Cut(c.class, " ")
		if c.class == "5.3" {
			o.Failure.Detail = "not a core"
		}
		if err := language.Write(&text, whole, o); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		source, run := filepath.Join(dir, "shows"+language.Suffix), filepath.Join(dir, "shows")
		if err := os.WriteFile(source, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		compiler := map[string]string{"c": "cc", "c++": "c++"}[c.language]
		command(t, dir, compiler, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-o", run, source, library,
			"-Wl,-rpath,"+filepath.Dir(library))
		shows := program(t, run)
		shows.Env = os.Environ()
		if c.defect != "" {
			shows.Env = append(shows.Env, "IPAFUZZ_REF_DEFECT="+c.defect)
		}
		out, err := shows.CombinedOutput()
		if (err != nil) != c.fails {
			t.Errorf("%s, defect %q, class %q: %v\n%s", c.language, c.defect, c.class, err, out)
		}
		if c.class == "2.5" && !bytes.Contains(out, []byte("another status than 20: the formula is true")) {
			t.Errorf("a program for a false answer 20 says\n%s", out)
		}
	}
	for _, language := range []string{"python", "java"} {
		err := export.LanguageNamed(language).Write(new(bytes.Buffer), whole, export.Options{})
		if _, cannot := errors.AsType[*export.CannotSayError](err); !cannot {
			t.Errorf("%s: %v", language, err)
		}
	}
	err = export.LanguageNamed("c").Write(new(bytes.Buffer), whole, export.Options{Failure: export.Failure{Class: "5.2"},
		Policies: map[string]string{"qbf-other-val": "any"}})
	if err == nil || !strings.Contains(err.Error(), "may give any values") {
		t.Errorf("class 5.2 with any other values: %v", err)
	}
}

// TestQdpllCalls: a program for DepQBF makes every call of model qbf that qdpll.h has, and refuses the others.
func TestQdpllCalls(t *testing.T) {
	calls, _, _ := strings.Cut(quantifiedTrace, "@1 terminate")
	whole, err := trace.ParseString(calls + "solve\nval 1\nmodel\nrelease\ninit\n@2 push\n@2 pop\n")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := export.LanguageNamed("qdpll").Write(&text, whole, export.Options{}); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(text.String(), "int main (")
	for _, part := range []string{"QDPLL *s0 = 0;", "qdpll_delete (s0)", "QDPLL_QTYPE_EXISTS", "QDPLL_QTYPE_FORALL",
		"qdpll_add_var_to_scope (s0, 4, nesting0_3)", "qdpll_add (s0, -3)", "qdpll_push (s0)", "qdpll_pop (s0)",
		"qdpll_new_clause_group (s1)", "qdpll_open_clause_group (s1, ", "qdpll_close_clause_group (s1, ",
		"qdpll_deactivate_clause_group (s1, ", "qdpll_activate_clause_group (s1, ", "qdpll_delete_clause_group (s1, ",
		"depqbf_assume (s0, -2)", "depqbf_relevant (s0, ", "depqbf_value (s0, 1)", "depqbf_value (s0, 4)",
		"expect (answer == 20, "} {
		if !strings.Contains(body, part) {
			t.Errorf("the program lacks %q:\n%s", part, body)
		}
	}
	stops, err := trace.ParseString("ipafuzz 2 qbf\nterminate 1\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	err = export.LanguageNamed("qdpll").Write(new(bytes.Buffer), stops, export.Options{})
	if err == nil || !strings.Contains(err.Error(), "call 1 (terminate 1): qdpll.h has no such call") {
		t.Errorf("terminate: %v", err)
	}
}
