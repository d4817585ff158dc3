package cause

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle/quantified"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// truthsOf decides every solve of a trace of model qbf that is small enough.
func truthsOf(t *trace.Trace) map[int]quantified.Truth {
	truths := make(map[int]quantified.Truth)
	states := make(map[uint16]*qbf.State)
	for i := range t.Calls {
		c := &t.Calls[i]
		if states[c.Instance] == nil {
			states[c.Instance] = qbf.NewState(c.Instance)
		}
		state := states[c.Instance]
		if c.Op == apimodel.OpSolve {
			f := state.Formula()
			d := quantified.New(quantified.Config{})
			d.Pose(&f)
			truths[i] = d.Under(state.Assumptions()).Truth
		}
		state.Apply(t, i)
	}
	return truths
}

// TestQuantifiedVariantsKeepTheMeaning checks that versions and controls are legal, and that the solves
// that they share with the original have the same truth.
func TestQuantifiedVariantsKeepTheMeaning(t *testing.T) {
	g, err := gen.New(gen.Config{Model: apimodel.QBF, Profile: "tiny", Description: &apimodel.Description{}})
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(4000)
	if testing.Short() {
		n = 300
	}
	seed := testseed.Of(t, 1)
	applied, compared, illegal := make(map[string]int), make(map[string]int), make(map[string]int)
	for number := range n {
		one := new(trace.Trace)
		g.Generate(draw.Seed(seed, 0, number), one)
		before := truthsOf(one)
		for i := range variants {
			v := &variants[i]
			versions := v.Versions(one)
			if raw := v.apply(one); len(raw) > 0 && len(versions) == 0 && !allNil(raw) && !v.propositional {
				illegal[v.Name]++
			}
			for _, n := range versions {
				applied[v.Name]++
				after := truthsOf(n.Trace)
				for _, same := range n.Shared {
					compared[v.Name]++
					if before[same.Original] != after[same.Version] {
						t.Fatalf("%s: call %d is %v, call %d of the version %v\n%s\n%s", v.Name, same.Original+1,
							before[same.Original], same.Version+1, after[same.Version], one, n.Trace)
					}
				}
			}
		}
	}
	for i := range variants {
		if name := variants[i].Name; applied[name]+illegal[name] > 0 {
			t.Logf("%s: %d versions, %d solves compared; %d illegal", name, applied[name], compared[name], illegal[name])
		}
	}
	for _, name := range []string{"empty-block", "divided-block", "extension", "free-variable", "frame", "group",
		"assumption"} {
		if compared[name] < int(n)/300 {
			t.Errorf("%s: only %d solves compared", name, compared[name])
		}
	}
}

