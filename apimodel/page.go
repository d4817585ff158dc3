package apimodel

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// PoliciesPage returns the reference page of policies, capabilities and the text
// form of descriptions.
func PoliciesPage() string {
	var b strings.Builder
	b.WriteString("# How a target describes itself\n\n")
	b.WriteString("A library says what it offers and lacks with the function `const char *ipafuzz_describe (void)`, " +
		"or [a targets file](targets.md#options-without-an-adapter) says it. The description has one item per line. " +
		"`#` begins a comment. After an option the comment is its documentation:\n\n```\n")
	fmt.Fprintf(&b, "%-56s # an interface that the target serves: %s\n", "model NAME", Names())
	for _, form := range lineForms {
		fmt.Fprintf(&b, "%-56s # %s\n", form[0], form[1])
	}
	b.WriteString("```\n\nNames and values have no blanks. " +
		"A bool is spelled like its default: true or false, 1 or 0, yes or no, on or off. " +
		"An option that a trace does not set has its default value; exclusions see that value, too.\n\n")

	b.WriteString("## Policies\n\nWhere the standards are silent, a policy says what ipafuzz does and expects. " +
		"This list has the values of each policy, what the standard says, and what the values mean.\n")
	for _, p := range Policies() {
		values := make([]string, len(p.Values))
		for i, v := range p.Values {
			values[i] = "`" + v + "`"
			if v == p.Default && len(p.Values) > 1 {
				values[i] += " (default)"
			}
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s. %s\n\n%s\n", p.Name, strings.Join(values, ", "), p.Sentence, p.Doc)
	}

	b.WriteString("\n## Capabilities\n\n" +
		"A target with a description has all capabilities except those that it `lacks`. " +
		"A target without a description has the standard ones.\n\n" +
		"| capability | standard | what the target can do |\n|---|---|---|\n")
	for _, c := range Capabilities() {
		standard := "no"
		if c.Standard {
			standard = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, standard, c.Doc)
	}
	return b.String()
}

var lineForms = [][2]string{
	{"lacks CAPABILITY", "see below"},
	{"option NAME bool DEFAULT", "an option with two values"},
	{"option NAME int MIN MAX DEFAULT", "an integer from MIN to MAX"},
	{"option NAME real MIN MAX DEFAULT", "a decimal number from MIN to MAX"},
	{"option NAME choice A|B|C DEFAULT", "one of some words"},
	{"option NAME bool DEFAULT when=anytime", "may be set in any state, else only before any other call"},
	{"option NAME bool DEFAULT checks=VALUE", "with this value the library checks itself; half of the solvers get it"},
	{"fixed NAME bool DEFAULT", "an option of any kind that only the user sets"},
	{"exclude NAME=VALUE NAME=VALUE", "two or more settings that must not hold together"},
	{"policy NAME=VALUE", "see below"},
	{"max-vars N", "a bound of all traces, those of conform too; also max-calls, max-weight and max-sum"},
}

// A Page is a generated file.
type Page struct {
	Path string // relative to the repository's root
	Text []byte
}

// Increment targetVersion when you change a header of cexternal/exec that is not generated.
const targetVersion = 8

// stamp returns a Go file for a package whose C code includes headers of another folder. The go
// command does not watch these headers. A C flag in the file changes when they do, so that the
// go command recompiles the package.
func stamp(pkg string) []byte {
	hash := fnv.New32a()
	hash.Write(CHeader())
	hash.Write(CFunctions())
	hash.Write(CLayout())
	fmt.Fprint(hash, targetVersion)
	return fmt.Appendf(nil, "// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.\n\n"+
		"package %s\n\n// #cgo CFLAGS: -DIPAFUZZ_STAMP=0x%08x\nimport \"C\"\n", pkg, hash.Sum32())
}

// Pages returns all generated files. A test compares them with the files on disk.
func Pages() []Page {
	pages := []Page{
		{"cexternal/exec/opcodes.h", CHeader()},
		{"cexternal/exec/functions.h", CFunctions()},
		{"cexternal/exec/layout.h", CLayout()},
		{"trace/layout.go", GoLayout()},
		markdownPage("docs/policies.md", PoliciesPage()),
	}
	for _, pkg := range []string{"direct", "load", "ref", "worker"} {
		pages = append(pages, Page{"cexternal/" + pkg + "/stamp.go", stamp(pkg)})
	}
	for _, m := range AllModels() {
		pages = append(pages, markdownPage("docs/model-"+m.Name+".md", m.Page()))
	}
	return pages
}

func markdownPage(path, text string) Page {
	return Page{path, fmt.Appendf(nil, "<!-- %s -->\n\n%s", GeneratedBy, text)}
}
