package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// aRun returns the directory of a short campaign with findings of two targets.
var aRun = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ipafuzz-report-")
	if err != nil {
		return "", err
	}
	config := campaign.Config{Seed: 3, Way: replay.Persistent, Limits: replay.DefaultLimits, Traces: 300, Workers: 1,
		Others: true, Out: dir, Program: "ipafuzz", Factor: 1e9}
	target, err := targets.Resolve("ref:defect=redeclare-adds", "ipamir", nil)
	if err != nil {
		return dir, err
	}
	config.Cells = source.Cells([]*replay.Target{target}, gen.Config{Profile: "tiny"})
	other, err := targets.Resolve("ref:defect=empty-clause-exits", "ipamir", nil)
	if err != nil {
		return dir, err
	}
	config.Against = []*replay.Target{other}
	c, err := campaign.New(config)
	if err != nil {
		return dir, err
	}
	_, err = c.Run(context.Background())
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := aRun(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func read(t *testing.T, dirs ...string) *Data {
	t.Helper()
	if len(dirs) == 0 {
		dir, err := aRun()
		if err != nil {
			t.Fatal(err)
		}
		dirs = []string{dir}
	}
	d, err := Read(dirs)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Notes) > 0 {
		t.Fatalf("not read: %q", d.Notes)
	}
	return d
}

func table(t *testing.T, d *Data, name string) *Table {
	t.Helper()
	for _, made := range d.Tables() {
		if made.Name == name {
			return made
		}
	}
	t.Fatalf("there is no table %s", name)
	return nil
}

func TestTables(t *testing.T) {
	t.Parallel()
	d := read(t)
	if len(d.Findings) < 5 {
		t.Fatalf("the run has %d findings: too few to test anything", len(d.Findings))
	}
	total := 0
	for _, row := range table(t, d, "matrix").Rows {
		cells := 0
		for _, cell := range row[1 : len(row)-1] {
			cells += len(strings.Fields(cell))
		}
		if fmt.Sprint(cells) != row[len(row)-1] {
			t.Errorf("row %q has %d findings", row, cells)
		}
		total += cells
	}
	if total != len(d.Findings) {
		t.Errorf("the matrix has %d findings of %d", total, len(d.Findings))
	}
	if rows := table(t, d, "findings").Rows; len(rows) != len(d.Findings) {
		t.Errorf("the list has %d findings of %d", len(rows), len(d.Findings))
	}
	seen := make(map[string]bool)
	for _, row := range table(t, d, "over-time").Rows {
		seen[row[1]] = true
	}
	if len(seen) != len(d.Findings) {
		t.Errorf("%d findings over time, of %d", len(seen), len(d.Findings))
	}
	if row := table(t, d, "generators").Rows[0]; row[0] != "tiny/1" || row[1] != "300" {
		t.Errorf("generators: %q", row)
	}
	if row := table(t, d, "kinds").Rows[0]; row[1] != "all" || row[4] != "300" || row[5] != "100.0 %" {
		t.Errorf("kinds: %q", row)
	}
	for _, row := range table(t, d, "usage").Rows {
		if row[1] != "300" {
			t.Errorf("usage: %q", row)
		}
	}
	for _, f := range d.Findings {
		if f.Minimal.Calls > f.Original.Calls || f.Minimal.Calls == 0 || f.Log == "" || f.Hits == 0 {
			t.Errorf("%s: %+v %+v, %d hits", f.Key, f.Original, f.Minimal, f.Hits)
		}
	}
}