// TestQuantifiedVariants checks what each variant for quantified formulas makes of a trace.
func TestQuantifiedVariants(t *testing.T) {
	for _, test := range []struct{ variant, given, want string }{
		{"empty-block", "exists 0; forall 1 0; forall 0; exists 2 0; extend 4 3 0; clause 1 2 0; solve",
			"forall 1 0; exists 2 0; extend 2 3 0; clause 1 2 0; solve"},
		{"divided-block", "exists 1 0; exists 2 0; forall 3 0; extend 3 4 0; clause 1 2 3 0; solve",
			"exists 1 2 0; forall 3 0; extend 2 4 0; clause 1 2 3 0; solve"},
		{"divided-block", "exists 1 0; forall 2 0; clause 2 3 0; solve", "exists 1 3 0; forall 2 0; clause 2 3 0; solve"},
		{"divided-block", "clause 3 0; exists 1 0; solve", ""},
		{"divided-block", "forall 0; exists 1 0; forall 0; exists 2 0; forall 3 0; exists 4 0; solve",
			"forall 0; exists 1 2 0; forall 3 0; exists 4 0; solve"},
		{"extension", "exists 1 0; forall 2 0; solve; extend 1 3 0; extend 2 4 0; solve",
			"exists 1 3 0; forall 2 4 0; solve; solve"},
		{"free-variable", "forall 1 0; clause 1 2 0; extend 1 3 0; clause -2 4 0; solve",
			"exists 2 4 0; forall 1 0; clause 1 2 0; extend 2 3 0; clause -2 4 0; solve"},
		{"free-variable", "forall 0; exists 1 0; extend 2 4 0; clause 1 2 0; solve",
			"forall 0; exists 1 2 0; extend 2 4 0; clause 1 2 0; solve"},
		{"free-variable", "forall 0; exists 1 0; clause 1 2 0; solve", "forall 0; exists 1 2 0; clause 1 2 0; solve"},
		{"frame", "exists 1 0; push; clause 1 0; solve; pop; push; clause -1 0; solve",
			"exists 1 0; solve; clause -1 0; solve"},
		{"group", "exists 1 0; open 1; clause 1 0; close 1; open 2; clause -1 0; close 2; deactivate 1; solve",
			"exists 1 0; clause -1 0; solve"},
		{"assumption", "forall 1 0; exists 2 0; clause 1 2 0; clause -1 -2 0; solve; assume -1; solve",
			"exists 3 0; forall 1 0; exists 2 0; clause 3 2 0; clause -3 -2 0; solve; clause -3 0; solve | " +
				"forall 1 0; exists 2 0; clause 1 2 0; solve; solve"},
		{"assumption", "forall 1 2 0; extend 1 3 0; clause 0; assume 1; assume -2; solve; failed 1",
			"exists 4 5 0; forall 1 2 0; extend 2 3 0; clause 0; clause 4 0; clause -5 0; solve | " +
				"forall 1 2 0; extend 1 3 0; clause -1 2 0; solve"},
		{"assumption", "forall 1 0; exists 2 0; clause 2 0; extend 1 3 0; assume 3; solve", ""},
		{"assumption", "exists 1 0; clause 1 0; assume -1; solve", "exists 1 0; clause 1 0; clause -1 0; solve"},
		{"universal-assumption", "forall 1 0; exists 2 0; clause -1 2 0; assume 1; solve",
			"exists 3 0; forall 1 0; exists 2 0; clause -3 2 0; assume 3; solve | " +
				"forall 1 0; exists 2 0; clause -1 2 0; solve"},
		{"universal-assumption", "exists 1 0; forall 2 0; assume 1; solve", ""},
		{"unused-variable", "exists 1 0; assume 1; solve", ""},
		{"frame", "forall 4 0; clause 1 0; push; clause 2 0; assume 2; pop; clause 2 0; extend 1 3 0; solve",
			"exists 2 0; forall 4 0; clause 1 0; assume 2; clause 2 0; extend 2 3 0; solve"},
		{"repeated-clause", "exists 1 0; clause 1 0; clause 1 0; solve", ""},
	} {
		given := testtrace.Parse(t, "ipafuzz 2 qbf\n"+strings.ReplaceAll(test.given, "; ", "\n")+"\n")
		var versions []string
		for _, n := range Named(test.variant).Versions(given) {
			versions = append(versions, strings.ReplaceAll(strings.TrimSpace(testtrace.Calls(n.Trace)), "\n", "; "))
		}
		if got := strings.Join(versions, " | "); got != test.want {
			t.Errorf("%s of %q is %q, want %q", test.variant, test.given, got, test.want)
		}
	}
}

// TestQuantifiedInputs checks which traces have what a variant takes out, even where no version can do without it.
func TestQuantifiedInputs(t *testing.T) {
	for _, test := range []struct {
		variant, calls string
		want           bool
	}{
		{"group", "open 1; close 1; delete 1; solve", true},
		{"free-variable", "exists 1 0; clause 1 0; solve", false},
		{"immediate-solve", "solve; model; solve", true}, // has no version
		{"immediate-solve", "exists 1 0; solve; assume 1; solve", false},
	} {
		one := testtrace.Parse(t, "ipafuzz 2 qbf\n"+strings.ReplaceAll(test.calls, "; ", "\n")+"\n")
		if got := Named(test.variant).In(one); got != test.want {
			t.Errorf("%s in %q: %v, want %v", test.variant, test.calls, got, test.want)
		}
	}
}

// TestAssumedInFrame checks that a version without a push keeps an assumption of a variable that only the clauses of
// the frame name.
func TestAssumedInFrame(t *testing.T) {
	one := testtrace.Parse(t, "ipafuzz 1 qbf\nclause -1 0\npush\nclause 2 0\npop\nclause 1 0\nassume 2\nsolve\n")
	versions := Named("frame").Versions(one)
	const version, control = "exists 2 0\nclause -1 0\nclause 1 0\nassume 2\nsolve\n",
		"exists 2 0\nclause -1 0\npush\nclause 2 0\npop\nclause 1 0\nassume 2\nsolve\n"
	if len(versions) != 1 || testtrace.Calls(versions[0].Trace) != version || versions[0].Control == nil ||
		testtrace.Calls(versions[0].Control) != control {
		t.Errorf("%+v", versions)
	}
}
