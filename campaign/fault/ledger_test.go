package fault_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
)

// sums adds up measurements.
type sums struct {
	Runs, Found, One     int     // one defect: campaigns, those with findings, those with one fault
	OneBlock             int     `json:",omitempty"` // those that show one block, perhaps with faults that may be the same
	Faults, Squares      int     // faults of these campaigns; the sum of the squares of their numbers
	Experiments, Seconds float64 // of these campaigns, for both workers
	Late                 int     // of these campaigns, a limit on time may have stopped experiments

	Pairs, Alone, Both, Merged int // pairs of defects: each alone is found, both are reported, both are one fault
	Nested                     int `json:",omitempty"` // of the pairs, both have findings in one block
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
func (u *sums) oneBlock() share   { return share{u.OneBlock, u.Found} }
func (u *sums) merged() share     { return share{u.Merged, u.Both} }
func (u *sums) unreported() share { return share{u.Alone - u.Both, u.Alone} }

// mean returns the mean number of faults of campaigns with findings, and its variance; false if there are too
// few.
func (u *sums) mean() (mean, variance float64, known bool) {
	n := float64(u.Found)
	mean = float64(u.Faults) / n
	return mean, max(0, float64(u.Squares)-n*mean*mean) / (n - 1) / n, u.Found >= leastSample
}

// cost returns the share of the time that experiments took, in percent.
func (u *sums) cost() string {
	if u.Seconds == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*u.Experiments/u.Seconds)
}

// rows has the sums of the profiles of a group.
type rows map[string]*sums

// total adds up the sums of all profiles.
func (of rows) total() (total sums) {
	for _, u := range of {
		total.add(u)
	}
	return total
}

// A ledger adds up what was measured with one version of the rules, for each group and each profile. The libraries of
// a profile have a fixed random order, so that those measured so far are a random sample of all.
type ledger struct {
	Rules  string
	Sums   map[string]rows // by the short names of groups
	Before *ledger         `json:",omitempty"` // of the rules before these
}

// row returns the sums of a profile. The ledger has no row before its first sums.
func (all *ledger) row(g *group, profile string) *sums {
	if all.Sums[g.name] == nil {
		all.Sums[g.name] = make(rows)
	}
	if all.Sums[g.name][profile] == nil {
		all.Sums[g.name][profile] = new(sums)
	}
	return all.Sums[g.name][profile]
}

// took returns the time that a profile has had.
func (all *ledger) took(g *group, profile string) float64 {
	if u := all.Sums[g.name][profile]; u != nil {
		return u.Took
	}
	return 0
}

// join takes over the rows that the other ledger has more samples of. Since the order of libraries is fixed, the larger
// sample has those of the smaller one.
func (all *ledger) join(other *ledger) {
	for _, g := range groups() {
		for profile, theirs := range other.Sums[g.name] {
			if ours := all.row(g, profile); theirs.Runs+theirs.Pairs > ours.Runs+ours.Pairs {
				*ours = *theirs
			}
		}
	}
}

const ledgerFile = "testdata/measured.json"

func readLedger(t *testing.T, file string) (all ledger) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// currentLedger returns the ledger of these rules. It is empty if what was measured is older.
func currentLedger(t *testing.T) ledger {
	t.Helper()
	all, now := readLedger(t, ledgerFile), rules(t)
	if all.Rules == now {
		return all
	}
	before := all
	before.Before = nil
	return ledger{Rules: now, Sums: make(map[string]rows), Before: &before}
}

// store writes the ledger and the page.
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

// TestJoinRows checks which rows of another ledger are taken over.
func TestJoinRows(t *testing.T) {
	t.Parallel()
	all := &ledger{Sums: map[string]rows{"qbf": {"tiny": {Runs: 3, Pairs: 2}, "app": {Runs: 1, One: 1}}}}
	all.join(&ledger{Sums: map[string]rows{"qbf": {"tiny": {Runs: 2, Pairs: 2}, "app": {Runs: 1, Pairs: 1}},
		"ipasir2": {"tiny": {Runs: 1}}}})
	for _, row := range []struct {
		group, profile string
		want           sums
	}{
		{"qbf", "tiny", sums{Runs: 3, Pairs: 2}},
		{"qbf", "app", sums{Runs: 1, Pairs: 1}},
		{"ipasir2", "tiny", sums{Runs: 1}},
	} {
		if got := all.Sums[row.group][row.profile]; got == nil || *got != row.want {
			t.Errorf("%s, %s: %+v, want %+v", row.group, row.profile, got, row.want)
		}
	}
}
