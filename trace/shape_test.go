package trace

import (
	"slices"
	"strings"
	"testing"
)

func mustParse(t *testing.T, lines string) *Trace {
	t.Helper()
	tr, err := ParseString("ipafuzz 1 ipasir\n" + strings.ReplaceAll(lines, "; ", "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func body(t *Trace) string {
	_, calls, _ := strings.Cut(t.String(), "\n")
	return strings.ReplaceAll(strings.TrimSpace(calls), "\n", "; ")
}

func TestConcat(t *testing.T) {
	for _, c := range []struct{ name, first, second, want string }{
		{"one instance each", "add 1 0; solve", "add -1 0; solve",
			"init; add 1 0; solve; release; init; add -1 0; solve; release"},
		{"init again", "init; add 1 0", "init; solve",
			"init; add 1 0; release; init; solve; release"},
		{"released already", "add 1 0; release", "solve",
			"init; add 1 0; release; init; solve; release"},
		{"in the order of first use", "@2 add 1 0; add 2 0", "@2 solve",
			"@2 init; @2 add 1 0; init; add 2 0; @2 release; release; @2 init; @2 solve; @2 release"},
		{"an open clause is closed", "add 1", "solve",
			"init; add 1; add 0; release; init; solve; release"},
		{"the signature makes no solver", "signature", "solve",
			"signature; init; solve; release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			joined := Concat(mustParse(t, c.first), mustParse(t, c.second))
			if got := body(joined); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if err := Check(joined); err != nil {
				t.Errorf("the joined trace is illegal: %v", err)
			}
		})
	}
}

// TestConcatRandom: Concat makes a legal trace of two legal traces.
func TestConcatRandom(t *testing.T) {
	r := newRandom(t)
	for range 1000 {
		a, b := randomTrace(r, true), randomTrace(r, true)
		if a.Model != b.Model {
			continue
		}
		joined := Concat(a, b)
		if err := Check(joined); err != nil {
			t.Fatalf("%v\n%s\n%s", err, a, b)
		}
	}
}

func TestProject(t *testing.T) {
	whole := mustParse(t, "add 1 0; @3 add 2 3 0; solve = 10; @3 assume -2; val 1; @3 solve")
	if got, want := body(whole.Project(3)), "add 2 3 0; assume -2; solve"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if whole.Instances() != 2 {
		t.Errorf("%d instances, want 2", whole.Instances())
	}
}

func TestVariables(t *testing.T) {
	tr := mustParse(t, "add 7 -3 0; assume 3; solve; val 1; add -7 2 0")
	if got := tr.Variables(); !slices.Equal(got, []int32{7, 3, 1, 2}) {
		t.Errorf("variables %d", got)
	}
}

func TestPrefix(t *testing.T) {
	whole := mustParse(t, "add 1 0; solve = 10; val 1 = 1")
	cut := whole.Prefix(2)
	if got, want := body(cut), "add 1 0; solve want 10"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if all := whole.Prefix(4); body(all) != body(whole) || len(all.Calls) != 3 {
		t.Errorf("the first 4 of 3 calls: %s", body(all))
	}
	cut.Literal(0, 0, 5)
	if got, want := body(whole), "add 1 0; solve want 10; val 1 want 1"; got != want {
		t.Errorf("adding to the prefix changed the whole: %s", got)
	}
}

// TestRenamePlanted: RenamePlanted renames the literals of planted assignments and drops the variables that the trace
// does not use.
func TestRenamePlanted(t *testing.T) {
	tr,
		err := ParseString("ipafuzz 1 ipamir\n# gen=x\n# planted @0 bound=17 1 -2 3\n# planted @1 optimum=0 -7\n# " +
		"planted @x\nhard 1 -7 0\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Planted) != 2 || len(tr.Notes) != 2 {
		t.Fatalf("%d planted assignments and the notes %q", len(tr.Planted), tr.Notes)
	}
	tr.Planted = tr.RenamePlanted(func(lit int32) int32 {
		if Var(lit) == 7 {
			return -lit
		}
		return lit
	})
	want := "ipafuzz 1 ipamir\n# gen=x\n# planted @x\n# planted @0 bound=17 1\n# planted @1 optimum=0 7\nhard 1 -7 0\n"
	if got := tr.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}
