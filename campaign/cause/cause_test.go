package cause

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	if !strings.HasPrefix(text, "ipafuzz") {
		text = "ipafuzz 1 ipamir\n" + text
	}
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// calls returns the lines of a trace without its header, joined by "; ".
func calls(t *trace.Trace) string {
	_, text, _ := strings.Cut(t.String(), "\n")
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
}

// TestVariants compares the versions of each variant with the expected ones.
func TestVariants(t *testing.T) {
	const cadical = "ipafuzz 1 ipasir+cadical\n"
	for _, row := range []struct{ variant, trace, version, control string }{
		{"repeated-soft", "soft 1 2\nsoft 2 1\nsoft 1 3\nsolve\nobj\n", "soft 2 1; soft 1 3; solve; obj", ""},
		{"repeated-soft", "soft 1 2\nsolve\nsoft -1 3\nsolve\n", "", ""},
		{"both-polarities", "soft 1 2\nsoft -1 3\nsolve\n",
			"soft 1 2; hard 2 1 0; hard -2 -1 0; soft 2 3; solve", "soft 1 2; hard 2 3 0; hard -2 -3 0; soft -1 3; solve"},
		{"zero-weight", "soft 1 2\nsoft 1 0\nsoft 2 1\nsolve\n", "soft 2 1; solve", ""},
		{"large-weight", "soft 1 4294967295\nsoft 2 3\nsolve\n", "soft 1 255; soft 2 1; solve", ""},
		{"unequal-weights", "soft 1 2\nsolve\n", "hard 2 -1 0; hard -2 1 0; soft 2 1; soft 1 1; solve",
			"hard 3 -2 0; hard -3 2 0; soft 3 1; soft 1 2; solve"},
		{"no-soft", "hard 1 0\nsolve\n", "soft 2 1; hard 1 0; solve", "hard 2 3 0; hard 1 0; solve"},
		{"empty-clause", "hard 0\nsolve\n", "hard 1 0; hard -1 0; solve", "hard 1 2 0; hard 0; solve"},
		{"tautology", "hard 1 2 -1 0\nhard 2 0\nsolve\n", "hard 2 0; solve", ""},
		{"repeated-literal", "hard 1 2 1 0\nsolve\n", "hard 1 2 0; solve", ""},
		{"repeated-literal", "hard 1 2\nhard 1 0\nsolve\n", "hard 1 2 0; solve", "hard 1 2 1 0; solve"},
		{"repeated-clause", "hard 1 2 0\nhard 2 1 0\nsolve\n", "hard 1 2 0; solve", ""},
		{"clause-in-pieces", "hard 1\nhard 2 0\nsolve\n", "hard 1 2 0; solve", ""},
		{"long-clause", "hard 1 2 3 4 5 0\nsolve\n", "hard 1 2 6 0; hard -6 3 7 0; hard -7 4 5 0; solve",
			"hard 6 7 0; hard -6 -7 0; hard 1 2 3 4 5 0; solve"},
		{"unused-variable", "soft 1 1\nhard 1 0\nassume 2\nsolve\n",
			"hard 1 3 0; hard 2 4 0; soft 1 1; hard 1 0; assume 2; solve",
			"hard 3 4 0; hard 5 6 0; soft 1 1; hard 1 0; assume 2; solve"},
		{"query-beyond", "hard 1 2 0\nsolve\nval -4\n", "hard 5 6 0; hard 1 2 0; solve; val -4",
			"hard 1 2 0; hard 3 4 0; solve; val -6"},
		{"variable-gap", "hard 7 -900 0\nsolve\n", "hard 1 -2 0; solve", ""},
		{"assumption", "assume 1\nsolve\nassume -1\nsolve\nobj\n", "solve; hard -1 0; solve; obj", ""},
		{"last-assumption", "assume 1\nsolve\nassume -1\nsolve\n", "assume 1; solve; hard -1 0; solve", ""},
		{"earlier-assumption", "assume 1\nsolve\nassume -1\nsolve\n", "solve; assume -1; solve", ""},
		{"repeated-assumption", "assume 1\nassume 1\nsolve\n", "assume 1; solve", ""},
		{"contradicting-assumptions", "assume 1\nassume -1\nsolve\n",
			"assume 1; hard 2 1 0; hard -2 -1 0; assume 2; solve", "assume 1; hard 2 3 0; hard -2 -3 0; assume -1; solve"},
		{"constraint", cadical + "constrain 1 2 0\nsolve\nconstrain 3 0\nsolve\n", "solve; add 3 0; solve", ""},
		{"second-instance", "hard 1 0\n@1 hard 2 0\n@1 solve\n", "@1 hard 2 0; @1 solve", ""},
		{"earlier-life", "hard 1 0\nrelease\ninit\nhard 2 0\nsolve\n", "init; hard 2 0; solve", ""},
		{"incremental", "hard 1 0\nassume 2\nsolve\nobj\nhard 2 0\nsolve\nobj\n", "hard 1 0; hard 2 0; solve; obj", ""},
		{"immediate-solve", "hard 1 0\nsolve\nsolve\n", "hard 1 0; solve; hard 2 3 0; solve",
			"hard 2 3 0; hard 1 0; solve; solve"},
		{"late-clause", "assume 1\nsolve\nhard 1 0\nsolve\n", "hard 1 0; assume 1; solve; solve", ""},
		{"late-soft", "solve\nsoft 1 1\nsolve\n", "soft 1 1; solve; solve", ""},
		{"earlier-query", "solve\nobj\nsolve\nobj\n", "solve; solve; obj", ""},
		{"terminate", "terminate 1\nsolve\nterminate off\n", "solve", ""},
		{"option", "option a 1\nsolve\n", "solve", ""},
		{"havoc", "havoc 3\nsolve\n", "solve", ""},
		{"learn", "ipafuzz 1 ipasir\nlearn 1\nsolve\n", "solve", ""},
		{"limit", cadical + "limit-conflicts 1\nsolve\n", "solve", ""},
		{"phase", cadical + "phase 1\nsolve\n", "solve", ""},
		{"freeze", cadical + "freeze 1\nmelt 1\nsolve\n", "solve", ""},
		{"simplify", cadical + "assume 1\nsimplify\nassume 2\nsolve\n", "assume 2; solve", ""},
		{"enumerate", "ipafuzz 1 ipasir+enumerate\nadd 1 0\nenumerate 3\nsolve\n", "add 1 0; solve", ""},
		{"negative-query", "hard 1 0\nsolve\nval -1\n", "hard 1 0; solve; val 1", ""},
		{"repeated-query", "hard 1 0\nsolve\nval 1\nobj\nval 1\n", "hard 1 0; solve; val 1; obj", ""},
	} {
		versions := Named(row.variant).Versions(parse(t, row.trace))
		version, control := "", ""
		if len(versions) > 0 {
			version = calls(versions[0].Trace)
			if versions[0].Control != nil {
				control = calls(versions[0].Control)
			}
		}
		if version != row.version || control != row.control {
			t.Errorf("%s of %q:\nversion %q, want %q\ncontrol %q, want %q", row.variant, row.trace, version, row.version,
				control, row.control)
		}
	}
	for i := range variants {
		if v := &variants[i]; v.Within != "" && Named(v.Within) == nil {
			t.Errorf("%s lies within %s, which is not a variant", v.Name, v.Within)
		}
	}
}

