package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/junit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// Formats lists the names of the report formats.
var Formats = []string{"text", "markdown", "json", "junit"}

// Write writes the report in one of the Formats.
func (r *Report) Write(w io.Writer, format string) error {
	r.share()
	switch format {
	case "text":
		return r.WriteText(w)
	case "markdown":
		return r.WriteMarkdown(w)
	case "json":
		return r.WriteJSON(w)
	case "junit":
		return r.WriteJUnit(w)
	}
	return fmt.Errorf("unknown format %q; want one of %s", format, strings.Join(Formats, ", "))
}

// WriteMarkdown writes a table with one row per case.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Conformance of %s (%s)\n\n", cell(r.Target), r.Model)
	for _, outcome := range Outcomes {
		fmt.Fprintf(&out, "- %s: %d\n", outcome, r.Count(outcome))
	}
	reasons := r.share()
	out.WriteString("\n| result | case | what it checks | sentences | what was seen |\n|---|---|---|---|---|\n")
	for i := range r.Results {
		result := &r.Results[i]
		mark := string(result.Outcome)
		if result.Outcome == Fail {
			mark = "**fail**"
		}
		checks := result.Case.Checks
		if result.Outcome == Fail {
			checks = result.blamed()
		}
		fmt.Fprintf(&out, "| %s | `%s` | %s | %s | %s |\n", mark, result.Case.Short(), cell(result.Case.Title),
			numberList(checks), cell(result.Reason))
	}
	for _, reason := range reasons {
		fmt.Fprintf(&out, "\n%s\n", cell(reason.String()))
	}
	fmt.Fprintf(&out, "\n%s\n", cell(r.Summary()))
	_, err := w.Write(out.Bytes())
	return err
}

// cell escapes a text for a cell of a table: a target may write anything.
func cell(text string) string {
	text = printable.Line(text)
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "`", "\\`", "*", `\*`, "_", `\_`).Replace(text)
}

func numberList(numbers []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ", "), "[]")
}

type jsonReport struct {
	Target  string          `json:"target"`
	Model   string          `json:"model"`
	Summary map[Outcome]int `json:"summary"`
	Cases   []jsonCase      `json:"cases"`
}

type jsonCase struct {
	Name      string            `json:"case"`
	Title     string            `json:"title"`
	Sentences []jsonSentence    `json:"sentences"`
	Policies  map[string]string `json:"policies,omitempty"`
	Result
}

type jsonSentence struct {
	Number   int    `json:"number"`
	Function string `json:"function"`
	Text     string `json:"text"`
}

// WriteJSON writes one object. It has the log of a run if the case did not pass.
func (r *Report) WriteJSON(w io.Writer) error {
	report := jsonReport{Target: r.Target, Model: r.Model, Summary: make(map[Outcome]int), Cases: []jsonCase{}}
	for _, outcome := range Outcomes {
		report.Summary[outcome] = r.Count(outcome)
	}
	for i := range r.Results {
		one := r.Results[i].Case
		c := jsonCase{Name: one.Name, Title: one.Title, Policies: one.Policies, Result: r.Results[i]}
		sentences := one.Checks
		if c.Outcome == Fail {
			sentences = c.blamed()
		}
		for _, n := range sentences {
			s := one.Sentence(n)
			c.Sentences = append(c.Sentences, jsonSentence{s.Number, s.Function, s.Text})
		}
		if c.Outcome == Pass {
			c.Log = ""
		}
		report.Cases = append(report.Cases, c)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

// WriteJUnit writes the report as JUnit XML, with a test suite per group. Cases that neither passed nor
// failed count as skipped.
func (r *Report) WriteJUnit(w io.Writer) error {
	report := junit.New("ipafuzz conform " + r.Target)
	for i := range r.Results {
		result := &r.Results[i]
		c := junit.Case{Class: r.Model + "." + result.Case.Group(), Name: result.Case.Short()}
		switch result.Outcome {
		case Fail:
			c.Failure = &junit.Reason{Message: result.Reason, Type: result.Class, Text: result.failureText()}
			c.Out, c.Err = result.Log, result.Stderr
		case Unsupported, Unspecified, Unchecked:
			c.Skipped = &junit.Reason{Message: string(result.Outcome) + ": " + result.Reason}
		}
		report.Add(c, time.Duration(result.WallNanos))
	}
	return report.Write(w)
}

func (r *Result) failureText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Case.Title)
	if r.Line != "" {
		fmt.Fprintf(&b, "call %d: %s%s\n", r.Call, r.Line, r.Case.explained(r.Call-1))
	}
	fmt.Fprintf(&b, "observed: %s\nexpected: %s\n", r.Observed, r.Expected)
	if r.Alike > 0 {
		fmt.Fprintf(&b, "alike: %d cases fail like this\n", r.Alike)
	}
	for _, n := range r.blamed() {
		fmt.Fprintf(&b, "sentence %d: %s\n", n, r.Case.cited(n))
	}
	fmt.Fprintf(&b, "trace: ipafuzz conform --show %s\n", r.Case.request())
	return b.String()
}
