package suite

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Summary is one line.
func (r *Report) Summary() string {
	return fmt.Sprintf("%s on %s (%s): %d tests, %d passed, %d errors, %d warnings, %d skipped", r.Suite, r.Target, r.Rules, len(r.Verdicts),
		r.Count(Passed), r.Count(Failed), r.Count(Warned), r.Count(Skipped))
}

// WriteText writes what did not pass, and the summary.
func (r *Report) WriteText(w io.Writer, all bool) error {
	var out bytes.Buffer
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Outcome == Passed && !all {
			continue
		}
		fmt.Fprintf(&out, "%-8s %s", v.Outcome, v.Name)
		if v.Reason != "" {
			fmt.Fprintf(&out, "\n         %s", strings.TrimSpace(v.Class+" "+v.Reason))
		}
		out.WriteByte('\n')
	}
	fmt.Fprintln(&out, r.Summary())
	_, err := w.Write(out.Bytes())
	return err
}

// WriteJSON writes one object.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

// The elements that CI systems read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Time    string       `xml:"time,attr"`
	Failure *junitResult `xml:"failure,omitempty"`
	Skipped *junitResult `xml:"skipped,omitempty"`
	Out     string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes JUnit XML. A warning is a test that passes and says
// something.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: fmt.Sprintf("ipafuzz check %s: %s (%s)", r.Target, r.Suite, r.Rules), Tests: len(r.Verdicts), Failures: r.Count(Failed), Skipped: r.Count(Skipped)}
	total := 0.0
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		total += v.Seconds
		c := junitCase{Class: v.Entry.Model, Name: v.Name, Time: fmt.Sprintf("%.6f", v.Seconds)}
		switch v.Outcome {
		case Failed:
			c.Failure = &junitResult{Message: v.Reason, Type: v.Class, Text: v.Title + "\n" + v.Log}
		case Skipped:
			c.Skipped = &junitResult{Message: v.Reason}
		case Warned:
			c.Out = "warning: " + v.Class + " " + v.Reason + "\n" + v.Log
		}
		s.Cases = append(s.Cases, c)
	}
	s.Time = fmt.Sprintf("%.6f", total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
