package fault_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// A group has libraries with similar defects. Groups are measured apart, since a mean over all samples would depend on
// how much time each has had.
type group struct {
	name     string // short, for the ledger and IPAFUZZ_GROUPS
	title    string // on the page
	models   []string
	profiles []gen.ProfileInfo
}

// groups returns all groups in the order of the page.
func groups() []*group {
	return []*group{
		{"propositional", "IPASIR and IPAMIR", []string{"ipasir", "ipamir"}, gen.Profiles()},
		{"ipasir2", "IPASIR-2 and calls of CaDiCaL", []string{"ipasir2", "ipasir+cadical"}, gen.Profiles()},
		{"qbf", "Quantified formulas", []string{"qbf"}, gen.QuantifiedProfiles()},
	}
}

// chosenGroups returns the groups that IPAFUZZ_GROUPS lists, each with the profiles that IPAFUZZ_PROFILES lists.
// Without a list, all are chosen.
func chosenGroups(t *testing.T) (chosen []*group) {
	t.Helper()
	names, profiles := strings.Fields(os.Getenv("IPAFUZZ_GROUPS")), strings.Fields(os.Getenv("IPAFUZZ_PROFILES"))
	known := make(map[string]bool)
	for _, g := range groups() {
		known[g.name] = true
		if len(names) > 0 && !slices.Contains(names, g.name) {
			continue
		}
		g.profiles = slices.DeleteFunc(g.profiles, func(p gen.ProfileInfo) bool {
			known[p.Name] = true
			return len(profiles) > 0 && !slices.Contains(profiles, p.Name)
		})
		if len(g.profiles) > 0 {
			chosen = append(chosen, g)
		}
	}
	for _, name := range slices.Concat(names, profiles) {
		if !known[name] {
			t.Fatalf("IPAFUZZ_GROUPS and IPAFUZZ_PROFILES: there is no %s", name)
		}
	}
	return chosen
}

// measuredSeeds are greater than those whose findings were used to choose the rules.
var measuredSeeds = []uint64{213, 214, 215, 216, 217, 218, 219, 220, 221, 222}

// population returns the libraries of the group with a profile, with one and with two defects, in the order in which
// they are measured.
func (g *group) population(profile string) (ones, twos []setup) {
	of := []string{profile}
	return shuffle(oneDefect(g.models, of, measuredSeeds...)), shuffle(twoDefects(g.models, of, measuredSeeds...))
}

// libraries returns how many libraries have one defect, and how many have two.
func (g *group) libraries() (ones, twos int) {
	return len(oneDefect(g.models, []string{""}, 1)), len(twoDefects(g.models, []string{""}, 1))
}

// TestPairs checks that libraries with two defects can be made. IPAFUZZ_DEFECTS=n takes every n-th of each group.
func TestPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for each library")
	}
	for _, g := range groups() {
		all := shuffle(twoDefects(g.models, []string{""}, testseed.Of(t, 1)))
		for i := 0; i < len(all); i += setting("IPAFUZZ_DEFECTS", 6) {
			target, err := targets.Resolve("ref:defect="+all[i].Defects, all[i].Model, nil)
			if err == nil {
				_, err = trial.Describe(target, limits)
			}
			if err != nil {
				t.Errorf("%v: %v", all[i], err)
			}
		}
	}
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
	for _, g := range groups() {
		ones, twos := g.population("")
		fmt.Fprint(sum, g.name, ones, twos)
		for _, p := range g.profiles {
			fmt.Fprint(sum, " ", p)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}
