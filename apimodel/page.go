package apimodel

import (
	"fmt"
	"strings"
)

// PoliciesPage returns the reference page of policies, capabilities and the
// text form of a description.
func PoliciesPage() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- %s -->\n\n# What a target may say of itself\n\n", GeneratedBy)
	b.WriteString("A library says it by exporting `const char *ipafuzz_describe (void)`, a user in a file. " +
		"The text is made of lines; a `#` begins a comment, which behind an option is its documentation:\n\n```\n")
	fmt.Fprintf(&b, "%-56s # an interface that the target speaks: %s\n", "model NAME", Names())
	for _, form := range lineForms {
		fmt.Fprintf(&b, "%-56s # %s\n", form[0], form[1])
	}
	b.WriteString("```\n\nNames and values hold no blanks. The value of a bool is spelled as its default is: true or false, 1 or 0, yes or no, on or off. " +
		"An option that no trace sets counts as set to its default, also where exclusions are concerned.\n\n")

	b.WriteString("## Policies\n\nWhere the standards are silent, a policy says what ipafuzz does and what it expects.\n")
	for _, p := range Policies() {
		values := make([]string, len(p.Values))
		for i, v := range p.Values {
			values[i] = "`" + v + "`"
			if v == p.Default && len(p.Values) > 1 {
				values[i] += " (the default)"
			}
		}
		fmt.Fprintf(&b, "\n### %s\n\nValues: %s.\n\nThe standard: %s\n\n%s\n", p.Name, strings.Join(values, ", "), p.Sentence, p.Doc)
	}

	b.WriteString("\n## Capabilities\n\nA target has all of them unless its description says `lacks`; " +
		"of a target without a description only the standard ones are supposed.\n\n| capability | standard | what the target can do |\n|---|---|---|\n")
	for _, c := range Capabilities() {
		standard := "no"
		if c.Standard {
			standard = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, standard, c.Doc)
	}
	return []byte(b.String())
}

var lineForms = [][2]string{
	{"lacks CAPABILITY", "see below"},
	{"option NAME bool DEFAULT", "an option with two values"},
	{"option NAME int MIN MAX DEFAULT", "an integer from MIN to MAX"},
	{"option NAME real MIN MAX DEFAULT", "a decimal number from MIN to MAX"},
	{"option NAME choice A|B|C DEFAULT when=start", "may be set before anything else only; else when=anytime"},
	{"fixed NAME bool DEFAULT", "as option, of any kind, but only the user sets it"},
	{"exclude NAME=VALUE NAME=VALUE", "two or more settings that must not hold together"},
	{"policy NAME=VALUE", "see below"},
}

// A Page is a file that is made from this package.
type Page struct {
	Path string // from the repository's root
	Text []byte
}

// Pages returns all files that are made from this package; a test compares
// them with what is on disk.
func Pages() []Page {
	pages := []Page{
		{"cexternal/exec/opcodes.h", CHeader()},
		{"cexternal/exec/functions.h", CFunctions()},
		{"cexternal/exec/layout.h", CLayout()},
		{"trace/layout.go", GoLayout()},
		{"docs/policies.md", PoliciesPage()},
	}
	for _, m := range AllModels() {
		pages = append(pages, Page{"docs/model-" + m.Name + ".md", []byte(m.Markdown())})
	}
	return pages
}
