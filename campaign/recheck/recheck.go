// Package recheck tells which faults of a campaign a new build still has. It runs the minimal trace of
// every finding on the new build and draws conclusions for each fault. 'ipafuzz check' with a campaign
// directory calls it.
package recheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// An Outcome says what became of a finding or of a fault.
type Outcome string

// Outcomes. Only faults are partly gone, and only findings have changed.
const (
	Gone    Outcome = "gone"
	Remains Outcome = "remains"
	Changed Outcome = "changed" // the trace fails in another way
	Partly  Outcome = "partly"  // some findings are gone, others are not
	Unknown Outcome = "unknown" // nothing proves that the new build is right
)

// A Finding is a finding of the campaign with its outcome in the new build.
type Finding struct {
	Key     string  `json:"key"`
	Title   string  `json:"title"`
	Dir     string  `json:"directory"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"` // of the outcome, unless that is gone or remains
	Runs    int     `json:"runs"`
}

// A Fault is a fault of the campaign with its outcome in the new build.
type Fault struct {
	Number   string    `json:"number"` // as in the summary of the campaign
	Name     string    `json:"name"`
	Target   string    `json:"target"` // the target that had the fault
	Headline string    `json:"headline"`
	Sentence string    `json:"sentence,omitempty"`
	Outcome  Outcome   `json:"outcome"`
	Says     string    `json:"says"`           // what the outcomes of the findings mean for the fault
	Open     bool      `json:"open,omitempty"` // the campaign did not determine the cause: it may be one of the others
	Findings []Finding `json:"findings"`
}

// A Report is the result of a check.
type Report struct {
	Dirs   []string `json:"directories"`
	Target string   `json:"checked"`
	Faults []Fault  `json:"faults"`
	found  string   // the numbers of faults and findings
}

// A Place is the new build, ready to run traces of one model.
type Place struct {
	Target      *replay.Target
	Description *apimodel.Description
}

// A Checker checks a new build.
type Checker struct {
	// Open returns the build for a model, or nil if the build does not support the model.
	Open func(*apimodel.Model) (*Place, error)
	// Limits returns the limits under which a finding failed.
	Limits func(*store.Finding) (replay.Limits, error)
}

// Check runs the minimal trace of every finding, often enough to see its failure. With an error it returns the faults
// before.
func (c *Checker) Check(ctx context.Context, target string, faults []fault.Fault) (*Report, error) {
	report := &Report{Target: target, found: fault.Count(faults)}
	labels := fault.Labels(faults)
	for i := range faults {
		of := &faults[i]
		f := Fault{Number: labels[i], Name: of.Name, Target: of.Target, Headline: of.Headline(), Sentence: of.Sentence,
			Open: of.IsOpen()}
		for _, finding := range of.Findings {
			result, err := c.one(ctx, finding)
			if err != nil {
				return report, fmt.Errorf("%s: %w", finding.Dir, err)
			}
			f.Findings = append(f.Findings, *result)
		}
		f.conclude()
		report.Faults = append(report.Faults, f)
	}
	report.confirm()
	for i := range faults {
		report.Faults[i].compare(faults[i].Possibly, report.Faults)
	}
	return report, nil
}

// one runs the minimal trace of one finding.
func (c *Checker) one(ctx context.Context, f *store.Finding) (*Finding, error) {
	r := &Finding{Key: f.Key.String(), Title: f.Title(), Dir: f.Dir, Outcome: Unknown}
	if f.Compared() {
		r.Reason = "only a comparison with other targets shows it"
		return r, nil
	}
	if err := trace.Check(f.Minimal); err != nil {
		return nil, err
	}
	place, err := c.Open(f.Minimal.Model)
	if err != nil {
		return nil, err
	}
	if place == nil {
		r.Reason = "the build does not support " + f.Minimal.Model.Name
		return r, nil
	}
	limits, err := c.Limits(f)
	if err != nil {
		return nil, err
	}
	seen, err := trial.Shows(ctx, place.Target, place.Description, limits, f.Minimal, f.Key)
	if err != nil {
		return nil, err
	}
	r.Runs = seen.Runs
	switch missing := unsupported(f.Minimal, &seen.Run); {
	case seen.Seen:
		r.Outcome = Remains
	case len(seen.Others) > 0:
		r.Outcome, r.Reason = Changed, "the trace fails in another way: "+seen.Others[0].Title()
	case seen.Undecided() != "":
		r.Reason = seen.Undecided()
	case missing != "":
		r.Reason = "the build " + missing
	default:
		r.Outcome = Gone
	}
	return r, nil
}

