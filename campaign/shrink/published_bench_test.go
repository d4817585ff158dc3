package shrink

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// publishedDir has WCNF files, and how many runs the published delta debugger for such files needed and
// what it left (see the README there).
const publishedDir = "testdata/published"

// The lists of cases. The rules for ending a pass were chosen on the first one. The second was made
// afterwards, to see whether they hold for other files and defects, and the third after changes had been
// measured on the second. Later rules were chosen on all three; the fourth was made after that.
const (
	chosenOn = "cases.tsv"
	others   = "others.tsv"
	fresh    = "fresh.tsv"
	unseen   = "unseen.tsv"
)

// falsified lists cases in which the published program kept values that falsify a hard clause. Given the
// choice, minimize keeps the wrong objective of the same solve, another failure.
var falsified = []string{"pt35.wcnf ref:defect=lost-watch", "fresh/ps9102.wcnf ref:defect=lost-watch"}

// A publishedCase is a file, a target that fails on it, the runs of the published program
// and the size of its result.
type publishedCase struct {
	file, target string
	clauses      int // of the file
	runs         int
	left         wcnfSize
}

// A wcnfSize measures the WCNF file of a trace.
type wcnfSize struct{ clauses, literals, variables, digits int }

func (s wcnfSize) total() int { return s.clauses + s.literals + s.variables + s.digits }

func (s wcnfSize) String() string {
	return fmt.Sprintf("%d (%d %d %d %d)", s.total(), s.clauses, s.literals, s.variables, s.digits)
}

func wcnfSizeOf(t *trace.Trace) (s wcnfSize) {
	vars := make(map[int32]bool)
	add := func(lits ...int32) {
		s.clauses++
		s.literals += len(lits)
		for _, lit := range lits {
			vars[trace.Var(lit)] = true
		}
	}
	formulas := format.Solves(t)
	last := formulas[len(formulas)-1]
	for clause := range last.Hard {
		add(clause...)
	}
	for _, soft := range last.Softs {
		add(soft.Lit)
		s.digits += len(strconv.FormatUint(soft.Weight, 10))
	}
	s.variables = len(vars)
	return s
}

// publishedRows returns the rows of a table in publishedDir, without its head.
func publishedRows(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(publishedDir, name))
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

func publishedCases(t testing.TB, list string) []publishedCase {
	t.Helper()
	var cases []publishedCase
	for _, row := range publishedRows(t, list) {
		var n []int
		for _, field := range row[2:] {
			number, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			n = append(n, number)
		}
		cases = append(cases, publishedCase{row[0], row[1], n[0], n[1], wcnfSize{n[2], n[3], n[4], n[5]}})
	}
	return cases
}

// reducer returns a reducer and the trace of the text, or false if the adapter of Z3 is not built.
func (c *publishedCase) reducer(t testing.TB, text string) (*Reducer, *trace.Trace, bool) {
	t.Helper()
	library, option := c.library()
	spec := library + ":" + option
	if library == builtIn {
		spec = c.target
	} else if _, err := os.Stat(library); err != nil {
		return nil, nil, false
	}
	given, err := format.Read(strings.NewReader(text), strings.TrimSuffix(c.file, ".gz"), "", trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := reducerFor(t, spec, "ipamir")
	m.Workers, m.Seed = 1, 1
	if slices.Contains(falsified, c.file+" "+c.target) {
		m.Key = oracle.Key{Target: m.Target.Name, Class: oracle.ModelFalsifies, Detail: "hard clause"}
	}
	return m, given, true
}

// The libraries of the targets.
const (
	builtIn = "../../build/libipafuzzref.so"
	adapted = "../../build/adapters/z3.so"
)

// library returns the library of the target, and the option that is set in it.
func (c *publishedCase) library() (path, option string) {
	if option, isZ3 := strings.CutPrefix(c.target, "z3:"); isZ3 {
		return adapted, option
	}
	return builtIn, strings.TrimPrefix(c.target, "ref:")
}

// text returns the file. Its clauses are in the order of the file for number 0, and in a random one for
// others.
func (c *publishedCase) text(t testing.TB, number int) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(publishedDir, c.file))
	if err == nil && strings.HasSuffix(c.file, ".gz") {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if number == 0 {
		return string(data)
	}
	lines := strings.SplitAfter(strings.TrimRight(string(data), "\n")+"\n", "\n")
	var clauses []int
	for i, line := range lines {
		if line != "" && !strings.ContainsAny(line[:1], "cp\n") {
			clauses = append(clauses, i)
		}
	}
	rng := rand.New(rand.NewPCG(uint64(number), 0))
	rng.Shuffle(len(clauses), func(i, j int) {
		a, b := clauses[i], clauses[j]
		lines[a], lines[b] = lines[b], lines[a]
	})
	return strings.Join(lines, "")
}

