package fault_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// whyApart says why Compare keeps two failures apart, as far as their records tell.
func whyApart(a, b *cause.Failure) string {
	needs, others := a.Cause.Needs(), b.Cause.Needs()
	if len(needs) > len(others) {
		needs, others = others, needs
	}
	within := !slices.ContainsFunc(needs, func(v *cause.Variant) bool { return !slices.Contains(others, v) })
	forth, back := cause.Embeds(a.Minimal, b.Minimal), cause.Embeds(b.Minimal, a.Minimal)
	switch {
	case a.Symptom != b.Symptom && (a.Location != "") != (b.Location != ""):
		return "a crash and another symptom"
	case a.Symptom != b.Symptom:
		return "other symptoms"
	case a.Location != b.Location:
		return "other places"
	case a.Cause == "" || b.Cause == "":
		return "unknown cause"
	case a.Cause == b.Cause && (forth || back):
		return "same vague cause, embeds one way"
	case a.Cause == b.Cause:
		return "same cause, no embedding"
	case within && len(needs) == 0:
		return fmt.Sprintf("nothing and a cause, %s", embedded(forth || back))
	case within:
		return fmt.Sprintf("one cause is part of the other, %s", embedded(forth || back))
	}
	return fmt.Sprintf("other causes, %s", embedded(forth || back))
}

func embedded(does bool) string {
	if does {
		return "embeds"
	}
	return "no embedding"
}

// A tally counts why faults of one library were kept apart.
type tally map[string]int

// count counts, over all pairs of faults, why Compare keeps their simplest findings apart.
func (n tally) count(faults []fault.Fault) {
	for i := range faults {
		for j := range i {
			n[whyApart(faults[i].Findings[0].Failure(), faults[j].Findings[0].Failure())]++
		}
	}
}

func (n tally) String() string {
	var text strings.Builder
	for _, why := range slices.SortedFunc(maps.Keys(n), func(a, b string) int {
		return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b))
	}) {
		fmt.Fprintf(&text, "\n  %4d  %s", n[why], why)
	}
	return text.String()
}

// show prints the findings of faults.
func show(t *testing.T, faults []fault.Fault) {
	t.Helper()
	for i := range faults {
		f := &faults[i]
		t.Logf("  FAULT %s: %d findings, possibly %v", f.Name, len(f.Findings), f.Possibly)
		for _, of := range f.Findings {
			minimal := cmp.Or(of.Normal, of.Minimal)
			t.Logf("    %s %s [%s] %s %s hits %d: %s", of.Class, of.Detail, of.Cause(), of.Location, of.NotMinimal, of.Hits,
				oneLine(testtrace.Calls(minimal)))
			if of.Normal != nil {
				t.Logf("        minimal %s", oneLine(trace.CallsAlone(of.Minimal)))
			}
			if failure := of.Failure(); failure.Root != nil {
				t.Logf("        %s, depends on order %v, root %s", failure.Mistake, failure.Order,
					oneLine(testtrace.Calls(failure.Root)))
			} else if failure.Mistake != "" {
				t.Logf("        %s", failure.Mistake)
			}
		}
	}
}

func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
