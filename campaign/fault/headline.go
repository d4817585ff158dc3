package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Headline says what has to be fixed: what the failures need or, if that is unknown or nothing special, how
// they fail.
func (f *Fault) Headline() string {
	if f.Cause == "" || f.Cause == cause.Nothing || f.Sentence == "" {
		return f.Failure()
	}
	return f.Sentence
}

// Failure says how the simplest finding fails and where it crashes.
func (f *Fault) Failure() string {
	text := f.Simplest().Title()
	if f.Location != "" && !strings.Contains(text, f.Location) {
		text += " at " + f.Location
	}
	return text
}

// Why completes the headline. If Headline says how the failures fail, Why says what they need or why that
// is unknown; otherwise Why says how they fail.
func (f *Fault) Why() string {
	switch simplest := f.Simplest(); {
	case f.Sentence == "":
		return cause.Unexplained(simplest.Class, simplest.Minimal, simplest.Rate.Always())
	case f.Headline() != f.Sentence:
		return f.Sentence
	}
	return f.Failure()
}

// telling maps the mistakes that say more than the failures that show them.
var telling = map[cause.Mistake]string{
	cause.OldAnswer:   "a solve repeats the answer of the solve before",
	cause.RefusedCall: "a right call is refused",
}

// Mistake says what most of the findings have in common, if that is not what they show, or else "".
func (f *Fault) Mistake() string {
	count := make(map[cause.Mistake]int)
	for _, of := range f.Findings {
		if of.Diagnosis != nil {
			count[of.Diagnosis.Mistake]++
		}
	}
	for mistake, text := range telling {
		if 2*count[mistake] > len(f.Findings) {
			return fmt.Sprintf("%s (%d of %s)", text, count[mistake], printable.Things(len(f.Findings), "finding"))
		}
	}
	return ""
}

// Simplest returns the finding that stands for the fault.
func (f *Fault) Simplest() *store.Finding { return f.Findings[0] }

// Symptoms returns the failures that differ from the simplest finding's, each with its number of findings.
func (f *Fault) Symptoms() []string {
	var order []string
	count := make(map[string]int)
	for _, of := range f.Findings[1:] {
		name := of.Title()
		if count[name] == 0 {
			order = append(order, name)
		}
		count[name]++
	}
	for i, name := range order {
		if count[name] > 1 {
			order[i] = fmt.Sprintf("%s (%d times)", name, count[name])
		}
	}
	return order
}

// Count returns the numbers of faults and findings as text. Findings whose cause is open count apart from the others:
// nobody knows how many faults they are.
//
// A fault under another one may be the same, so there may be fewer faults: 3 to 5 faults.
func Count(faults []Fault) string {
	known, least, findings, open := 0, 0, 0, 0
	for i := range faults {
		f := &faults[i]
		if f.IsOpen() {
			open += len(f.Findings)
			continue
		}
		known, findings = known+1, findings+len(f.Findings)
		if f.Under == "" {
			least++
		}
	}
	text := Counts(known, findings)
	if least < known {
		text = fmt.Sprintf("%d to %s", least, text)
	}
	switch {
	case open == 0:
		return text
	case known == 0:
		return printable.Things(open, "finding") + " of unknown fault"
	}
	return fmt.Sprintf("%s and %s of unknown fault", text, printable.Things(open, "finding"))
}

// Counts returns the numbers of faults and findings as text.
func Counts(faults, findings int) string {
	return fmt.Sprintf("%s (%s)", printable.Things(faults, "fault"), printable.Things(findings, "finding"))
}

// fails reports whether a version of the variant fails, though another one may pass.
func fails(d *cause.Diagnosis, variant string) bool {
	return slices.ContainsFunc(d.Experiments, func(e cause.Experiment) bool {
		return e.Variant == variant && e.Failed
	})
}

// Evidence says which experiments with the simplest finding pass; "" if its cause is unknown.
func (f *Fault) Evidence() string {
	d := f.Simplest().Diagnosis
	switch {
	case d == nil:
		return ""
	case len(d.Experiments) == 0: // not the same as experiments that all fail
		return "no experiment: no variant applies to the trace"
	}
	var passing []string
	for i := range d.Experiments {
		if e := &d.Experiments[i]; e.Names() && !slices.Contains(passing, e.Variant) && !fails(d, e.Variant) {
			passing = append(passing, e.Variant)
		}
	}
	text := printable.Things(len(d.Experiments), "experiment")
	if d.Of != "" {
		text += " about " + d.Of
	}
	switch {
	case len(passing) > 0:
		return text + "; without a failure: " + strings.Join(passing, ", ")
	case slices.ContainsFunc(d.Experiments, func(e cause.Experiment) bool { return !e.Failed }):
		if len(d.Experiments) == 1 {
			return text + ", which does not tell: what it adds makes the failure go away"
		}
		return text + ", which do not tell: what they add makes the failure go away"
	}
	return text + ", and each fails"
}
