package conform

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

//go:generate go run ./internal/generate

// Page returns docs/conformance.md; a test compares it with what is on disk.
func Page() []byte {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, m := range apimodel.AllModels() {
		fmt.Fprintf(&b, "\n## %s: %d cases\n\n", m.Title, len(Cases(m)))
		b.WriteString("| sentence | function | what it says | cases |\n|---|---|---|---|\n")
		for _, s := range Sentences(m) {
			text := s.Text
			if s.Edition != "" {
				text += " (" + s.Edition + ")"
			}
			fmt.Fprintf(&b, "| %d | `%s` | %s | %s |\n", s.Number, s.Function, text, casesOf(m, s.Number))
		}
		for _, g := range Groups() {
			writeGroup(&b, m, g)
		}
	}
	return []byte(b.String())
}

func casesOf(m *apimodel.Model, number int) string {
	var names []string
	for _, c := range Cases(m) {
		for _, n := range c.Checks {
			if n == number {
				names = append(names, c.Short())
			}
		}
	}
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

func writeGroup(b *strings.Builder, m *apimodel.Model, g Group) {
	first := true
	for _, c := range Cases(m) {
		if c.Group() != g.Name {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n### %s: %s\n\n%s\n\n| case | what it checks | sentences | rests on |\n|---|---|---|---|\n", m.Name, g.Name, g.Doc)
			first = false
		}
		title := c.Title
		if c.Source != "" {
			title += " (" + c.Source + ")"
		}
		rests := "open: " + c.Open
		if c.Open == "" {
			var policies []string
			for _, name := range sortedNames(c.Policies) {
				policies = append(policies, name+"="+c.Policies[name])
			}
			rests = strings.Join(policies, ", ")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", c.Short(), title, numberList(c.Checks), rests)
	}
}

const pageHead = `<!-- Generated from package conform by 'go generate ./oracle/conform'; do not edit. -->

# The conformance suite

` + "`ipafuzz conform --target T`" + ` runs traces that were written by hand, each in a process of its own. For every
sentence of ipasir.h and ipamir.h, said here in our words, there is at least one. ` + "`--show CASE`" + ` prints a
trace, which ` + "`ipafuzz replay`" + ` runs as well; ` + "`--group`" + ` and ` + "`--case`" + ` choose; ` + "`--format`" + ` is text, markdown,
json or junit.

| result | meaning |
|---|---|
| pass | The run ended, no check of the oracle found a fault, and every answer is the expected one. |
| fail | A crash, a limit that was met, a fault, or an answer that no right library gives. |
| unsupported | The target lacks a function or a capability that the trace needs, or answered 40: with that ipamir.h lets a library say that it does not support what was called. (` + "`fuzz` and `replay`" + ` call it fault 4.4.) |
| unspecified | The standard leaves the answer open, and it is shown; or the target declares another policy than the one that the case rests on. |

Expectations stand only where every right library answers alike: statuses, optima, values on which all
solutions agree, failed assumptions without which no core is one. Models and cores are left to the
oracle. A value that every solution agrees on must be said: 0 is no answer there. A test works out all expectations of up to 20 variables by trying all assignments.

Where the headers are silent a case rests on a policy of [policies.md](policies.md), in its default; a target
that means otherwise can say so. A limit that was met (time, memory, output) is a failure, and says just that
the limit was met. Only where a trace has variables from 2^30 on, running out of memory counts as unsupported:
a library that keeps tables up to the largest variable would need more than most machines have.

Both editions of ipamir.h that are in use call 10 what a library answers when there is no solution, and 20
when it was interrupted with one. Libraries and applications take the numbers the other way round, as in
ipasir.h, and so does this suite.

What the headers demand of the client alone (no call after release, no query in a state that forbids it,
nothing called from a callback) is kept by the traces and not tried. Whether a value 0 leaves
the choice free is checked for at least one choice (policy val-zero), whether every learned clause is handed over is
not checked: nobody outside knows what a solver learned.
`