// unsupported says which call of the trace had no effect because the build lacks it or refused the option; "" if none.
// A campaign sets only options that its target takes, and the minimal trace needs each of them. A build that answers
// another call of the kind does not lack it: it may have no proof of one answer, and one of the next.
func unsupported(t *trace.Trace, run *trace.Run) string {
	answered := make(map[apimodel.Op]bool)
	for i := range t.Calls {
		if op := t.Calls[i].Op; op != apimodel.OpOption && run.Answers.At(i).Kind != trace.Unsupported {
			answered[op] = true
		}
	}
	for i := range t.Calls {
		call := string(t.AppendRequest(nil, i))
		switch a := run.Answers.At(i); {
		case a.Kind == trace.Unsupported && t.Calls[i].Op == apimodel.OpSolve:
			return fmt.Sprintf("cannot take the problem of call %d (%s)", i+1, call)
		case a.Kind == trace.Unsupported && !answered[t.Calls[i].Op]:
			return "does not support the call " + call
		case t.Calls[i].Op == apimodel.OpOption && a.Kind == trace.Answered && a.Num != 0:
			return "refuses " + call
		}
	}
	return ""
}

// conclude sets the outcome of the fault from those of its findings.
func (f *Fault) conclude() {
	gone, unknown, all := f.count(Gone), f.count(Unknown), len(f.Findings)
	switch {
	case gone == all:
		f.Outcome = Gone
	case gone+unknown == all:
		f.Outcome, f.Says = Unknown, "nothing proves that it is gone"
	case gone == 0:
		f.Outcome = Remains
	default:
		f.Outcome = Partly
		together := ""
		if gone > 1 {
			together = " together"
		}
		f.Says = fmt.Sprintf("%d of its findings disappeared%s and %d did not: the fix is incomplete, or these are "+
			"several faults", gone, together, all-gone-unknown)
	}
}

// confirm says which groups the outcomes confirm: those whose findings disappeared together. If all findings are
// gone, that says nothing about any group: the new build may have fixed several faults.
func (r *Report) confirm() {
	left := r.Count(Gone) < len(r.Faults)
	for i := range r.Faults {
		f := &r.Faults[i]
		if f.Outcome != Gone || len(f.Findings) < 2 {
			continue
		}
		f.Says = fmt.Sprintf("its %d findings disappeared together", len(f.Findings))
		if left {
			f.Says += ", which confirms that they have one fault"
		}
	}
}

func (f *Fault) count(outcome Outcome) (n int) {
	for i := range f.Findings {
		if f.Findings[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// compare adds what the outcomes say about faults that might be the same.
func (f *Fault) compare(possibly []string, all []Fault) {
	for i := range all {
		other := &all[i]
		if other.Target != f.Target || !slices.Contains(possibly, other.Name) {
			continue
		}
		says := ""
		switch {
		case f.Outcome == Gone && other.Outcome == Gone:
			says = fmt.Sprintf("fault %s, possibly the same, is gone, too", other.Number)
		case f.Outcome == Gone && other.Outcome == Remains:
			says = fmt.Sprintf("fault %s, possibly the same, remains: they are different", other.Number)
		case f.Outcome == Remains && other.Outcome == Gone:
			says = fmt.Sprintf("fault %s, possibly the same, is gone: they are different", other.Number)
		default:
			continue
		}
		f.Says = strings.TrimPrefix(f.Says+"; "+says, "; ")
	}
}

// Count returns the number of faults with the outcome.
func (r *Report) Count(outcome Outcome) (n int) {
	for i := range r.Faults {
		if r.Faults[i].Outcome == outcome {
			n++
		}
	}
	return n
}
