package fault_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
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

// sums adds up measurements.
type sums struct {
	Runs, Found, One     int     // one defect: campaigns, those with findings, those with one fault
	Faults, Squares      int     // faults of these campaigns; the sum of the squares of their numbers
	Experiments, Seconds float64 // of these campaigns, for both workers
	Late                 int     // of these campaigns, a limit on time may have stopped experiments

	Pairs, Alone, Both, Merged int // pairs of defects: each alone is found, both are reported, both are one fault
	Hidden                     int // of the pairs with one not reported: none of its own traces shows it beside the other

	Took float64 // seconds to measure all of this
}

// add adds up everything but what mean needs.
func (u *sums) add(v *sums) {
	u.Runs, u.Found, u.One, u.Late = u.Runs+v.Runs, u.Found+v.Found, u.One+v.One, u.Late+v.Late
	u.Experiments, u.Seconds = u.Experiments+v.Experiments, u.Seconds+v.Seconds
	u.Pairs, u.Alone, u.Both, u.Merged = u.Pairs+v.Pairs, u.Alone+v.Alone, u.Both+v.Both, u.Merged+v.Merged
	u.Hidden += v.Hidden
}

func (u *sums) one() share        { return share{u.One, u.Found} }
func (u *sums) merged() share     { return share{u.Merged, u.Both} }
func (u *sums) unreported() share { return share{u.Alone - u.Both, u.Alone} }

// mean returns the mean number of faults of campaigns with findings, and its variance; false if there are too
// few.
func (u *sums) mean() (mean, variance float64, known bool) {
	n := float64(u.Found)
	mean = float64(u.Faults) / n
	return mean, max(0, float64(u.Squares)-n*mean*mean) / (n - 1) / n, u.Found >= leastSample
}

func (u *sums) cost() string {
	if u.Seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*u.Experiments/u.Seconds)
}

// A ledger adds up what was measured with one version of the rules, for each profile. The libraries of a profile
// have a fixed random order, so that those measured so far are a random sample of all. All profiles get the same
// time.
type ledger struct {
	Rules  string
	Sums   map[string]*sums
	Before *ledger `json:",omitempty"` // of the rules before these
}

// total adds up the sums of all profiles.
func (all *ledger) total() (total sums) {
	for _, u := range all.Sums {
		total.add(u)
	}
	return total
}

const (
	ledgerFile = "testdata/measured.json"
	page       = "../../docs/faults-measured.md"
)

// measuredSeeds are greater than those whose findings were used to choose the rules.
var measuredSeeds = []uint64{173, 174, 175, 176, 177, 178, 179, 180, 181, 182}

// population returns the libraries of a profile, with one and with two defects, in the order in which they are
// measured.
func population(profile string) (ones, twos []setup) {
	of := []string{profile}
	return shuffle(oneDefect(of, measuredSeeds...)), shuffle(twoDefects(of, measuredSeeds...))
}

