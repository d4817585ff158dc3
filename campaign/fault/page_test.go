package fault_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const page = "../../docs/measured/faults.md"

// An estimate has means over the profiles of a group, or over groups.
type estimate struct{ one, faults, cost, merged, unreported stratified }

// estimate returns the means of the profiles that have samples of a sufficient size, and the cost of all.
func (of rows) estimate() (e estimate) {
	for _, u := range of {
		if mean, variance, known := u.mean(); known {
			e.faults.add(1, mean, variance)
		}
		e.one.addShare(u.one())
		e.merged.addShare(u.merged())
		e.unreported.addShare(u.unreported())
	}
	if total := of.total(); total.Seconds > 0 {
		e.cost.add(1, total.Experiments/total.Seconds, 0)
	}
	return e
}

// add adds the estimate of a group that has so many libraries with one defect and with two.
func (e *estimate) add(of *estimate, ones, twos int) {
	e.one.addMean(float64(ones), &of.one)
	e.faults.addMean(float64(ones), &of.faults)
	e.cost.addMean(float64(ones), &of.cost)
	e.merged.addMean(float64(twos), &of.merged)
	e.unreported.addMean(float64(twos), &of.unreported)
}

const summaryHead = "| group | libraries with one defect | runs whose findings are one fault | faults in a run " +
	"| time for experiments | libraries with two | findings of both are one fault " +
	"| one is not reported, though it is alone |\n" +
	"|---|--:|--:|--:|--:|--:|--:|--:|\n"

// summary returns the table of all libraries.
func (all *ledger) summary() string {
	var text strings.Builder
	text.WriteString("## All libraries\n\n" +
		"The row of all libraries estimates what a random library with one defect gives, or one with two: it is the mean\n" +
		"of the groups, each weighted by its number of such libraries. A group has the means of its own table.\n\n" +
		summaryHead)
	row := func(name string, ones, twos int, e *estimate) {
		cost := ""
		if e.cost.known() {
			cost = fmt.Sprintf("%.1f %%", 100*e.cost.mean())
		}
		fmt.Fprintf(&text, "| %s | %d | %s | %s | %s | %d | %s | %s |\n", name, ones, e.one.percent(), e.faults.number(),
			cost, twos, e.merged.percent(), e.unreported.percent())
	}
	var whole estimate
	allOnes, allTwos := 0, 0
	for _, g := range groups() {
		ones, twos := g.libraries()
		e := all.Sums[g.name].estimate()
		row(g.title, ones, twos, &e)
		whole.add(&e, ones, twos)
		allOnes, allTwos = allOnes+ones, allTwos+twos
	}
	row("all libraries", allOnes, allTwos, &whole)
	text.WriteString("| goal | | 95 % | 1.1 | 10 % | | 2 % | 0 |\n\n")
	return text.String()
}

const tableHead = "| profile | one defect | runs whose findings are one fault | faults in a run " +
	"| time for experiments | pairs | findings of both are one fault | one is not reported, though it is alone " +
	"| of these, the other hides it |\n" +
	"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"

// table returns the table of a group. The last rows have the sums of the samples and the means of the profiles.
func (of rows) table() string {
	var text strings.Builder
	text.WriteString(tableHead)
	row := func(name string, u *sums, faults string) {
		fmt.Fprintf(&text, "| %s | %d | %v | %s | %s | %d | %v | %v | %d |\n", name, u.Runs, u.one(), faults, u.cost(),
			u.Pairs, u.merged(), u.unreported(), u.Hidden)
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		mean := ""
		if m, _, known := of[name].mean(); known {
			mean = fmt.Sprintf("%.2f", m)
		}
		row(name, of[name], mean)
	}
	total, e := of.total(), of.estimate()
	row("sum", &total, "")
	fmt.Fprintf(&text, "| mean | | %s | %s | | | %s | %s | |\n", e.one.percent(), e.faults.number(), e.merged.percent(),
		e.unreported.percent())
	text.WriteString("| goal | | 95 % | 1.1 | 10 % | 500 | 2 % | 0 | |\n\n")
	return text.String()
}

// section returns what the page says about a group.
func (all *ledger) section(g *group) string {
	var text strings.Builder
	of := all.Sums[g.name]
	total := of.total()
	ones, twos := g.population("")
	fmt.Fprintf(&text, "## %s\n\n%sEach profile has %d runs with one defect and %d with a pair. In %d of the %d runs "+
		"with one defect,\nexperiments may have ended early because the machine was busy.\n\n", g.title, of.table(),
		len(ones), len(twos), total.Late, total.Runs)
	if all.Before != nil && len(all.Before.Sums[g.name]) > 0 {
		was := all.Before.Sums[g.name].total()
		fmt.Fprintf(&text, "The rules before these (%s) were measured with other seeds:\n\n"+
			"- runs whose findings are one fault: %v,\n- pairs in which the findings of both are one fault: %v,\n"+
			"- pairs in which one is not reported, though it is alone: %v; in %d of these the other hides it.\n\n",
			all.Before.Rules, was.one(), was.merged(), was.unreported(), was.Hidden)
	}
	return text.String()
}

