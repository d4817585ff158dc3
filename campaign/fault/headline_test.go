package fault

import (
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHeadline checks that a headline says what a fault needs, or else how it fails.
func TestHeadline(t *testing.T) {
	t.Parallel()
	const solve = "solve\n"
	const empty = "fails for one solve without clauses; "
	for _, row := range []struct{ class, detail, why, at, headline, adds string }{
		{"2.1", "not optimal", "repeated-soft", "", "needs a soft literal that is declared twice", "2.1 not optimal"},
		{"2.1", "not optimal", "nothing", "", "2.1 not optimal", "no special input needed: fails for one solve"},
		{"2.1", "not optimal", "", "", "2.1 not optimal", empty + "its cause was not determined"},
		{"3.1", "in solve", "", "", "3.1 too slow: in solve", empty + "no experiment tells what else it needs, " +
			"since no version of it was quick"},
		{"1.5", "in solve", "", "f.c:1", "1.5 segmentation fault: in solve at f.c:1", empty + "its cause"},
		{"1.1", "assertion f.c:1", "", "f.c:1", "1.1 abort: assertion f.c:1", empty + "its cause"},
	} {
		f := &Group([]*store.Finding{finding(t, "a", row.class, row.detail, row.why, row.at, solve)})[0]
		if row.why == "repeated-soft" {
			row.headline = f.Sentence
		}
		if f.Headline() != row.headline || !strings.HasPrefix(f.Why(), row.adds) {
			t.Errorf("%s: %q, %q; want %q, %q", row.detail, f.Headline(), f.Why(), row.headline, row.adds)
		}
	}
	stale := finding(t, "a", "2.5", "claims no solution", "incremental", "", "solve\nsolve\n")
	stale.Diagnosis.Mistake = cause.OldAnswer
	several := Fault{Findings: []*store.Finding{stale, stale, finding(t, "a", "2.6", "do not win", "", "", solve)}}
	if got, want := several.Mistake(), "a solve repeats the answer of the solve before (2 of 3 findings)"; got != want {
		t.Errorf("mistake %q, want %q", got, want)
	}
	if one := (Fault{Findings: several.Findings[1:]}); one.Mistake() != "" {
		t.Errorf("mistake %q of half of the findings", one.Mistake())
	}
	plain := testtrace.Parse(t, "ipafuzz 1 ipasir\nadd 1 0\nsolve\n")
	if got := cause.Unexplained(oracle.TooSlow, plain, true); !strings.HasSuffix(got, "since nothing special can be "+
		"taken out of it") {
		t.Errorf("a slow trace of which there is no version: %q", got)
	}
	optimum, value := finding(t, "a", "2.1", "", "", "", solve), finding(t, "a", "2.3", "x", "", "", solve)
	all := Fault{Findings: []*store.Finding{optimum, value, optimum, value}}
	if got := all.Symptoms(); !slices.Equal(got, []string{"2.3 one value differs: x (2 times)", "2.1 not optimal"}) {
		t.Errorf("symptoms %q", got)
	}
	open := finding(t, "a", "2.4", "", "", "", solve)
	open.Undecided = true
	unknown := Fault{Findings: []*store.Finding{open}}
	for _, row := range []struct {
		faults []Fault
		want   string
	}{
		{[]Fault{all}, "1 fault (4 findings)"},
		{[]Fault{all, unknown, unknown}, "1 fault (4 findings) and 2 findings of unknown fault"},
		{[]Fault{unknown}, "1 finding of unknown fault"},
	} {
		if got := Count(row.faults); got != row.want {
			t.Errorf("count %q, want %q", got, row.want)
		}
	}
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	fails, hides := cause.Experiment{Variant: "option", Failed: true}, cause.Experiment{Variant: "learn", Control: "x"}
	passes := cause.Experiment{Variant: "terminate"}
	for _, row := range []struct {
		experiments []cause.Experiment
		want        string
	}{
		{nil, "no experiment: no variant applies to the trace"},
		{[]cause.Experiment{fails}, "1 experiment, and each fails"},
		{[]cause.Experiment{hides}, "1 experiment, which does not tell: what it adds makes the failure go away"},
		{[]cause.Experiment{fails, hides}, "2 experiments, which do not tell: what they add makes the failure go away"},
		{[]cause.Experiment{fails, hides, passes}, "3 experiments; without a failure: terminate"},
		{[]cause.Experiment{{Variant: "option"}, fails, passes}, "3 experiments; without a failure: terminate"},
	} {
		f := finding(t, "a", "2.1", "", "", "", "solve\n")
		f.Diagnosis = &cause.Diagnosis{Experiments: row.experiments}
		if got := (&Fault{Findings: []*store.Finding{f}}).Evidence(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}
