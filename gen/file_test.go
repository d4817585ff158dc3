package gen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// seen are the features that one can see in a formula file.
var seen = feature.Visible | 1<<feature.HardenSoft

// checkFile returns an error unless the trace is legal, keeps the bounds, and shows the features that the generator
// reports.
func checkFile(g *Generator, tr *trace.Trace) error {
	if err := trace.Check(tr); err != nil {
		return err
	}
	in, b := measure.Inspect(tr), g.Bounds()
	told, found := g.used&seen, in.Found
	if b.MaxVars >= feature.LeastFar { // there, a large number need not come from a gap
		told &^= 1 << feature.Gaps
		found &^= 1 << feature.Gaps
	}
	if err := withinBounds(tr, in, b); err != nil {
		return err
	}
	if in.MaxWeight > math.MaxInt64 || in.MaxSum == math.MaxUint64 || tr.Solves() != 1 {
		return fmt.Errorf("no program takes this file: weights up to %d, sum %d", in.MaxWeight, in.MaxSum)
	}
	return sameFeatures(told, found)
}

// fileModels are the models of formula files.
var fileModels = []*apimodel.Model{apimodel.WCNF, apimodel.CNF}

// TestFiles: the traces of every profile and family are legal, keep the bounds, and have the features that the
// generator reports. The same seed makes the same trace.
func TestFiles(t *testing.T) {
	t.Parallel()
	var configs []Config
	for _, m := range fileModels {
		for _, p := range ProfilesOf(m) {
			configs = append(configs, Config{Model: m, Profile: p.Name})
		}
		for _, f := range family.Of(m) {
			configs = append(configs, Config{Model: m, Family: f.Name}, Config{Model: m, Family: f.Name, Profile: "small"})
		}
	}
	for _, c := range configs {
		g := newGenerator(t, c)
		n := affordable(g)
		if c.Family != "" {
			n = min(n, 200)
		}
		if c.Profile == DefaultProfile || c.Profile == family.Tiny || c.Profile == "weights" {
			n = 3_000
		}
		number := 0
		forEach(t, g, n, func(tr *trace.Trace) error {
			err := checkFile(g, tr)
			if number++; err == nil && number%20 == 0 {
				var again trace.Trace
				if newGenerator(t, c).Generate(g.seed, &again); again.String() != tr.String() {
					err = errors.New("a new generator makes another trace of this seed")
				}
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.label(), err)
			}
			return nil
		})
	}
}

// TestFilesWithin: the families keep tight and wide bounds.
func TestFilesWithin(t *testing.T) {
	t.Parallel()
	for _, f := range family.Of(apimodel.WCNF) {
		for _, b := range []Bounds{
			{MaxVars: 1},
			{MaxVars: 2, MaxCalls: 8},
			{MaxVars: 6, MaxCalls: 20, MaxWeight: 1, MaxSum: 1},
			{MaxVars: 10, MaxCalls: 60, MaxWeight: 1 << 31, MaxSum: 1 << 32},
			{MaxVars: 30, MaxCalls: 300, MaxWeight: math.MaxUint64, MaxSum: math.MaxUint64},
			{MaxVars: 5000, MaxCalls: 300, MaxWeight: 100, MaxSum: 150},
		} {
			for _, m := range fileModels {
				g := newGenerator(t, Config{Model: m, Family: f.Name, Bounds: b})
				forEach(t, g, 120, func(tr *trace.Trace) error { return checkFile(g, tr) })
			}
		}
	}
}

// TestFilesWithout: a feature that is switched off does not occur, and neither does any if all are.
func TestFilesWithout(t *testing.T) {
	t.Parallel()
	without := [][]string{feature.All().Names()}
	for _, f := range feature.Files {
		without = append(without, []string{f.String()})
	}
	for _, names := range without {
		off, err := feature.Parse(names)
		if err != nil {
			t.Fatal(err)
		}
		for i, profile := range []string{DefaultProfile, family.Tiny, "weights", "small", "published", DefaultProfile} {
			m := apimodel.WCNF
			if i > 4 {
				m = apimodel.CNF
			}
			g := newGenerator(t, Config{Model: m, Profile: profile, Without: names})
			n := uint64(250)
			if profile == "published" {
				n = 20
			}
			forEach(t, g, n, func(tr *trace.Trace) error {
				if found := (measure.Inspect(tr).Found | g.used) & off; found != 0 {
					return fmt.Errorf("%v happens although it is switched off", found.Names())
				}
				return checkFile(g, tr)
			})
		}
	}
}

