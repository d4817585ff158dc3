package cause

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func TestWithout(t *testing.T) {
	const twice, tautology = "soft 1 1\nsoft 1 2\nsolve\nobj\n", "hard 2 -2 0\nsoft 1 1\nsolve\nobj\n"
	const minimal = "soft 1 1\nsoft 2 1\nsolve\nmodel\n"
	for _, row := range []struct {
		calls    string
		causes   []Cause // those without needs are of the trace minimal
		explains bool    // the first of the causes
		want     string
	}{
		{twice, []Cause{"repeated-soft"}, true, "soft 1 2\nsolve\nobj\n"},
		{twice, []Cause{"tautology"}, false, twice},
		{twice, []Cause{"repeated-soft + tautology"}, false, twice},
		{tautology, []Cause{"repeated-soft", "tautology"}, false, "soft 1 1\nsolve\nobj\n"},
		{tautology + twice, []Cause{"repeated-soft + tautology"}, true, "hard 2 -2 0\nsolve\nobj\nsoft 1 2\nsolve\nobj\n"},
		{tautology + twice, []Cause{"repeated-soft + tautology"}, true, "soft 1 1\nsolve\nobj\n" + twice},
		{"solve\n" + twice, []Cause{Nothing}, true, "solve\nsoft 1 2\nsolve\nobj\n"},
		{twice + "solve\n", []Cause{Nothing}, true, "soft 1 2\nsolve\nobj\nsolve\n"},
		{tautology, []Cause{Nothing}, false, tautology},
		{tautology, []Cause{Nothing, "tautology"}, false, "soft 1 1\nsolve\nobj\n"},
		{"assume 1\nsolve\nsolve\n", []Cause{"last-assumption"}, true, "solve\nsolve\n"}, // at another place
		{twice, []Cause{""}, true, ""},
		{twice, []Cause{"unequal-weights"}, true, ""}, // no version can do without
	} {
		one := parse(t, row.calls)
		var known []*Failure
		for _, c := range row.causes {
			known = append(known, &Failure{Cause: c, Minimal: parse(t, minimal)})
		}
		if got := known[0].Explains(one); got != row.explains {
			t.Errorf("%q explains %q: %v", row.causes[0], row.calls, got)
		}
		got := Without(one, known)
		if (len(got) == 0) != (row.want == "") {
			t.Errorf("%q without %v: %v, want %q", row.calls, row.causes, got, row.want)
		} else if len(got) > 0 && !slices.ContainsFunc(got, func(v *trace.Trace) bool {
			return v.String() == parse(t, row.want).String()
		}) {
			t.Errorf("%q without %v:\n%s", row.calls, row.causes, got)
		}
	}
}

// TestUprooted checks that versions without a minimal trace keep nothing of it and lose no more than they must.
func TestUprooted(t *testing.T) {
	const gap = "hard 1 0\nsoft 1 1\nsoft 2 2\nsoft -2 3\n"
	for _, row := range []struct{ minimal, calls, want string }{
		{"hard -1 -2 0\nsoft -1 1\nsoft -2 1\nsolve\n", gap + "solve\nobj\n", gap + "solve\nobj\n"},
		{"hard 5 6 0\nsolve\n", gap + "hard 3 4 0\nhard 2 3 0\nsolve\nobj\nhard 1 2 0\n", gap + "solve\nobj\nhard 1 2 0\n"},
		{"solve\nsolve\n", "solve\nsoft 1 1\nsolve\n", ""}, // nothing but solves
	} {
		k := Failure{Cause: Nothing, Minimal: parse(t, row.minimal)}
		switch got := k.uprooted(parse(t, row.calls), rand.New(rand.NewPCG(1, 1))); {
		case (got == nil) != (row.want == ""):
			t.Errorf("%q without %q: %v, want %q", row.calls, row.minimal, got, row.want)
		case got != nil && got.String() != parse(t, row.want).String():
			t.Errorf("%q without %q:\n%s", row.calls, row.minimal, got)
		}
	}
}

func TestExplainsAll(t *testing.T) {
	minimal := parse(t, "solve\n")
	for _, row := range []struct {
		known Failure
		want  bool
	}{
		{Failure{Minimal: minimal}, true},
		{Failure{Cause: Nothing}, true},
		{Failure{Cause: Nothing, Minimal: minimal}, false},
		{Failure{Cause: "tautology"}, false},
	} {
		if row.known.ExplainsAll() != row.want {
			t.Errorf("%+v: %v", row.known, !row.want)
		}
	}
}

func TestAt(t *testing.T) {
	one := parse(t, "hard 1 0\nsolve\n")
	here, there, nowhere := &Failure{Location: "f.c:1"}, &Failure{Location: "f.c:2"}, &Failure{Cause: "tautology"}
	for _, row := range []struct {
		known    []*Failure
		location string
		explains bool
	}{
		{[]*Failure{here}, "f.c:1", true},
		{[]*Failure{here}, "f.c:2", false},
		{[]*Failure{here, there}, "f.c:2", true},
		{[]*Failure{here, nowhere}, "f.c:2", false},
		{[]*Failure{here}, "", true},
		{[]*Failure{{}}, "f.c:1", true}, // it may crash there
		{[]*Failure{nowhere}, "f.c:1", false},
	} {
		if got := Explain(At(row.known, row.location), one); got != row.explains {
			t.Errorf("%+v at %q: %v", row.known, row.location, got)
		}
	}
}
