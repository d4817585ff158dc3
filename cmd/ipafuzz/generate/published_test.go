package generate

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
)

// A publishedRow is a row of table 1 of PB26, with the two columns of its table 3 that are properties of
// the instances.
type publishedRow struct {
	family                                string
	hard, soft, unweighted, weights32     float64 // percent of the instances
	hardMax, softMax, varsMin, varsMax    float64
	hardAverage, softAverage, varsAverage float64
	objectiveZero, satisfiableHard        float64 // percent
}

var published = []publishedRow{
	{"wcnfuzz", 90.10, 97.88, 19.47, 81.11, 832, 665, 4, 195, 159, 117, 50, 14.94, 98.37},
	{"wcnfuzz-py", 87.46, 99.23, 17.68, 79.18, 564, 431, 3, 134, 89, 99, 34, 4.01, 95.47},
	{"wcnfuzz-small", 77.92, 97.49, 17.50, 81.48, 550, 314, 1, 96, 41, 55, 18, 9.23, 97.77},
	{"wcnfuzz-tiny", 66.63, 96.11, 17.14, 82.07, 434, 230, 1, 87, 29, 40, 14, 13.05, 98.52},
}

// rivals are the rows of the generators after which three families are modelled.
var rivals = []publishedRow{
	{"structured", 93.79, 100, 2.42, 96.21, 1079, 1999, 1, 500, 737, 826, 187, 4.55, 25.52},
	{"ranges", 98.59, 98.62, 0.01, 100, 1601, 1718, 1, 123981, 247, 247, 10561, 85.66, 96.87},
	{"xor", 100, 100, 100, 100, 142237, 40338, 2, 40554, 4804, 942, 1137, 2.60, 25.61},
}

// Tolerances: how far chance may change the figures of this many instances.
const (
	statisticsInstances  = 2000
	shareTolerance       = 3.0  // percentage points
	satisfiableTolerance = 1.5  // percentage points
	zeroTolerance        = 2.5  // percentage points
	averageTolerance     = 0.06 // of the average
	leastMaximum         = 0.4  // of the published maximum, which is over up to 190,000 instances
	mostMaximum          = 1.3
)

// TestPublishedStatistics compares the four families with the published rows and writes both side by side
// into docs/measured/generators.md.
func TestPublishedStatistics(t *testing.T) {
	if testing.Short() {
		t.Skip("decides thousands of formulas")
	}
	solver, err := trial.OpenFormulaSolver(t.Context(), apimodel.IPASIR)
	if err != nil {
		t.Fatal(err)
	}
	defer solver.Close()
	var table strings.Builder
	columns := append([]string{"", "from"}, new(measure.Statistics).Columns()[2:]...)
	fmt.Fprintf(&table, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, p := range published {
		source, err := family.NewSource(p.family)
		if err != nil {
			t.Fatal(err)
		}
		s := measure.StatisticsOf(t.Context(), source, 1, statisticsInstances, solver.Decide)
		if solver.Err != nil {
			t.Fatal(solver.Err)
		}
		n := float64(s.Instances)
		near := func(what string, got, want, tolerance float64) {
			t.Helper()
			if got < want-tolerance || got > want+tolerance {
				t.Errorf("%s: %s is %.2f, published %.2f, tolerance %.2f", p.family, what, got, want, tolerance)
			}
		}
		percent := func(part uint64) float64 { return 100 * float64(part) / n }
		near("share with hard clauses", percent(s.WithHard), p.hard, shareTolerance)
		near("share with soft clauses", percent(s.WithSoft), p.soft, shareTolerance)
		near("share of unweighted", percent(s.Unweighted), p.unweighted, shareTolerance)
		near("share of 32-bit sums", percent(s.Weights32), p.weights32, shareTolerance)
		near("average of hard clauses", float64(s.Hard.Sum)/n, p.hardAverage, averageTolerance*p.hardAverage)
		near("average of soft clauses", float64(s.Soft.Sum)/n, p.softAverage, averageTolerance*p.softAverage)
		near("average of variables", float64(s.Variables.Sum)/n, p.varsAverage, averageTolerance*p.varsAverage)
		near("share of objective 0", percent(s.ObjectiveZero), p.objectiveZero, zeroTolerance)
		near("share of satisfiable hard clauses", percent(s.SatisfiableHard), p.satisfiableHard, satisfiableTolerance)
		for _, m := range []struct {
			what      string
			got, want float64
		}{{"hard clauses", float64(s.Hard.Max), p.hardMax}, {"soft clauses", float64(s.Soft.Max), p.softMax},
			{"variables", float64(s.Variables.Max), p.varsMax}} {
			if m.got < leastMaximum*m.want || m.got > mostMaximum*m.want {
				t.Errorf("%s: the most %s are %.0f, published %.0f", p.family, m.what, m.got, m.want)
			}
		}
		if s.Decided != s.Instances {
			t.Errorf("%s: %d of %d formulas were decided", p.family, s.Decided, s.Instances)
		}
		fmt.Fprintf(&table, "| %s | paper | %.2f%% | %.2f%% | %.2f%% | %.2f%% | 0-%.0f, %.0f | 0-%.0f, %.0f | %.0f-%.0f, "+
			"%.0f | %.2f%% | %.2f%% |\n", p.family,
			p.hard, p.soft, p.unweighted, p.weights32, p.hardMax, p.hardAverage, p.softMax, p.softAverage, p.varsMin, p.varsMax,
			p.varsAverage, p.objectiveZero, p.satisfiableHard)
		fmt.Fprintf(&table, "| | here | %s |\n", strings.Join(s.Row()[2:], " | "))
	}
	checkSection(t, measuredPage, "statistics", table.String())
}

// TestGeneratorLists compares the lists in docs/generators.md with the tables.
func TestGeneratorLists(t *testing.T) {
	var text strings.Builder
	fmt.Fprint(&text, "| family | version | what it makes |\n|---|---|---|\n")
	for _, f := range family.All() {
		fmt.Fprintf(&text, "| `%s` | %d | %s |\n", f.Name, f.Version, f.Doc)
	}
	checkSection(t, listsPage, "families", text.String())
	text.Reset()
	fmt.Fprint(&text, "| schedule | what comes before the solves |\n|---|---|\n")
	for _, s := range family.Schedules(false) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", s, s.Doc())
	}
	checkSection(t, listsPage, "schedules", text.String())
	text.Reset()
	fmt.Fprint(&text, "| profile | share of `mixed` | what it is |\n|---|---|---|\n")
	for _, p := range gen.Profiles() {
		fmt.Fprintf(&text, "| `%s` | %.1f%% | %s |\n", p.Name, 100*p.Share, p.Doc)
	}
	checkSection(t, listsPage, "profiles", text.String())
	text.Reset()
	fmt.Fprint(&text, "| mutation | what it does |\n|---|---|\n")
	for _, m := range mutate.All() {
		fmt.Fprintf(&text, "| `%s` | %s |\n", m.Name, m.Doc)
	}
	checkSection(t, listsPage, "mutations", text.String())
}