// TestFilesForTarget: files keep to the bounds and policies of a target.
func TestFilesForTarget(t *testing.T) {
	t.Parallel()
	for text, absent := range map[string]feature.Set{
		"policy tautology=rejected\n":               1<<feature.Tautology | 1<<feature.SoftTautology,
		"policy soft-unused=rejected\nmax-vars 5\n": 1 << feature.UnusedSoft,
		"max-weight 9\nmax-sum 20\nlacks options\n": 1 << feature.BigWeights,
	} {
		d := describe(t, text)
		g := newGenerator(t, Config{Model: apimodel.WCNF, Description: d})
		forEach(t, g, 2_000, func(tr *trace.Trace) error {
			in := measure.Inspect(tr)
			if found := in.Found & absent; found != 0 {
				return fmt.Errorf("the trace has %v, for a target with %q", found.Names(), text)
			}
			if d.Bounds.MaxVars > 0 && in.MaxVars > 5 || d.Bounds.MaxSum > 0 && (in.MaxSum > 20 || in.MaxWeight > 9) {
				return fmt.Errorf("%d variables, weights up to %d, sum %d", in.MaxVars, in.MaxWeight, in.MaxSum)
			}
			return checkFile(g, tr)
		})
	}
}

// TestFileFeatures: each feature of the models happens, and every shape of soft clauses, in 2,000 traces.
func TestFileFeatures(t *testing.T) {
	t.Parallel()
	for _, m := range fileModels {
		fileFeatures(t, m)
	}
}

func fileFeatures(t *testing.T, m *apimodel.Model) {
	t.Helper()
	g := newGenerator(t, Config{Model: m})
	features := slices.DeleteFunc(slices.Clone(feature.Files), func(f feature.Feature) bool { return !f.In(m) })
	if known, err := KnownFeatures(m, ""); err != nil || len(known) != len(features) || len(known) < 8 {
		t.Errorf("%d features are known, want %d (%v)", len(known), len(features), err)
	}
	var tr trace.Trace
	var count [feature.Most]int
	shuffled := 0
	for number := range uint64(2_000) {
		g.Generate(draw.Seed(1, 0, number), &tr)
		for _, f := range g.used.List() {
			count[f]++
		}
		if isMixed(&tr) {
			shuffled++
		}
	}
	for _, f := range features {
		if least := 10; count[f] < least && (f != feature.MaxVariable || count[f] == 0) {
			t.Errorf("%s happens in %d of 2000 traces, want %d", f, count[f], least)
		}
		t.Logf("%-22s %5d", f, count[f])
	}
	if m.Optimizes() && shuffled < 2_000/3 {
		t.Errorf("%d of 2000 traces have hard clauses between soft ones", shuffled)
	}
}

// isMixed reports whether hard and soft clauses come in more than two runs.
func isMixed(tr *trace.Trace) bool {
	runs, last := 0, apimodel.OpSolve
	for i := range tr.Calls {
		if op := tr.Calls[i].Op; op != last && (op == apimodel.OpClause || op == apimodel.OpSoftClause) {
			runs++
			last = op
		}
	}
	return runs > 2
}

// TestFileWeights: the profile weights has the weights and sums at which integers end.
func TestFileWeights(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, Config{Model: apimodel.WCNF, Profile: "weights"})
	weights, sums := make(map[uint64]int), make(map[uint64]int)
	forEach(t, g, 5_000, func(tr *trace.Trace) error {
		for i := range tr.Calls {
			if c := &tr.Calls[i]; c.Op == apimodel.OpSoftClause {
				weights[c.Num]++
			}
		}
		sums[measure.Inspect(tr).MaxSum]++
		return nil
	})
	for _, w := range []uint64{1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1, 1<<62 + 1, math.MaxInt64} {
		if weights[w] == 0 {
			t.Errorf("no weight is %d", w)
		}
	}
	for _, sum := range []uint64{1<<32 - 1, 1 << 32, 1 << 53, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1} {
		if sums[sum] == 0 {
			t.Errorf("no sum is %d", sum)
		}
	}
}