// TestSeveralRuns checks that findings of two runs are joined by key, and profiles are not.
func TestSeveralRuns(t *testing.T) {
	t.Parallel()
	dir, err := aRun()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	gone, err := filepath.Glob(filepath.Join(copied, "findings", "*1.6_*"))
	if err != nil || len(gone) != 1 {
		t.Fatalf("%v %v", gone, err)
	}
	if err := os.RemoveAll(gone[0]); err != nil {
		t.Fatal(err)
	}
	one, d := read(t), read(t, dir, copied)
	if len(d.Findings) != len(one.Findings) {
		t.Errorf("%d findings, in one run %d", len(d.Findings), len(one.Findings))
	}
	misses := table(t, d, "misses")
	full, less := filepath.Base(dir)+" tiny/1", "copy tiny/1"
	got := make(map[string]string)
	for _, row := range misses.Rows {
		for i, column := range misses.Columns {
			got[row[0]+">"+column] = row[i]
		}
	}
	if got[full+">"+less] != "1" || got[less+">"+full] != "0" || got[full+">Found by it alone"] != "1" {
		t.Errorf("misses: %q", misses.Rows)
	}
	lines := make(map[string]int)
	for _, s := range d.discovery() {
		lines[s.Name] = len(s.Points)
	}
	if lines["virtual best"] != lines[full] || lines[less] != lines[full]-1 {
		t.Errorf("lines: %v", lines)
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	tables := []*Table{{Name: "odd", Title: "50 % <odd>", text: 1, Columns: []string{"a_b", "n"},
		Rows: [][]string{{"x|y, \"z\" & {c}\n#", "1"}}}}
	want := map[string]string{
		"markdown": "## 50 % &lt;odd>\n\n| a\\_b | n |\n|---|--:|\n| x\\|y, \"z\" & {c} # | 1 |\n",
		"csv":      "a_b,n\n\"x|y, \"\"z\"\" & {c}\n#\",1\n",
		"latex": "\\begin{table}\n\\centering\n\\caption{50 \\% \\textless{}odd\\textgreater{}}\\label{tab:odd}\n" +
			"\\begin{tabular}{lr}\n\\hline\na\\_b & n \\\\\n\\hline\n" +
			"x|y, \"z\" \\& \\{c\\} \\# & 1 \\\\\n\\hline\n\\end{tabular}\n\\end{table}\n",
	}
	for _, format := range Formats {
		var out bytes.Buffer
		if err := Write(&out, tables, format); err != nil {
			t.Fatal(err)
		}
		if format != "json" && out.String() != want[format] {
			t.Errorf("%s:\n%s\nwant\n%s", format, out.String(), want[format])
		}
	}
	var out bytes.Buffer
	if err := Write(&out, tables, "json"); err != nil {
		t.Fatal(err)
	}
	var back []Table
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back) != 1 ||
		back[0].Rows[0][0] != tables[0].Rows[0][0] {
		t.Errorf("json: %v\n%s", err, out.String())
	}
	for _, made := range read(t).Tables() {
		var out bytes.Buffer
		if err := Write(&out, []*Table{made}, "csv"); err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(&out).ReadAll(); err != nil || len(rows) != len(made.Rows)+1 {
			t.Errorf("%s as CSV: %d rows of %d, %v", made.Name, len(rows), len(made.Rows)+1, err)
		}
	}
	if err := Write(&out, tables, "xls"); err == nil {
		t.Error("xls is a format")
	}
}

// TestHitsOfVarieties checks that the hits of a second finding with one key do not count twice.
func TestHitsOfVarieties(t *testing.T) {
	t.Parallel()
	dir, err := aRun()
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	first := slices.MaxFunc(read(t).Findings, func(a, b *Finding) int { return cmp.Compare(a.Hits, b.Hits) })
	second := filepath.Join(copied, "findings", first.ID+"_other")
	if err := os.CopyFS(second, os.DirFS(filepath.Join(copied, "findings", first.ID))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(second, "finding.json")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(text, []byte("{"), []byte(`{ "variety": "other", "hits": 2,`), 1), 0o644)
	}
	if err != nil || first.Hits < 4 {
		t.Fatalf("%v, %d hits", err, first.Hits)
	}
	sum := uint64(0)
	for _, f := range read(t, copied).Findings {
		if f.Key == first.Key {
			sum += f.Hits
		}
	}
	if sum != first.Hits {
		t.Errorf("two findings have %d hits, want the %d of the key", sum, first.Hits)
	}
}

