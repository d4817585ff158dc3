package fault_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/gen"
)

// next returns the group that has had the least time, and its profile that has.
func (all *ledger) next(chosen []*group) (g *group, profile string) {
	least := func(g *group) func(a, b gen.ProfileInfo) int {
		return func(a, b gen.ProfileInfo) int { return cmp.Compare(all.took(g, a.Name), all.took(g, b.Name)) }
	}
	took := func(g *group) (sum float64) {
		for _, p := range g.profiles {
			sum += all.took(g, p.Name)
		}
		return sum
	}
	g = slices.MinFunc(chosen, func(a, b *group) int { return cmp.Compare(took(a), took(b)) })
	return g, slices.MinFunc(g.profiles, least(g)).Name
}

// measureNext measures the next library of a profile, with one defect and with two in turn. It returns false if there
// is none left.
func (all *ledger) measureNext(t *testing.T, g *group, profile string) bool {
	t.Helper()
	u, begun := all.row(g, profile), time.Now()
	ones, twos := g.population(profile)
	switch {
	case u.Pairs < len(twos) && (u.Pairs < u.Runs || u.Runs == len(ones)):
		u.measureTwo(t, twos[u.Pairs])
	case u.Runs < len(ones):
		u.measureOne(t, ones[u.Runs], make(tally))
	default:
		return false
	}
	u.Took += time.Since(begun).Seconds()
	return true
}

// TestMeasure measures libraries for IPAFUZZ_MINUTES and adds them to the ledger. IPAFUZZ_GROUPS lists groups
// (propositional, ipasir2, qbf) and IPAFUZZ_PROFILES profiles; otherwise all are measured. All groups get the same
// time, and in a group all profiles do. Samples stay in build/faults, where TestRegroup finds them, to group them
// again. Processes in several work trees can measure at once, each with other groups or profiles: TestJoin joins their
// ledgers.
func TestMeasure(t *testing.T) {
	minutes := setting("IPAFUZZ_MINUTES", 0)
	if minutes == 0 {
		t.Skip("make faults runs it: hours")
	}
	all, chosen := currentLedger(t), chosenGroups(t)
	folder, err := filepath.Abs("../../build/faults/" + all.Rules)
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("IPAFUZZ_SAMPLES", folder)
	for end := time.Now().Add(time.Duration(minutes) * time.Minute); len(chosen) > 0 && time.Now().Before(end); {
		g, profile := all.next(chosen)
		if all.measureNext(t, g, profile) {
			all.store(t)
			continue
		}
		g.profiles = slices.DeleteFunc(g.profiles, func(p gen.ProfileInfo) bool { return p.Name == profile })
		chosen = slices.DeleteFunc(chosen, func(g *group) bool { return len(g.profiles) == 0 })
	}
	all.log(t)
}

// log prints what was measured of each group.
func (all *ledger) log(t *testing.T) {
	t.Helper()
	for _, g := range groups() {
		if total := all.Sums[g.name].total(); total.Runs+total.Pairs > 0 {
			t.Logf("%s: %d runs, %d pairs; one fault: %v, time for experiments: %s; of two defects merged: %v, one not "+
				"reported: %v, hidden: %d", g.name, total.Runs, total.Pairs, total.one(), total.cost(), total.merged(),
				total.unreported(), total.Hidden)
		}
	}
}

// TestJoin adds the ledgers of other processes, whose files IPAFUZZ_JOIN lists with absolute paths, and stores ledger
// and page:
//
//	IPAFUZZ_JOIN="/a/campaign/fault/testdata/measured.json /b/campaign/fault/testdata/measured.json" \
//	go test -count 1 -v -run 'TestJoin$' ./campaign/fault
func TestJoin(t *testing.T) {
	files := strings.Fields(os.Getenv("IPAFUZZ_JOIN"))
	if len(files) == 0 {
		t.Skip("IPAFUZZ_JOIN lists no ledgers")
	}
	all := currentLedger(t)
	for _, file := range files {
		other := readLedger(t, file)
		if other.Rules != all.Rules {
			t.Fatalf("%s: rules %s, want %s", file, other.Rules, all.Rules)
		}
		all.join(&other)
	}
	all.store(t)
	all.log(t)
}

// TestEqualTime checks that groups get the same time, and the profiles of a group, whatever one measurement takes.
func TestEqualTime(t *testing.T) {
	t.Parallel()
	all := &ledger{Sums: make(map[string]rows)}
	a, b := &group{name: "a"}, &group{name: "b"}
	for i, name := range []string{"x", "y", "z"} {
		if b.profiles = append(b.profiles, gen.ProfileInfo{Name: name}); i > 0 {
			a.profiles = append(a.profiles, gen.ProfileInfo{Name: name})
		}
	}
	takes := map[string]float64{"x": 1, "y": 2, "z": 3}
	for range 600 {
		g, profile := all.next([]*group{a, b})
		all.row(g, profile).Took += takes[profile]
	}
	share := func(g *group) (sum, least, most float64) {
		for i, p := range g.profiles {
			took := all.took(g, p.Name)
			sum, most = sum+took, max(most, took)
			if i == 0 || took < least {
				least = took
			}
		}
		return sum, least, most
	}
	ofA, leastA, mostA := share(a)
	ofB, leastB, mostB := share(b)
	if max(ofA-ofB, ofB-ofA, mostA-leastA, mostB-leastB) > 3 || leastA <= leastB {
		t.Errorf("%f for one group (%f to %f), %f for the other (%f to %f)", ofA, leastA, mostA, ofB, leastB, mostB)
	}
}