// TestFilesHaveOneSolve: profiles and schedules of several solves are refused, and the message names those that there
// are.
func TestFilesHaveOneSolve(t *testing.T) {
	t.Parallel()
	for _, p := range ProfilesOf(apimodel.IPAMIR) {
		_, err := New(Config{Model: apimodel.WCNF, Profile: p.Name})
		has := slices.ContainsFunc(ProfilesOf(apimodel.WCNF), func(own ProfileInfo) bool { return own.Name == p.Name })
		if _, ok := errors.AsType[*ConfigError](err); ok == has {
			t.Errorf("profile %s: %v", p.Name, err)
		} else if !has && !strings.Contains(err.Error(), "of formula files; the profiles are tiny, smoke, weights, small") {
			t.Errorf("profile %s: the message names no profiles: %v", p.Name, err)
		}
	}
	for _, s := range family.Schedules(false) {
		_, err := New(Config{Model: apimodel.WCNF, Schedule: s.String()})
		if _, ok := errors.AsType[*ConfigError](err); ok == (s == family.OneShot) {
			t.Errorf("schedule %s: %v", s, err)
		}
	}
	for _, c := range []Config{{Threads: true}, {FailAllocations: true}, {Family: "qbfuzz"}} {
		c.Model = apimodel.WCNF
		if _, err := New(c); err == nil {
			t.Errorf("%+v is no mistake", c)
		}
	}
}

// TestFilesArePlanted: the header of a file has the assignment that its family knows, most of the time. It satisfies
// the hard clauses, and costs what the header says.
func TestFilesArePlanted(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, Config{Model: apimodel.WCNF, Family: "planted", Profile: "wide"})
	planted, traces := 0, 0
	forEach(t, g, 500, func(tr *trace.Trace) error {
		traces++
		if len(tr.Planted) == 0 {
			return nil
		}
		planted++
		cost := uint64(0)
		for i := range tr.Calls {
			c := &tr.Calls[i]
			isTrue := func(lit int32) bool { return slices.Contains(tr.Planted[0].Lits, lit) }
			if c.Op != apimodel.OpClause && c.Op != apimodel.OpSoftClause || slices.ContainsFunc(tr.Args(c), isTrue) {
				continue
			}
			if cost += c.Num; c.Op == apimodel.OpClause {
				return fmt.Errorf("the planted assignment does not satisfy call %d", i)
			}
		}
		if cost != tr.Planted[0].Cost {
			return fmt.Errorf("the planted assignment costs %d", cost)
		}
		return nil
	})
	if planted < traces/2 {
		t.Errorf("%d of %d traces have planted assignments", planted, traces)
	}
}

// TestPublishedFiles: traces of the profile published have the clauses of a formula of the family, in its order.
func TestPublishedFiles(t *testing.T) {
	t.Parallel()
	g := newGenerator(t, Config{Model: apimodel.WCNF, Profile: "published"})
	calls, traces := 0, 0
	forEach(t, g, 300, func(tr *trace.Trace) error {
		traces++
		calls += len(tr.Calls)
		var f family.Formula
		var b family.Builder
		r := draw.New(g.seed)
		for range (len(feature.Files) + 3) / 4 {
			r.Uint64() // rollFeatures
		}
		most := g.Bounds()
		g.family.Make(&b, r.Split(), &f, family.Limits{Vars: most.MaxVars, Calls: most.MaxCalls - 3,
			MaxWeight: math.MaxInt64, MaxSum: math.MaxUint64 - 1})
		if f.Clauses() != len(tr.Calls)-3 {
			return fmt.Errorf("%d clauses of %d", len(tr.Calls)-3, f.Clauses())
		}
		for i := range f.Clauses() {
			lits, weight := f.Clause(i)
			if c := &tr.Calls[i]; c.Num != weight || !slices.Equal(tr.Args(c), lits) {
				return fmt.Errorf("clause %d is %d %v, want %d %v", i, c.Num, tr.Args(c), weight, lits)
			}
		}
		return nil
	})
	if calls < 200*traces {
		t.Errorf("%d traces of published sizes have %d calls", traces, calls)
	}
}
