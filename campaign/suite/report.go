package suite

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/junit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// Summary returns the counts in one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s on %s (%s): %s, %d passed, %s, %s, %d skipped, %d unchecked",
		r.Suite, r.Target, r.Rules, printable.Things(len(r.Verdicts), "test"),
		r.Count(Passed), printable.Things(r.Count(Failed), "error"), printable.Things(r.Count(Warned), "warning"),
		r.Count(Skipped), r.Count(Unchecked)+r.Planned-len(r.Verdicts))
}

// Reasons returns why tests were skipped.
func (r *Report) Reasons() string {
	if len(r.Verdicts) == 0 {
		return "it has no test under these rules"
	}
	var reasons []string
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Outcome == Skipped && !slices.Contains(reasons, v.Reason) {
			reasons = append(reasons, v.Reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// WriteText writes the tests that did not pass, or all tests, and the summary. Unless all are written, tests that were
// skipped for one reason share an entry: a solver of one interface skips a hundred.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var out bytes.Buffer
	skipped := make(map[string][]string) // names by reason
	var reasons []string
	write := func(outcome Outcome, name, reason string) {
		fmt.Fprintf(&out, "%-8s %s\n", outcome, name)
		if reason != "" {
			fmt.Fprintf(&out, "         %s\n", reason)
		}
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		switch {
		case v.Outcome == Passed && !all:
		case v.Outcome == Skipped && !all:
			if skipped[v.Reason] == nil {
				reasons = append(reasons, v.Reason)
			}
			skipped[v.Reason] = append(skipped[v.Reason], v.Name)
		default:
			write(v.Outcome, v.Name, strings.TrimSpace(v.Class+" "+v.Reason))
		}
	}
	for _, reason := range reasons {
		names := skipped[reason]
		name := names[0]
		if len(names) > 1 {
			name = fmt.Sprintf("%d tests, such as %s", len(names), name)
		}
		write(Skipped, name, reason)
	}
	fmt.Fprintln(&out, r.Summary())
	if open := unchecked.Text(r.Unchecked()); open != "" {
		fmt.Fprintln(&out, open)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WriteJUnit writes the report as JUnit XML, with a test suite for each model. A test with a warning passes
// and has output.
func (r *Report) WriteJUnit(w io.Writer) error {
	report := junit.New(fmt.Sprintf("ipafuzz check %s: %s (%s)", r.Target, r.Suite, r.Rules))
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		c := junit.Case{Class: v.Entry.Model, Name: v.Name}
		switch v.Outcome {
		case Failed:
			c.Failure = &junit.Reason{Message: v.Reason, Type: v.Class, Text: v.Title + "\n" + v.Log}
		case Skipped:
			c.Skipped = &junit.Reason{Message: v.Reason}
		case Unchecked:
			c.Skipped = &junit.Reason{Message: "unchecked: " + v.Reason}
		case Warned:
			c.Out = "warning: " + v.Class + " " + v.Reason + "\n" + v.Log
		}
		report.Add(c, time.Duration(v.Seconds*float64(time.Second)))
	}
	return report.Write(w)
}
