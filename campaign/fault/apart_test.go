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
	switch {
	case a.Symptom != b.Symptom:
		return "other symptoms"
	case a.Location != b.Location:
		return "other places"
	case a.Cause == "" || b.Cause == "":
		return "unknown cause"
	case a.Mistake != b.Mistake && a.Cause == b.Cause:
		return "other mistakes, same cause"
	case within:
		return "one cause is part of the other"
	}
	return "other causes"
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
			if mistake := of.Failure().Mistake; mistake != "" {
				t.Logf("        %s", mistake)
			}
		}
	}
}

func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
