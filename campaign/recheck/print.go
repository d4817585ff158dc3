package recheck

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/junit"
)

// Summary returns the counts in one line.
func (r *Report) Summary() string {
	text := fmt.Sprintf("%s on %s: %s", strings.Join(r.Dirs, ", "), r.Target, r.found)
	for _, outcome := range []struct {
		is   Outcome
		says string
	}{{Gone, "%d gone"}, {Partly, "%d partly gone"}, {Remains, "%d left"}, {Unknown, "%d unknown"}} {
		if n := r.Count(outcome.is); n > 0 {
			text += fmt.Sprintf(", "+outcome.says, n)
		}
	}
	return text
}

// WriteText writes every fault with what its findings say about it, and the findings that are not gone, or
// all findings.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var out bytes.Buffer
	for i := range r.Faults {
		f := &r.Faults[i]
		fmt.Fprintf(&out, "%-8s fault %s, %s: %s\n", f.Outcome, f.Number, f.Name, f.Headline)
		if f.Says != "" {
			fmt.Fprintf(&out, "         %s\n", f.Says)
		}
		for _, of := range f.byOutcome() {
			if all || of.Outcome != Gone || f.Outcome == Partly {
				fmt.Fprintf(&out, "         %s\n", of.line())
			}
		}
	}
	fmt.Fprintln(&out, r.Summary())
	_, err := w.Write(out.Bytes())
	return err
}

// byOutcome returns the findings in groups with one outcome each: those that disappeared together come first.
func (f *Fault) byOutcome() []Finding {
	order := []Outcome{Gone, Changed, Remains, Unknown}
	return slices.SortedStableFunc(slices.Values(f.Findings), func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome))
	})
}

func (f *Finding) line() string {
	text := fmt.Sprintf("%-8s %s: %s", f.Outcome, f.Title, f.Dir)
	if f.Reason != "" {
		text += " (" + f.Reason + ")"
	}
	return text
}

// WriteJUnit writes the report as JUnit XML, with a test for each fault. A test passes if its fault is
// gone, and is skipped if that is unknown.
func (r *Report) WriteJUnit(w io.Writer) error {
	report := junit.New(fmt.Sprintf("ipafuzz check %s: faults of %s", r.Target, strings.Join(r.Dirs, ", ")))
	for i := range r.Faults {
		f := &r.Faults[i]
		c := junit.Case{Class: f.Target, Name: f.Name + ": " + f.Headline}
		var lines []string
		for _, of := range f.byOutcome() {
			lines = append(lines, of.line())
		}
		reason := &junit.Reason{Message: strings.TrimSuffix(string(f.Outcome)+": "+f.Says, ": "), Type: string(f.Outcome),
			Text: strings.Join(lines, "\n")}
		switch f.Outcome {
		case Gone:
			c.Out = reason.Message + "\n" + reason.Text
		case Unknown:
			c.Skipped = reason
		default:
			c.Failure = reason
		}
		report.Add(c, 0)
	}
	return report.Write(w)
}
