package conform

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestOneReason: what fails in the same way in several cases is said once, and what no case got right is blamed on
// the function that answers it.
func TestOneReason(t *testing.T) {
	const add = "ipafuzz 1 ipasir\n# title: t\n# checks 8: ipasir_add: Adds a literal to the open clause.\n"
	const unsat = add + "add 0\nsolve = 20\n"
	const unit = add + "add 1 0\nsolve = 10\nval 1 = 1\n"
	right := puppet{log: "add 1 0\nsolve = 10\nval 1 = 1\n"}
	flipped := puppet{log: "add 1 0\nsolve = 10\nval 1 = -1\n"}
	never20 := puppet{log: "add 0\nsolve = 10\n"}
	type run struct {
		file   string
		puppet puppet
	}
	three := func(file string, p puppet) []run { return []run{{file, p}, {file, p}, {file, p}} }
	for _, c := range []struct {
		name   string
		runs   []run
		want   string // said once, or "" for nothing
		blamed string // the function of the sentence
	}{
		{"unknown status", three(unit, puppet{log: "add 1 0\nsolve = 77\nval 1 = -\n"}),
			"3 cases fail for one reason, whatever each of them is about: 4.1 wrong status in solve.", "ipasir_add"},
		{"died in the end", three(unit, puppet{log: right.log, end: trace.Killed, call: 3}),
			"3 cases fail for one reason, whatever each of them is about: 1.1 abort in release.", "ipasir_add"},
		{"two only", three(unit, puppet{log: "add 1 0\nsolve = 77\nval 1 = -\n"})[1:], "", "ipasir_add"},
		{"no status right", three(unsat, never20), "No solve answered 20", "ipasir_add"},
		{"some status right", append(three(unsat, never20), run{unsat, puppet{log: "add 0\nsolve = 20\n"}}), "",
			"ipasir_add"},
		{"no value right", three(unit, flipped), "2.6 model falsifies in val.", "ipasir_val"},
		{"some value right", append(three(unit, flipped), run{unit, right}), "2.6 model falsifies in val.",
			"ipasir_add"},
	} {
		report := Report{Target: "t", Model: "ipasir"}
		for _, r := range c.runs {
			report.Results = append(report.Results, *judged(t, c.name, r.file, &r.puppet))
		}
		for _, format := range Formats {
			var out bytes.Buffer
			if err := report.Write(&out, format); err != nil {
				t.Fatal(err)
			}
			if format != "text" {
				continue
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			if said := strings.Contains(text, "for one reason"); said != (c.want != "") || !strings.Contains(text, c.want) {
				t.Errorf("%s: want %q:\n%s", c.name, c.want, out.String())
			}
		}
		first := &report.Results[0]
		if got := first.Case.Sentence(first.blamed()[0]).Function; got != c.blamed {
			t.Errorf("%s: blames %s, want %s", c.name, got, c.blamed)
		}
	}
}