// BenchmarkReductionPublished reduces the files that the published delta debugger for WCNF
// files reduced, and compares the tests and the sizes of the results with that program's. In the end it
// prints the files for which the program needed fewer tests or left less.
func BenchmarkReductionPublished(b *testing.B) {
	var behind []string
	b.Run("chosen-on", func(b *testing.B) { behind = append(behind, comparePublished(b, chosenOn)...) })
	b.Run("others", func(b *testing.B) { behind = append(behind, comparePublished(b, others)...) })
	b.Run("fresh", func(b *testing.B) { behind = append(behind, comparePublished(b, fresh)...) })
	b.Run("unseen", func(b *testing.B) { behind = append(behind, comparePublished(b, unseen)...) })
	fmt.Printf("\n%s\n", publishedTable("THE PROGRAM DID BETTER", publishedHead, behind))
}

// publishedHead names the columns of comparePublished behind the first one.
const publishedHead = "TARGET\tCLAUSES\tRUNS OF THE PROGRAM\tTESTS\tRATIO\tLEFT BY THE PROGRAM\tLEFT"

// publishedTable returns a table whose head is the title and the names of the other columns.
func publishedTable(title, head string, rows []string) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, title+"\t"+head)
	for _, row := range rows {
		fmt.Fprintln(table, row)
	}
	table.Flush()
	return text.String()
}

// comparePublished compares the cases of a list. It returns the rows of those for which the program did
// better.
func comparePublished(b *testing.B, list string) (behind []string) {
	for b.Loop() {
		var rows []string
		behind = nil
		var ratios []float64
		theirs, ours, larger, smaller, more := 0, 0, 0, 0, 0
		for _, c := range publishedCases(b, list) {
			m, given, ok := c.reducer(b, c.text(b, 0))
			if !ok {
				continue
			}
			result, err := m.Reduce(context.Background(), given)
			if err != nil {
				b.Fatalf("%s on %s: %v", c.file, c.target, err)
			}
			left := wcnfSizeOf(result.Trace)
			ratio := float64(result.Stats.Tests) / float64(c.runs)
			ratios = append(ratios, ratio)
			theirs, ours = theirs+c.left.total(), ours+left.total()
			switch {
			case left.total() > c.left.total():
				larger++
			case left.total() < c.left.total():
				smaller++
			}
			if ratio > 1 {
				more++
			}
			row := fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%.2f\t%s\t%s", c.file, c.target, c.clauses, c.runs,
				result.Stats.Tests, ratio, c.left, left)
			rows = append(rows, row)
			if ratio > 1 || left.total() > c.left.total() {
				behind = append(behind, row)
			}
		}
		logs := 0.0
		for _, ratio := range ratios {
			logs += math.Log(ratio)
		}
		n := float64(len(ratios))
		fmt.Printf("\n%s\n", publishedTable("FILE", publishedHead, rows))
		b.ReportMetric(n, "cases")
		b.ReportMetric(math.Exp(logs/n), "tests/run-mean")
		b.ReportMetric(slices.Max(ratios), "tests/run-worst")
		b.ReportMetric(float64(more), "more-tests")
		b.ReportMetric(float64(ours)/n, "size")
		b.ReportMetric(float64(theirs)/n, "size-of-the-program")
		b.ReportMetric(float64(smaller), "smaller")
		b.ReportMetric(float64(larger), "larger")
	}
	b.ReportMetric(0, "ns/op")
	return behind
}

// TestPublished checks that a published case ends in the same small trace for any number of
// workers.
func TestPublished(t *testing.T) {
	for _, c := range publishedCases(t, chosenOn) {
		if c.runs > 50 {
			continue
		}
		m, given, ok := c.reducer(t, c.text(t, 0))
		if !ok {
			continue
		}
		var calls []string
		for _, workers := range []int{1, 3} {
			m.Workers = workers
			result, err := m.Reduce(context.Background(), given)
			if err != nil {
				t.Fatalf("%s on %s: %v", c.file, c.target, err)
			}
			if left := wcnfSizeOf(result.Trace); left.total() > c.left.total() || 2*result.Stats.Tests > 3*c.runs ||
				!result.Minimal {
				t.Errorf("%s on %s: %d tests leave %s, the published program %s after %d", c.file, c.target,
					result.Stats.Tests, left, c.left, c.runs)
			}
			calls = append(calls, testtrace.Calls(result.Trace))
		}
		if calls[0] != calls[1] {
			t.Errorf("%s on %s: one worker ends with\n%s\nthree with\n%s", c.file, c.target, calls[0], calls[1])
		}
	}
}
