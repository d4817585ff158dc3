package conform

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Report is the result of a run of the suite.
type Report struct {
	Target  string
	Model   string
	Results []Result
}

// Count returns how many cases had the outcome.
func (r *Report) Count(outcome Outcome) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// Summary counts the outcomes in one line.
func (r *Report) Summary() string {
	var parts []string
	for _, outcome := range Outcomes {
		if n := r.Count(outcome); n > 0 || outcome != Unchecked {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	cases := printable.Things(len(r.Results), "case")
	return fmt.Sprintf("%s as %s: %s: %s", r.Target, r.Model, cases, strings.Join(parts, ", "))
}

const (
	columns    = 100 // of the text table
	nameColumn = 37
	leastTitle = 20 // behind a name that is longer than its column
)

// WriteText writes a table of at most 100 columns, with an explanation below each row that did not
// pass.
func (r *Report) WriteText(w io.Writer) error {
	var out bytes.Buffer
	reasons := r.share()
	group := ""
	for i := range r.Results {
		result := &r.Results[i]
		c := result.Case
		if c.Group() != group {
			if group = c.Group(); i > 0 {
				out.WriteByte('\n')
			}
		}
		row := fmt.Sprintf("%-11s  %-*s  ", result.Outcome, nameColumn, c.Short())
		fmt.Fprintf(&out, "%s%s\n", row, shortened(c.Title, max(columns-len(row), leastTitle)))
		if result.Outcome == Pass {
			continue
		}
		if result.Outcome != Fail {
			writeWrapped(&out, "", result.Reason)
			continue
		}
		where := "final release"
		if result.Line != "" {
			where = fmt.Sprintf("%d: %s", result.Call, shortened(result.Line, 60)) + c.explained(result.Call-1)
		}
		writeWrapped(&out, "call      ", where)
		writeWrapped(&out, "observed  ", result.Observed)
		writeWrapped(&out, "expected  ", result.Expected)
		if result.Alike > 0 {
			writeWrapped(&out, "alike     ", fmt.Sprintf("%d cases fail like this; the reason is below", result.Alike))
		}
		for _, n := range result.blamed() {
			writeWrapped(&out, "sentence  ", fmt.Sprintf("%d, %s", n, c.cited(n)))
		}
		for _, name := range slices.Sorted(maps.Keys(c.Policies)) {
			policy := fmt.Sprintf("%s=%s; a target that means otherwise can say so (docs/policies.md)", name, c.Policies[name])
			if says, ok := result.says[name]; ok {
				policy = fmt.Sprintf("%s=%s, as the target says (docs/policies.md)", name, says)
			}
			writeWrapped(&out, "policy    ", policy)
		}
		if result.Stderr != "" {
			writeWrapped(&out, "stderr    ", lastLine(result.Stderr))
		}
		writeWrapped(&out, "trace     ", "ipafuzz conform --show "+c.request())
	}
	for _, reason := range reasons {
		for i, line := range wrap(reason.String(), columns) {
			if i == 0 {
				out.WriteByte('\n')
			}
			out.WriteString(line + "\n")
		}
	}
	fmt.Fprintf(&out, "\n%s\n", r.Summary())
	_, err := w.Write(out.Bytes())
	return err
}

// writeWrapped writes a text below its row, in lines that fit.
func writeWrapped(out *bytes.Buffer, head, text string) {
	const margin = 13
	room := columns - margin - len(head)
	lead := head
	for _, line := range wrap(text, room) {
		fmt.Fprintf(out, "%*s%s%s\n", margin, "", lead, line)
		lead = strings.Repeat(" ", len(head))
	}
}

// wrap breaks a text into lines, at blanks if possible.
func wrap(text string, width int) []string {
	runes := []rune(printable.Line(text))
	var lines []string
	for len(runes) > width {
		end := width
		for end > width/2 && runes[end] != ' ' {
			end--
		}
		if runes[end] != ' ' {
			end = width
		}
		lines = append(lines, strings.TrimSpace(string(runes[:end])))
		for runes = runes[end:]; len(runes) > 0 && runes[0] == ' '; {
			runes = runes[1:]
		}
	}
	return append(lines, string(runes))
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