// rules identifies what is measured: the sources, without comments, that decide which failures have one
// fault and which are examined, and the names of defects and profiles.
func rules(t *testing.T) string {
	t.Helper()
	sum := sha256.New()
	patterns := []string{"../cause/*.go", "../diagnose/*.go", "../registry/beside.go", "../registry/frequency.go"}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
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
	ones, _ := population("")
	fmt.Fprint(sum, ones)
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

// store writes the ledger and the table.
func (all *ledger) store(t *testing.T) {
	t.Helper()
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

const tableHead = "| profile | one defect | runs whose findings are one fault | faults in a run " +
	"| time for experiments | pairs | findings of both are one fault | one is not reported, though it is alone " +
	"| of these, the other hides it |\n" +
	"|---|--:|--:|--:|--:|--:|--:|--:|--:|\n"

// table returns the table of the measurements for docs/faults-measured.md. The last rows have the sums of the samples
// and the means of the profiles.
func (all *ledger) table() string {
	var text strings.Builder
	text.WriteString(tableHead)
	row := func(name string, u *sums, faults string) {
		fmt.Fprintf(&text, "| %s | %d | %v | %s | %s | %d | %v | %v | %d |\n", name, u.Runs, u.one(), faults, u.cost(),
			u.Pairs, u.merged(), u.unreported(), u.Hidden)
	}
	total := all.total()
	var one, merged, unreported, faults stratified
	for _, name := range slices.Sorted(maps.Keys(all.Sums)) {
		u := all.Sums[name]
		mean := ""
		if m, variance, known := u.mean(); known {
			faults.add(m, variance)
			mean = fmt.Sprintf("%.2f", m)
		}
		one.addShare(u.one())
		merged.addShare(u.merged())
		unreported.addShare(u.unreported())
		row(name, u, mean)
	}
	row("sum", &total, "")
	fmt.Fprintf(&text, "| mean | | %s | %.2f ± %.2f | | | %s | %s | |\n", one.percent(), faults.mean(), faults.half(),
		merged.percent(), unreported.percent())
	fmt.Fprintf(&text, "| goal | | 95 %% | 1.1 | 10 %% | 500 | 2 %% | 0 | |\n\n")
	ones, twos := population("")
	fmt.Fprintf(&text, "Version of the rules: %s. Each profile has %d runs with one defect and %d with a pair. In %d of "+
		"the %d runs\nwith one defect, experiments may have ended early because the machine was busy.\n", all.Rules,
		len(ones), len(twos), total.Late, total.Runs)
	if all.Before != nil {
		was := all.Before.total()
		fmt.Fprintf(&text, "\nThe rules before these (%s) were measured with other seeds:\n\n"+
			"- runs whose findings are one fault: %v,\n- pairs in which the findings of both are one fault: %v,\n"+
			"- pairs in which one is not reported, though it is alone: %v; in %d of these the other hides it.\n",
			all.Before.Rules, was.one(), was.merged(), was.unreported(), was.Hidden)
	}
	return text.String()
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

// TestMeasured checks that docs/faults-measured.md has the table of the ledger.
func TestMeasured(t *testing.T) {
	all := readLedger(t)
	if text, want := all.within(t); text != want {
		t.Errorf("%s should have the table\n%s", page, all.table())
	}
	if all.Rules != rules(t) {
		t.Logf("the rules have changed since the table was measured; make faults measures them anew")
	}
}

// TestMeasure measures libraries for IPAFUZZ_MINUTES, with one defect and with two in turn, and adds them to the
// ledger. IPAFUZZ_PROFILES lists the profiles; otherwise all get the same time. Samples stay in build/faults, where
// TestOneDefect finds them, to group them again.
func TestMeasure(t *testing.T) {
	minutes := setting("IPAFUZZ_MINUTES", 0)
	if minutes == 0 {
		t.Skip("make faults runs it: hours")
	}
	all, now := readLedger(t), rules(t)
	if all.Rules != now {
		before := all
		before.Before = nil
		all = ledger{Rules: now, Sums: make(map[string]*sums), Before: &before}
	}
	folder, err := filepath.Abs("../../build/faults/" + now)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("IPAFUZZ_SAMPLES", folder)
	names := strings.Fields(os.Getenv("IPAFUZZ_PROFILES"))
	for _, profile := range gen.Profiles() {
		if os.Getenv("IPAFUZZ_PROFILES") == "" {
			names = append(names, profile.Name)
		}
		if all.Sums[profile.Name] == nil {
			all.Sums[profile.Name] = new(sums)
		}
	}
	for end := time.Now().Add(time.Duration(minutes) * time.Minute); time.Now().Before(end); all.store(t) {
		profile := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(all.Sums[a].Took, all.Sums[b].Took) })
		u, begun := all.Sums[profile], time.Now()
		ones, twos := population(profile)
		if u.Pairs < u.Runs {
			u.measureTwo(t, twos[u.Pairs])
		} else {
			u.measureOne(t, ones[u.Runs], make(tally))
		}
		u.Took += time.Since(begun).Seconds()
	}
}
