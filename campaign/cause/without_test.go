package cause

import "testing"

func TestWithout(t *testing.T) {
	const twice, tautology = "soft 1 1\nsoft 1 2\nsolve\nobj\n", "hard 2 -2 0\nsoft 1 1\nsolve\nobj\n"
	for _, row := range []struct {
		calls    string
		causes   []Cause
		explains bool // the first of the causes
		want     string
	}{
		{twice, []Cause{"repeated-soft"}, true, "soft 1 2\nsolve\nobj\n"},
		{twice, []Cause{"tautology"}, false, twice},
		{twice, []Cause{"repeated-soft + tautology"}, false, twice},
		{tautology, []Cause{"repeated-soft", "tautology"}, false, "soft 1 1\nsolve\nobj\n"},
		{tautology + twice, []Cause{"repeated-soft + tautology"}, true, "hard 2 -2 0\nsolve\nobj\nsoft 1 2\nsolve\nobj\n"},
		{twice, []Cause{Nothing}, true, ""},
		{"assume 1\nsolve\nsolve\n", []Cause{"last-assumption"}, true, "solve\nsolve\n"}, // at another place
		{twice, []Cause{""}, true, ""},
	} {
		one := parse(t, row.calls)
		if got := row.causes[0].Explains(one); got != row.explains {
			t.Errorf("%q explains %q: %v", row.causes[0], row.calls, got)
		}
		got := Without(one, row.causes)
		if (got == nil) != (row.want == "") {
			t.Errorf("%q without %v: %v, want %q", row.calls, row.causes, got, row.want)
		} else if got != nil && got.String() != parse(t, row.want).String() {
			t.Errorf("%q without %v:\n%s", row.calls, row.causes, got)
		}
	}
}