func TestSeveralTargets(t *testing.T) {
	t.Parallel()
	var both []*replay.Target
	for _, spec := range []string{"ref:defect=lost-watch", "ref"} {
		target, err := targets.Resolve(spec, "ipasir", nil)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, target)
	}
	dir := t.TempDir()
	c, err := campaign.New(campaign.Config{Cells: source.Cells(both, gen.Config{Profile: "tiny"},
		gen.Config{Profile: "small"}), Seed: 1, Way: replay.Persistent,
		Limits: replay.DefaultLimits, Traces: 400, Fair: true, Workers: 1, Out: dir, Program: "ipafuzz"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	d, err := Read([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	cells := d.cells()
	// The failure that is confirmed first decides which of the two cells of lost-watch has the finding.
	if len(cells.Rows) != 4 || cells.Rows[0][1] != "ref:defect=lost-watch" || cells.Rows[3][2] != "small" ||
		cells.Rows[1][4] != "100" || cells.Rows[0][8] == "0" && cells.Rows[1][8] == "0" || cells.Rows[3][8] != "0" {
		t.Errorf("cells: %v", cells.Rows)
	}
	if fuzzed := d.runs().Rows[0][1]; fuzzed != "ref:defect=lost-watch, ref" {
		t.Errorf("fuzzed: %s", fuzzed)
	}
	if rows := d.matrix().Rows; len(rows) < 2 || rows[0][0] != "ref:defect=lost-watch" || rows[1][0] != "ref" {
		t.Errorf("matrix: %v", rows)
	}
	if use := d.usage().Rows; len(use) != 2 {
		t.Errorf("usage: %v", use)
	}
}

// TestFaults checks that the page leads with the faults, and that they have all findings.
func TestFaults(t *testing.T) {
	t.Parallel()
	dir, err := aRun()
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, dir)
	findings := 0
	var groups []fault.Fault
	for _, f := range d.Faults {
		groups = append(groups, f.Fault)
	}
	labels := fault.Labels(groups)
	for i, f := range d.Faults {
		findings += len(f.Findings)
		if f.Number != labels[i] || len(f.Findings) != len(f.Fault.Findings) || f.Findings[0].Group != f {
			t.Errorf("fault %d is %+v", i+1, f)
		}
	}
	if len(d.Faults) < 2 || len(d.Faults) >= len(d.Findings) || findings != len(d.Findings) {
		t.Errorf("%d faults of %d findings, of which the run has %d", len(d.Faults), findings, len(d.Findings))
	}
	if rows := table(t, d, "faults").Rows; len(rows) != len(d.Faults) || rows[0][1] != d.Faults[0].Headline() ||
		rows[0][2] != d.Faults[0].Name {
		t.Errorf("the table of faults is %q", rows)
	}
	page := pageOf(t, d)
	if n := strings.Count(page, `<article class="fault-entry"`); n != len(d.Faults) {
		t.Errorf("the page has %d faults of %d", n, len(d.Faults))
	}
	list, _, _ := strings.Cut(page, `<article class="fault-entry"`)
	for _, f := range d.Faults { // those under another one stand with it
		link := fmt.Sprintf(`<a href="#%s">`, f.anchor())
		if strings.Contains(list, link) != (f.Under == "") {
			t.Errorf("the list before the first fault has %s: %v", link, f.Under != "")
		}
	}
	last := 0
	for _, part := range []string{`<section id="faults">`, `needs the same soft literal`, `<span class="wrong">`,
		`<button type="button" class="copy">`, `<section id="all-findings">`, `<section id="runs">`} {
		at := strings.Index(page[last:], part)
		if at < 0 {
			t.Fatalf("the page has no %s behind what precedes it", part)
		}
		last += at
	}
	for _, f := range d.Findings {
		f.Undecided = f == d.Findings[0]
	}
	const open = "no time to determine the cause of 1 finding"
	if !strings.Contains(pageOf(t, d), open) || !strings.Contains(table(t, d, "faults").Note, open) {
		t.Error("the report does not say that a cause is open")
	}
}

// TestUnder: a fault that is possibly the same as another stands in it on the page, and behind it in the table.
func TestUnder(t *testing.T) {
	t.Parallel()
	dir, err := aRun()
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, dir)
	if len(d.Faults) < 2 {
		t.Fatalf("the run has %d faults", len(d.Faults))
	}
	d.Faults = d.Faults[:2]
	first, second := d.Faults[0], d.Faults[1]
	first.Number, second.Number, second.Under = "1", "1a", first.Name
	pages := d.pageFaults()
	if len(pages) != 1 || len(pages[0].Nested) != 1 || pages[0].Nested[0].Fault != second {
		t.Fatalf("the page has %d faults of their own", len(pages))
	}
	page := pageOf(t, d)
	_, inside, _ := strings.Cut(page, `<summary>Possibly the same: 1 more</summary>`)
	if at := strings.Index(inside, `<article class="fault-entry" id="fault-1a">`); at < 0 ||
		at > strings.Index(inside, `<section`) {
		t.Error("the page does not nest fault 1a")
	}
	rows := table(t, d, "faults").Rows
	if rows[0][0] != "1" || rows[1][0] != "1a" {
		t.Errorf("the rows are %q", rows)
	}
}

// TestUnreadableFindings checks that the report says which findings are in no fault because a file cannot be read, once
// for each.
func TestUnreadableFindings(t *testing.T) {
	t.Parallel()
	run, err := aRun()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	experiments, err := filepath.Glob(filepath.Join(dir, "findings", "*", "experiments"))
	if err != nil || len(experiments) < 2 {
		t.Fatalf("%v, %q", err, experiments)
	}
	missing := []string{experiments[0], filepath.Join(filepath.Dir(experiments[1]), "minimal.trace")}
	for _, path := range missing {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Read([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(d.Notes, "\n"); len(d.Notes) != 2 || !strings.Contains(notes, missing[0]) ||
		!strings.Contains(notes, missing[1]) {
		t.Errorf("%q are missing, and it says %q", missing, d.Notes)
	}
}

// TestManyTargets checks that the names of many targets leave room for the faults.
func TestManyTargets(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		targets []string
		want    string
	}{
		{[]string{"a", "b", "c", "d"}, "a, b, c, d"},
		{[]string{"a", "b", "c", "d", "e"}, "a, b, c and 2 more targets"},
	} {
		if got := (&Data{Targets: row.targets}).named(); got != row.want {
			t.Errorf("%q are named %q, want %q", row.targets, got, row.want)
		}
	}
}

// TestSizeOf checks that soft literals and soft clauses count alike.
func TestSizeOf(t *testing.T) {
	for text, want := range map[string]Size{
		"ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 5\nsoft 2 7\nsolve\n": {Calls: 4, Hard: 1, Soft: 2, Literals: 4, Vars: 2,
			Weights: 12},
		"ipafuzz 1 wcnf\nhard 1 2 0\nsoft 5 1 3 0\nsoft 7 0\nsolve\n": {Calls: 4, Hard: 1, Soft: 2, Literals: 4, Vars: 3,
			Weights: 12},
	} {
		parsed, err := trace.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		if want.Bytes = len(text); sizeOf(parsed) != want {
			t.Errorf("%+v, want %+v:\n%s", sizeOf(parsed), want, text)
		}
	}
}

// TestSizesOfReductions checks that findings count as reduced only if their original fails by itself.
func TestSizesOfReductions(t *testing.T) {
	finding := func(history int, metIn oracle.Key) *Finding {
		f := &Finding{Original: Size{Bytes: 40, Calls: 4}, Minimal: Size{Bytes: 10, Calls: 1}}
		f.History, f.MetIn = history, metIn
		return f
	}
	d := Data{Findings: []*Finding{finding(0, oracle.Key{}), finding(3, oracle.Key{}),
		finding(0, oracle.Key{Detail: "x"})}}
	if got := d.reduced(); len(got) != 1 || got[0] != d.Findings[0] {
		t.Errorf("%d findings count as reduced", len(got))
	}
}