// tables returns all that the page says about the ledger. Groups that were not measured are left out; without them, no
// estimate of all libraries is possible.
func (all *ledger) tables() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Version of the rules: %s.\n\n", all.Rules)
	unmeasured := func(g *group) bool { return len(all.Sums[g.name]) == 0 }
	if !slices.ContainsFunc(groups(), unmeasured) {
		text.WriteString(all.summary())
	}
	for _, g := range groups() {
		if !unmeasured(g) {
			text.WriteString(all.section(g))
		}
	}
	return text.String()
}

var measured = regexp.MustCompile(`(?s)<!-- begin measured -->\n.*?<!-- end measured -->`)

// within returns the page as it is, and the page with these tables.
func (all *ledger) within(t *testing.T) (text, want string) {
	t.Helper()
	read, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !measured.Match(read) {
		t.Fatalf("%s has no place for what was measured", page)
	}
	text = string(read)
	return text, measured.ReplaceAllLiteralString(text,
		"<!-- begin measured -->\n"+all.tables()+"<!-- end measured -->")
}

// TestMeasured checks that docs/measured/faults.md has the tables of the ledger. IPAFUZZ_UPDATE=1 writes them.
func TestMeasured(t *testing.T) {
	all := readLedger(t, ledgerFile)
	if os.Getenv("IPAFUZZ_UPDATE") != "" {
		all.store(t)
	}
	if text, want := all.within(t); text != want {
		t.Errorf("%s should have the tables\n%s", page, all.tables())
	}
	if all.Rules != rules(t) {
		t.Logf("the rules have changed since the tables were measured; make faults measures them anew")
	}
}

// TestWeights checks that groups count by how many libraries they have, and profiles of a group alike.
func TestWeights(t *testing.T) {
	t.Parallel()
	perfect := rows{"a": {Found: 10, One: 10, Faults: 10, Squares: 10, Experiments: 1, Seconds: 10, Alone: 10, Both: 10}}
	half := rows{"a": {Found: 100, One: 0, Faults: 200, Squares: 400, Experiments: 5, Seconds: 10, Alone: 10},
		"b": {Found: 10, One: 10, Faults: 10, Squares: 10, Alone: 10, Both: 10, Merged: 10},
		"c": {Found: 3, Alone: 3}} // too small
	none := rows{"a": {Found: 3, One: 3, Experiments: 1, Seconds: 10}}
	type part struct {
		of         rows
		ones, twos int
	}
	for i, row := range []struct {
		parts []part
		want  string // the means
	}{
		{[]part{{perfect, 1, 1}}, "1.000 1.000 0.100 0.000 0.000"},
		{[]part{{half, 5, 5}}, "0.500 1.500 0.500 1.000 0.500"},
		{[]part{{perfect, 1, 1}, {half, 1, 1}}, "0.750 1.250 0.300 0.500 0.250"},
		{[]part{{perfect, 3, 1}, {half, 1, 4}}, "0.875 1.125 0.200 0.800 0.400"},
		{[]part{{half, 1, 9}, {perfect, 9, 1}}, "0.950 1.050 0.140 0.900 0.450"},
	} {
		var e estimate
		for _, p := range row.parts {
			of := p.of.estimate()
			e.add(&of, p.ones, p.twos)
		}
		got := fmt.Sprintf("%.3f %.3f %.3f %.3f %.3f", e.one.mean(), e.faults.mean(), e.cost.mean(), e.merged.mean(),
			e.unreported.mean())
		if got != row.want {
			t.Errorf("row %d: %s, want %s", i, got, row.want)
		}
	}
	// The error of a group that has a quarter of the libraries counts a quarter.
	small, large := half.estimate(), perfect.estimate()
	large.one.variance = 0
	alone := small.one.half()
	var e estimate
	e.add(&large, 9, 1)
	e.add(&small, 3, 1)
	if got := e.one.half(); fmt.Sprintf("%.6f", got) != fmt.Sprintf("%.6f", alone/4) {
		t.Errorf("half of the interval is %f, want %f", got, alone/4)
	}
	unknown := none.estimate()
	e.add(&unknown, 1, 1)
	if got := e.one.percent() + e.faults.number() + e.merged.percent(); got != "" || !e.cost.known() {
		t.Errorf("without an estimate of one group, those of all are %q", got)
	}
}
