package conform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

//go:generate go run ./internal/generate

// Page returns docs/conformance.md; a test compares it with what is on disk.
func Page() []byte {
	var b strings.Builder
	b.WriteString(pageHead)
	writeGroups(&b)
	writePolicies(&b)
	writeOpen(&b)
	writeSources(&b)
	for _, m := range apimodel.AllModels() {
		fmt.Fprintf(&b, "\n## %s: %d cases\n", m.Title, len(Cases(m)))
		writeSentences(&b, m)
	}
	return []byte(b.String())
}

// writeSentences lists what a header says, with the number of cases behind each sentence.
func writeSentences(b *strings.Builder, m *apimodel.Model) {
	cases := make(map[int]int)
	for _, c := range Cases(m) {
		for _, number := range c.Checks {
			cases[number]++
		}
	}
	function := ""
	for _, s := range Sentences(m) {
		if s.Function != function {
			function = s.Function
			fmt.Fprintf(b, "\n`%s`\n\n", function)
		}
		text := s.Text
		if s.Edition != "" {
			text += " (" + s.Edition + ")"
		}
		fmt.Fprintf(b, "%d. %s [%d]\n", s.Number, text, cases[s.Number])
	}
}

func writeGroups(b *strings.Builder) {
	b.WriteString("\n## Cases\n\n")
	for _, g := range groups {
		var counts []string
		for _, m := range apimodel.AllModels() {
			n := 0
			for _, c := range Cases(m) {
				if c.Group() == g.Name {
					n++
				}
			}
			if n > 0 {
				counts = append(counts, fmt.Sprintf("%s %d", m.Name, n))
			}
		}
		fmt.Fprintf(b, "- `%s`: %s [%s]\n", g.Name, g.Doc, strings.Join(counts, ", "))
	}
}

func writePolicies(b *strings.Builder) {
	cases := make(map[string]int)
	for _, c := range load() {
		for name, value := range c.Policies {
			cases[name+"="+value]++
		}
	}
	var list []string
	for _, policy := range slices.Sorted(maps.Keys(cases)) {
		list = append(list, fmt.Sprintf("`%s` (%d)", policy, cases[policy]))
	}
	fmt.Fprintf(b, "\nPolicies, with the number of cases that rest on each:\n%s.\n", strings.Join(list, ",\n"))
}

func writeOpen(b *strings.Builder) {
	cases := make(map[string][]string)
	for _, c := range load() {
		if c.Open != "" {
			cases[c.Open] = append(cases[c.Open], "`"+c.Name+"`")
		}
	}
	b.WriteString("\nThe standards leave open, so the answers are shown and not judged:\n\n")
	for _, question := range slices.Sorted(maps.Keys(cases)) {
		fmt.Fprintf(b, "- %s: %s\n", question, strings.Join(cases[question], ", "))
	}
}

func writeSources(b *strings.Builder) {
	cases := make(map[string]int)
	for _, c := range load() {
		if c.Source != "" {
			study := strings.Split(strings.Split(c.Source, ", figure")[0], ", section")[0]
			cases[study]++
		}
	}
	b.WriteString("\nThe published cases come from these sources; the notes of each trace name the figure:\n\n")
	for _, study := range slices.Sorted(maps.Keys(cases)) {
		fmt.Fprintf(b, "- %s (%d)\n", study, cases[study])
	}
}

const pageHead = `<!-- Generated from package conform by 'go generate ./oracle/conform'; do not edit. -->

# The conformance suite

    ipafuzz conform --target ./libmysolver.so
    ipafuzz conform --list                             # every case with its title
    ipafuzz conform --show ipasir/init/assume-first    # its trace, with the sentences that it checks

The suite has at least one hand-written trace for every sentence of ipasir.h and ipamir.h, and runs each in
a process of its own. ` + "`ipafuzz replay`" + ` runs the traces too. ` + "`--group` and `--case`" + ` choose what
runs, ` + "`--format`" + ` how results are printed: text, markdown, json or junit.

| result | meaning |
|---|---|
| pass | The run finished, the oracle found no fault, and every answer is the expected one. |
| fail | A crash, a limit, a fault, or an answer that no correct library gives. |
| unsupported | The target lacks a function or capability, or answered 40, "not supported" (4.4 in ` + "`fuzz`" + `). |
| unspecified | The standard leaves the answer open, or the target declares another policy than the case needs. |

A trace states an expectation only where every correct library gives the same answer: statuses, optima,
values on which all solutions agree (0 is wrong there), and failed assumptions that every core contains. The
oracle judges models and cores. A test verifies the expectations of up to 20 variables by exhaustive search.

Where the headers are silent, a case rests on the default of a policy ([policies.md](policies.md)); a target can
declare another value. Meeting a limit is a failure, with one exception: in traces with variables from 2^30 on,
running out of memory counts as unsupported, because a library with tables up to the largest
variable needs more memory than most machines have.

Both editions of ipamir.h give status 10 the meaning "no solution" and 20 "interrupted with a solution".
Libraries and applications swap the two, as ipasir.h does, and so does this suite.

The suite does not break rules that bind the client alone, such as no call after release and no call
from a callback. It checks at least one completion of a value 0 (policy val-zero). It cannot check that
every learned clause is handed over.

After the cases come the sentences of each header in our words; the number in brackets says how many cases check one.
`
