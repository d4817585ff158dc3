package conform

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExtendedModels: a target of a model that extends IPASIR has to pass the cases of IPASIR, too, through its
// own interface, and the built-in library does.
func TestExtendedModels(t *testing.T) {
	for _, m := range apimodel.Libraries() {
		cases, smoke := For(m), Smoke(m)
		want := len(Cases(m))
		if m.Extends != nil {
			want += len(Cases(m.Extends))
			if len(smoke) < len(Smoke(m.Extends)) {
				t.Errorf("%s: %d cases come first, fewer than of %s", m.Name, len(smoke), m.Extends.Name)
			}
		}
		if len(smoke) < 10 { // 'targets doctor' runs them
			t.Errorf("%s: only %d cases come first", m.Name, len(smoke))
		}
		if len(cases) != want {
			t.Errorf("%s: %d cases, want %d", m.Name, len(cases), want)
		}
		for _, c := range cases {
			if again, err := trace.Parse(strings.NewReader(c.Text), c.Name); err != nil || again.Model != m || c.Model() != m {
				t.Fatalf("%s as a case of %s: %v", c.Name, m.Name, err)
			}
			for _, n := range c.Checks {
				if s := c.Sentence(n); !strings.Contains(c.Text, s.String()) {
					t.Errorf("%s as a case of %s checks sentence %d, %s", c.Name, m.Name, n, s)
				}
			}
			if Find(c.Name, m).Model() != m {
				t.Errorf("%s is not found as a case of %s", c.Name, m.Name)
			}
		}
		if m.Extends == nil {
			continue
		}
		results, err := suiteFor(t, resolve(t, "ref", m.Name), limits).Run(t.Context(), cases)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if r := &results[i]; r.Outcome == Fail || r.Outcome == Unsupported {
				t.Errorf("%s for %s: %s: %s\n%s", r.Case.Name, m.Name, r.Outcome, r.Reason, r.Log)
			}
		}
	}
}

// TestAdviceNamesOwnFunctions: the advice for a library of IPASIR-2 names no function of IPASIR.
func TestAdviceNamesOwnFunctions(t *testing.T) {
	for _, c := range Smoke(apimodel.IPASIR2) {
		if strings.Contains(c.Advice, "ipasir_") {
			t.Errorf("%s: %s", c.Name, c.Advice)
		}
	}
	if got := Find("val/both-signs", apimodel.IPASIR2).Advice; !strings.HasPrefix(got, "ipasir2_value returns") {
		t.Error(got)
	}
}