// TestExpectationsStay checks that versions keep the expectations that still hold, and no others.
func TestExpectationsStay(t *testing.T) {
	one := parse(t, "soft 1 2\nassume 1\nsolve = 30\nobj = 2\nsoft 1 3\nsolve = 30\nobj = 0\nval 1 = -1\n")
	for variant, want := range map[string]string{
		"repeated-soft":      "assume 1; solve want 30; obj; soft 1 3; solve want 30; obj want 0; val 1",
		"earlier-assumption": "soft 1 2; solve; obj; soft 1 3; solve want 30; obj want 0; val 1",
	} {
		if got := calls(Named(variant).Versions(one)[0].Trace); got != want {
			t.Errorf("%s: %q, want %q", variant, got, want)
		}
	}
}

func TestParseCause(t *testing.T) {
	for _, text := range []string{"", "nothing", "tautology", "repeated-soft + zero-weight"} {
		if c, err := Parse(text); err != nil || string(c) != text {
			t.Errorf("%q: %q, %v", text, c, err)
		}
	}
	for _, text := range []string{"Tautology", "zero-weight + repeated-soft", "tautology +", "tautology + tautology",
		"nothing + tautology"} {
		if c, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %q", text, c)
		}
	}
	var read struct{ Cause Cause }
	if err := json.Unmarshal([]byte(`{"cause": "tautology"}`), &read); err != nil || read.Cause != "tautology" {
		t.Error(read, err)
	}
	if err := json.Unmarshal([]byte(`{"cause": "no such thing"}`), &read); err == nil {
		t.Error("an unknown cause is read")
	}
}

