package conform

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

//go:generate go run ./internal/generate

//go:embed page.txt
var pageHead string

// Page returns the text of docs/conformance.md. A test compares it with the file.
func Page() []byte {
	var b strings.Builder
	b.WriteString(pageHead)
	writeGroups(&b)
	writePolicies(&b)
	writeOpen(&b)
	writeSources(&b)
	for _, m := range apimodel.Libraries() {
		fmt.Fprintf(&b, "\n## %s: %d cases\n", m.Title, len(Cases(m)))
		writeSentences(&b, m)
	}
	return []byte(b.String())
}

// writeSentences lists the sentences of a header, each with the number of its cases.
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
		for _, m := range apimodel.Libraries() {
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
