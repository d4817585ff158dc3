package flagrules

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/trace/format"
)

const (
	limits  = "cpu wall memory output fixed sigterm-after"
	targets = "model target targets-file no-containment"
	bounds  = "max-vars max-weight max-sum max-calls"
	choices = "profile family schedule plant threads fail-allocations" // of the built-in generators
)

// rules list every flag that a command would ignore. The first rule that refuses a flag gives the reason.
var rules = []rule{
	{"fuzz gen", with("generator"), choices + " corpus", "another program makes the formulas"},
	{"fuzz gen", with("corpus"), choices, "the traces of the corpus are run, then mutated"},
	{"fuzz gen", without("generator"), "generator-time", "only other programs have such a limit"},
	{"fuzz", with("as-job"), "only-new", "the exit code of a job does not depend on findings"},
	{"fuzz", fewerThan(2, "against"), "factor", "a target is compared with the median of the others"},

	{"fuzz gen", zero("max-vars"), "max-vars", "an instance has a variable"},
	{"fuzz gen", zero("max-weight"), "max-weight", "a soft literal has a weight"},
	{"convert", zero("solve"), "solve", "solves are counted from 1"},
	{"minimize", zero("tests"), "tests", "without it there is no limit"},
	{"minimize", zero("runs"), "runs", "a trace runs at least once"},

	{"gen", with("stats"), "json", "--format json prints them as JSON"},
	{"gen", with("stats"), allBut + "stats family model count seed plant format " + bounds,
		"statistics are of the first formulas that families make"},
	{"gen", with("coverage"), allBut + "coverage count seed avoid " + choices + " " + bounds + " " + targets,
		"a table about the first traces is printed"},
	{"gen", with("features"), allBut + "features profile json " + targets, "only features are listed"},
	{"gen", with("list"), allBut + "list " + targets, "profiles, families and schedules are listed, as text"},
	{"gen", with("mutate"), choices + " generator corpus", "the given traces are mutated"},
	{"gen", with("out"), "json", "JSON is printed"},
	{"gen", without("out"), "binary", "the binary form is not for a terminal"},
	{"gen", toOtherFormat, "binary json threads fail-allocations", "a file has a formula, and no calls"},
	{"gen", toQuantifiedFormat, "max-vars max-calls",
		"a bound would cut the formulas that the family makes ('gen --model qbf --list' lists smaller families)"},
	{"gen", without("target"), "targets-file no-containment", "no target is started"},

	{"replay", without("bisect"), "key", "replay reports every failure"},
	{"replay", with("bisect"), "way exact json conflicts", "only whether the failure is there counts"},
	{"replay", several("target"), "bisect", "the failure is that of one target"},
	{"replay", several("target"), "exact", "a comparison does not use the answers in the trace"},
	{"replay", holding("way", "inproc"), limits + " no-containment", "the target is a part of this process"},
	{"replay", fewerThan(3, "target"), "factor", "a target is compared with the median of the others"},
	{"run", fewerThan(3, "targets", "target"), "factor", "a target is compared with the median of the others"},

	{"minimize", with("test"), "key any-failure keep-class runs avoid others slower-than against cpu memory output " +
		"fixed sigterm-after " + targets, "only the command tells whether a file fails"},
	{"minimize", with("slower-than"), "key any-failure keep-class others json avoid workers against",
		"the ratio of two times is kept, and nothing else may run meanwhile"},
	{"minimize", without("slower-than"), "least", "only there do times count"},
	{"minimize", without("slower-than", "against"), "factor", "a factor compares targets"},
	{"minimize", with("against"), "any-failure keep-class others workers",
		"the targets run every candidate in turn, until the failure shows"},
	{"minimize", onCampaigns("<trace>"), "out key any-failure json", "name the directory of a finding"},
	{"minimize", with("any-failure"), "keep-class others", "every failure counts as the same"},
	{"minimize", holding("strategy", "own", "lines"), "seed", "nothing is shuffled"},

	{"export", toFile, "key all cpu memory " + targets, "only programs look for a failure on a target"},
	{"convert", with("list"), allBut + "list", "all formats are listed"},
	{"conform", with("list"), allBut + "list model group case json", "no case runs"},
	{"conform", with("show"), allBut + "show pipe " + targets + " " + limits, "one case is shown, as text"},
	{"conform", without("target", "pipe"), "targets-file no-containment " + limits, "no case runs"},
	{"targets-list", with("<files>"), "targets-file", "only the targets of these files are listed"},

	{"check", onCampaigns("<suite>"), "anytime unweighted strict list timeout",
		"minimal traces run with the limits of their findings, and their failures are looked for"},
	{"check", not("is for campaign directories", onCampaigns("<suite>")), "of", "a suite has no findings"},
	{"check", with("list"), allBut + "list <suite> model unweighted json", "no test runs"},
}

// toOtherFormat: gen writes other files than traces.
var toOtherFormat = condition{"is for traces, not for other formats", func(l *line) bool {
	return l.given["format"] && !l.given["stats"] && l.word("format") != string(format.Trace)
}}

// toQuantifiedFormat: gen writes the quantified formulas of families.
var toQuantifiedFormat = condition{"is for traces, not for formats of quantified formulas", func(l *line) bool {
	fromFamily := !l.given["mutate"] && !l.given["generator"] && !l.given["corpus"]
	return fromFamily && format.Format(l.word("format")).Quantified()
}}

// toFile: export writes a file format.
var toFile = condition{"is not for file formats", func(l *line) bool {
	if to := l.word("to"); to != "" {
		_, err := format.Parse(to)
		return err == nil
	}
	_, isFormat := format.Named(l.word("out"))
	return isFormat
}}

func (l *line) word(flag string) string { return fmt.Sprint(l.values[flag].Interface()) }