// TestQuantifiedLists compares the lists of quantified formulas with their tables.
func TestQuantifiedLists(t *testing.T) {
	var text strings.Builder
	fmt.Fprint(&text, "| family | version | what it makes |\n|---|---|---|\n")
	for _, f := range family.Quantified() {
		fmt.Fprintf(&text, "| `%s` | %d | %s |\n", f.Name, f.Version, f.Doc)
	}
	fmt.Fprint(&text, "\n| schedule | what comes before the solves |\n|---|---|\n")
	for _, s := range family.Schedules(true) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", s, s.Doc())
	}
	fmt.Fprint(&text, "\n| profile | share of `mixed` | what it is |\n|---|---|---|\n")
	for _, p := range gen.QuantifiedProfiles() {
		fmt.Fprintf(&text, "| `%s` | %.1f%% | %s |\n", p.Name, 100*p.Share, p.Doc)
	}
	checkSection(t, listsPage, "quantified", text.String())
}

// TestFileLists compares the lists of formula files with their tables.
func TestFileLists(t *testing.T) {
	var text strings.Builder
	fmt.Fprint(&text, "| profile | share of `mixed` | what it is |\n|---|---|---|\n")
	for _, p := range gen.ProfilesOf(apimodel.WCNF) {
		fmt.Fprintf(&text, "| `%s` | %.1f%% | %s |\n", p.Name, 100*p.Share, p.Doc)
	}
	fmt.Fprint(&text, "\n| mutation | what it does |\n|---|---|\n")
	for _, m := range mutate.Of(apimodel.WCNF) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", m.Name, m.Doc)
	}
	checkSection(t, listsPage, "files", text.String())
}

// TestGeneratorCoverage writes into docs/measured/generators.md what every profile reaches in 10,000 traces.
func TestGeneratorCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("makes hundreds of thousands of traces")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| profile | model | %s |\n|---|---|%s\n", strings.Join(measure.CoverageColumns, " | "),
		strings.Repeat("---|", len(measure.CoverageColumns)))
	for _, p := range gen.Profiles() {
		n := uint64(CoverageTraces)
		switch p.Name {
		case "published", "longhand", "search", "marathon", "crowd":
			n /= 10
		case "bulk":
			n /= 100
		}
		for _, m := range apimodel.Models() {
			coverage, err := coverageOf(t.Context(), gen.Config{Model: m, Description: everything(), Profile: p.Name}, 1, n)
			if err != nil {
				t.Fatal(err)
			}
			row := strings.ReplaceAll(strings.Join(coverage.Row(), " | "), " of ", "/")
			fmt.Fprintf(&text, "| `%s` | %s | %s |\n", p.Name, m.Name, row)
		}
	}
	checkSection(t, measuredPage, "coverage", text.String())
}

// everything describes a target with every capability and one option that allows every question, so that every call is
// possible.
func everything() *apimodel.Description {
	return &apimodel.Description{
		Options:  []apimodel.Option{{Name: "option", Kind: apimodel.Bool, Default: "false", When: apimodel.Anytime}},
		Policies: map[string]string{"failed-non-assumption": "any"}}
}

const (
	listsPage    = "../../../docs/generators.md"
	measuredPage = "../../../docs/measured/generators.md"
)

// checkSection compares the part of the page between its markers with the generated text. IPAFUZZ_UPDATE=1 writes it.
func checkSection(t *testing.T, page, name, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := fmt.Appendf(nil, "<!-- begin %s -->\n", name), fmt.Appendf(nil, "<!-- end %s -->\n", name)
	before, rest, found := bytes.Cut(text, begin)
	section, after, ended := bytes.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no section %s", page, name)
	}
	if string(section) == want {
		return
	}
	if os.Getenv("IPAFUZZ_UPDATE") == "" {
		t.Errorf("the section %s of %s is not what is made now; IPAFUZZ_UPDATE=1 writes it. Want:\n%s", name, page, want)
		return
	}
	updated := bytes.Join([][]byte{before, begin, []byte(want), end, after}, nil)
	if err := os.WriteFile(page, updated, 0o644); err != nil {
		t.Fatal(err)
	}
}