// has returns a Shows that reports whether a trace has all of the given lines.
func has(lines ...string) Shows {
	return func(_ context.Context, t *trace.Trace) (bool, error) {
		have := strings.Split(t.String(), "\n")
		return !slices.ContainsFunc(lines, func(line string) bool { return !slices.Contains(have, line) }), nil
	}
}

func TestDetermine(t *testing.T) {
	minimal := parse(t, "soft 1 2\nsoft 1 3\nsoft 2 0\nhard 1 2 0\nassume 1\nsolve\n")
	for _, row := range []struct {
		shows    Shows
		cause    Cause
		sentence string
	}{
		{has("soft 1 2"), "repeated-soft", "needs the same soft literal declared twice with different weights"},
		{has("soft 1 3", "soft 2 0"), "zero-weight", "needs a soft literal of weight 0"},
		{has("assume 1", "soft 1 2"), "repeated-soft + last-assumption",
			"needs the same soft literal declared twice with different weights and an assumption for the last solve"},
		{has("hard 1 2 0"), Nothing,
			"no special input needed: fails for one clause, 3 soft literals, one assumption and one solve"},
	} {
		d, err := Determine(context.Background(), minimal, nil, row.shows, nil, nil)
		if err != nil || d.Cause != row.cause || d.Sentence != row.sentence {
			t.Errorf("%+v, %v, want %q: %q", d, err, row.cause, row.sentence)
			continue
		}
		for _, e := range d.Experiments { // the evidence can be run again
			if failed, _ := row.shows(context.Background(), parse(t, e.Trace)); failed != e.Failed {
				t.Errorf("%+v fails: %v", e, failed)
			}
		}
	}
	if _, err := Determine(context.Background(), minimal, nil, has("hard 9 0"), nil, nil); !errors.Is(err, ErrNotFailing) {
		t.Errorf("error %v", err)
	}
	refused := 0
	d, err := Determine(context.Background(), minimal, nil, has("soft 1 2"), nil, func(n *trace.Trace) bool {
		refused++
		return n.Calls[len(n.Calls)-1].Op != apimodel.OpSolve
	})
	if err != nil || d.Cause != Nothing || len(d.Experiments) != 0 || refused == 0 {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestDetermineOriginals checks that a cause names nothing that one of the originals lacks: it failed without.
func TestDetermineOriginals(t *testing.T) {
	minimal := parse(t, "hard 1 1 1 0\nhard 1 1 1 0\nassume 1\nsolve\n")
	shows := has("hard 1 1 1 0", "assume 1")
	for _, row := range []struct {
		originals []string
		want      Cause
	}{
		{nil, "repeated-literal + last-assumption"},
		{[]string{"hard 1 2 2 0\nassume 1\nsolve\nsolve\n"}, "repeated-literal + last-assumption"},
		{[]string{"hard 1 2 2 0\nassume 1\nsolve\n", "hard 1 2 3 0\nassume 1\nsolve\n"}, "last-assumption"},
		{[]string{"hard 1 2 2 0\nassume 1\nsolve\n", "hard 1 2 3 0\nsolve\n"}, Nothing},
	} {
		var originals []*trace.Trace
		for _, calls := range row.originals {
			originals = append(originals, parse(t, calls))
		}
		d, err := Determine(t.Context(), minimal, originals, shows, nil, nil)
		if err != nil || d.Cause != row.want {
			t.Errorf("%q: %+v, %v, want %s", row.originals, d, err, row.want)
			continue
		}
		for i, original := range originals {
			if known := (Failure{Cause: d.Cause}); len(d.Cause.Needs()) > 0 && !known.Explains(original) {
				t.Errorf("%s does not explain %q", d.Cause, row.originals[i])
			}
		}
	}
}

// TestControl checks that a version proves nothing if what it adds hides the failure.
func TestControl(t *testing.T) {
	minimal := parse(t, "soft 1 1\nsoft -1 1\nsolve\n")
	d, err := Determine(context.Background(), minimal, nil, func(_ context.Context, t *trace.Trace) (bool, error) {
		return !strings.Contains(t.String(), "hard"), nil // it fails, but not because of the soft literals
	}, nil, nil)
	if err != nil || d.Cause != Nothing {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestShared checks which answers versions share with their original. For example, dropping a declaration
// changes the optima of the solves before the declaration that replaces it, but no status.
func TestShared(t *testing.T) {
	for _, row := range []struct {
		variant, trace string
		want           []Shared
	}{
		{"repeated-soft", "solve\nsoft 1 2\nsolve\nsoft 1 3\nsolve\n",
			[]Shared{{0, 0, true}, {2, 1, false}, {4, 3, true}}},
		{"zero-weight", "solve\nsoft 1 2\nsolve\nsoft 1 0\nsolve\n",
			[]Shared{{0, 0, true}, {2, 1, false}, {4, 2, true}}},
		{"large-weight", "soft 1 4294967296\nsolve\n", []Shared{{1, 1, false}}},
		{"incremental", "solve\nhard 1 0\nsolve\n", []Shared{{2, 1, true}}},
		{"earlier-assumption", "assume 1\nsolve\nsolve\n", []Shared{{2, 1, true}}},
		{"late-clause", "solve\nhard 1 0\nsolve\n", []Shared{{2, 2, true}}},
	} {
		got := Named(row.variant).Versions(parse(t, row.trace))[0].Shared
		if !slices.Equal(got, row.want) {
			t.Errorf("%s of %q shares %v, want %v", row.variant, row.trace, got, row.want)
		}
	}
}

// TestDetailOfProofs checks that the sentence names the format of a proof, but no other value.
func TestDetailOfProofs(t *testing.T) {
	minimal := parse(t, "option a 1\noption proof idrup\noption a 2\nsolve\n")
	if got := detailOption(minimal); got != "the options a and proof=idrup" {
		t.Error(got)
	}
}

// TestSentenceOfNothing checks that the sentence counts the queries of a trace whose failure
// no experiment explains: the query may be what fails.
func TestSentenceOfNothing(t *testing.T) {
	for calls, want := range map[string]string{
		"solve\nval 1\n":                       "one solve without clauses and one call of val",
		"hard 1 0\nsolve\nval 1\nval 2\nobj\n": "one clause, one solve, 2 calls of val and one call of obj",
		"init\nrelease\n":                      "a trace of 2 calls",
	} {
		if got := Nothing.Sentence(parse(t, calls)); got != "no special input needed: fails for "+want {
			t.Errorf("%q: %q, want %q", calls, got, want)
		}
	}
}
