package fault_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
)

// A unit is measured at once: every defect alone, and pairs of defects, with one profile and one seed.
type unit struct {
	Profile              string
	Seed                 uint64
	Runs, One, Faults    int     // one defect: campaigns with findings, campaigns with one fault, faults of all campaigns
	Experiments, Seconds float64 // of these campaigns, for both workers
	Alone, Both, Merged  int     // pairs: each alone is found, both are reported, both are one fault
}

func (u *unit) mean() float64 { return float64(u.Faults) / float64(max(u.Runs, 1)) }

// A ledger adds up the measurements with one version of the rules.
type ledger struct {
	Rules string
	Units []unit
}

const (
	ledgerFile = "testdata/measured.json"
	page       = "../../docs/faults.md"
	firstSeed  = 43 // findings of smaller seeds were used to choose the rules
	seeds      = 10
	pairs      = 50 // of a seed, with the profile tiny
)

// rules identifies the version of the rules: the sources, without comments, that decide which failures have
// one fault.
func rules(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	for _, folder := range []string{".", "../cause", "../diagnose"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			code, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err == nil {
				err = printer.Fprint(sum, token.NewFileSet(), code)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

func readLedger(t *testing.T) (all ledger) {
	t.Helper()
	text, err := os.ReadFile(ledgerFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// add stores a measurement and writes the table.
func (all *ledger) add(t *testing.T, u unit) {
	t.Helper()
	all.Units = append(all.Units, u)
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(ledgerFile, append(text, '\n')); err != nil {
		t.Fatal(err)
	}
	_, changed := all.within(t)
	if err := atomicfile.Write(page, []byte(changed)); err != nil {
		t.Fatal(err)
	}
}

// next returns the next unit to measure: all profiles of a seed before the next seed, and tiny first, which
// has the pairs.
func (all *ledger) next() (unit, bool) {
	names := []string{"tiny"}
	for _, profile := range gen.Profiles() {
		if profile.Name != names[0] {
			names = append(names, profile.Name)
		}
	}
	if os.Getenv("IPAFUZZ_PROFILES") != "" {
		names = profiles()
	}
	for seed := uint64(firstSeed); seed < firstSeed+seeds; seed++ {
		for _, name := range names {
			if !slices.ContainsFunc(all.Units, func(u unit) bool { return u.Profile == name && u.Seed == seed }) {
				return unit{Profile: name, Seed: seed}, true
			}
		}
	}
	return unit{}, false
}

const tableHead = "| profile | seeds | one defect: runs whose findings are one fault | faults in a run " +
	"| time for experiments | pairs: findings of both are one fault | one is not reported, though it is alone |\n" +
	"|---|--:|--:|--:|--:|--:|--:|\n"

// table returns the table of the measurements for docs/faults.md.
func (all *ledger) table() string {
	var text strings.Builder
	var order []string
	of := make(map[string][]unit)
	for _, u := range all.Units {
		if of[u.Profile] == nil {
			order = append(order, u.Profile)
		}
		of[u.Profile] = append(of[u.Profile], u)
	}
	slices.Sort(order)
	for _, name := range append(order, "all") {
		units := of[name]
		if name == "all" {
			units = all.Units
		}
		var sum unit
		for _, u := range units {
			sum.Runs, sum.One, sum.Faults = sum.Runs+u.Runs, sum.One+u.One, sum.Faults+u.Faults
			sum.Experiments, sum.Seconds = sum.Experiments+u.Experiments, sum.Seconds+u.Seconds
			sum.Alone, sum.Both, sum.Merged = sum.Alone+u.Alone, sum.Both+u.Both, sum.Merged+u.Merged
		}
		merged, unreported := "", ""
		if sum.Alone > 0 {
			merged, unreported = share(sum.Merged, sum.Both), share(sum.Alone-sum.Both, sum.Alone)
		}
		fmt.Fprintf(&text, "| %s | %d | %s | %.2f | %.1f %% | %s | %s |\n", name, len(units), share(sum.One, sum.Runs),
			sum.mean(), 100*sum.Experiments/max(sum.Seconds, 1), merged, unreported)
	}
	fmt.Fprintf(&text, "| goal | %d | 95 %% | 1.1 | 10 %% | 2 %% | 0 |\n\n", seeds)
	fmt.Fprintf(&text, "Version of the rules: %s. Measured: %d of %d pairs of profile and seed.\n", all.Rules,
		len(all.Units), seeds*len(gen.Profiles()))
	return tableHead + text.String()
}

var measured = regexp.MustCompile(`(?s)<!-- begin measured -->\n.*?<!-- end measured -->`)

// within returns the page as it is, and the page with this table.
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
	return text, measured.ReplaceAllLiteralString(text, "<!-- begin measured -->\n"+all.table()+"\n<!-- end measured -->")
}

// TestMeasured checks that docs/faults.md has the table of the ledger.
func TestMeasured(t *testing.T) {
	all := readLedger(t)
	if text, want := all.within(t); text != want {
		t.Errorf("%s should have the table\n%s", page, all.table())
	}
	if all.Rules != rules(t) {
		t.Logf("the rules have changed since the table was measured; make faults measures them anew")
	}
}

// TestMeasure measures units that have not been measured with these rules, for IPAFUZZ_MINUTES, and adds
// them to the ledger. Samples stay in build/faults, so that a later run continues an interrupted unit.
func TestMeasure(t *testing.T) {
	minutes := setting("IPAFUZZ_MINUTES", 0)
	if minutes == 0 {
		t.Skip("make faults runs it: hours")
	}
	all, now := readLedger(t), rules(t)
	if all.Rules != now {
		all = ledger{Rules: now}
	}
	folder, err := filepath.Abs("../../build/faults/" + now)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("IPAFUZZ_SAMPLES", folder)
	for end := time.Now().Add(time.Duration(minutes) * time.Minute); time.Now().Before(end); {
		u, more := all.next()
		if !more {
			break
		}
		u.oneDefect(t, 1)
		if u.Profile == "tiny" {
			u.twoDefects(t, pairs)
		}
		all.add(t, u)
	}
}
