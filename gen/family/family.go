// Package family makes formulas: hard and soft clauses of one kind, for a seed and limits. Package
// gen turns them into calls.
package family

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// A Family makes formulas of one kind. Every change that alters its formulas raises its version.
type Family struct {
	name    string
	version int
	doc     string
	make    func(b *Builder)
}

// String returns the name with the version.
func (f *Family) String() string { return versioned(f.name, f.version) }

func versioned(name string, version int) string { return fmt.Sprintf("%s/%d", name, version) }

// Name returns the name without the version.
func (f *Family) Name() string { return f.name }

// Make fills into with a formula within the limits.
func (f *Family) Make(b *Builder, r draw.Rand, into *Formula, limits Limits) {
	b.begin(r, into, limits)
	f.make(b)
}

// Tiny is the family whose formulas and calls package gen makes together. It has no formulas apart
// from its traces.
const (
	Tiny        = "tiny"
	TinyVersion = 1
)

// docs/generators.md names the papers PB26, PB23, MCWZ20, BLB10 and P24.

// families are all families but tiny, in their newest versions.
var families = []Family{
	{"wcnfuzz", 2, "layers of hard or soft clauses and gates, large (PB26, PB23: Paxian)", wcnfuzzC.make},
	{"wcnfuzz-py", 2, "the same with levels and tight weights (PB26: PaxianPy)", wcnfuzzPython.make},
	{"wcnfuzz-small", 2, "half as many layers (PB26: PaxianPySmall)", wcnfuzzSmall.make},
	{"wcnfuzz-tiny", 2, "a third as many layers (PB26: PaxianPyTiny)", wcnfuzzTiny.make},
	{"cnfuzz", 1, "layers of clauses with local variables (BLB10: CNFuzz)", makeCNFuzz},
	{"3sat", 1, "random 3-SAT about the phase transition (BLB10: 3SATGen)", make3SAT},
	{"fuzzsat", 1, "random circuits (BLB10: FuzzSAT)", makeFuzzSAT},
	{"sat4j", 1, "increments of new variables, assumptions in tenths, enumeration (P24)", makeSat4j},
	{"planted", 1, "satisfiable by construction, with a known bound (MCWZ20: STORM)", makePlanted},
	{"pb-ish", 1, "cardinality and pseudo-Boolean encodings", makePBish},
	{"amo", 1, "chains of at-most-one constraints", makeAMO},
	{"equivalences", 1, "hidden classes of equivalent literals", makeEquivalences},
	{"pigeons", 1, "pigeon-hole formulas, whole and with gaps", makePigeons},
	{"communities", 1, "clauses within communities of variables", makeCommunities},
	{"cores", 1, "disjoint cores with a known optimum", makeCores},
	{"structured", 1, "large formulas of blocks, chains and units (in the spirit of Manthey's)", makeStructured},
	{"ranges", 1, "few clauses over huge ranges of variables (in the spirit of Pollitt's)", makeRanges},
	{"xor", 1, "unweighted systems of XORs (in the spirit of Soos's)", makeXor},
	{"parts", 1, "layers of clauses that are easy to decide, 140 to 1,500 of them, for several solves", makeParts},
	{"long", 1, "a few clauses of 65 to 300 literals, most of which other clauses make false", makeLong},
	{"search", 1, "small formulas that take hundreds to thousands of conflicts, with gates", makeSearch},
	{"bulk", 1, "1,000 to 130,000 clauses that propagation decides", makeBulk},
}

// olderFamilies are older versions of families that older profiles still draw.
var olderFamilies = []Family{
	{"wcnfuzz", 1, "as the papers describe it", size1C.make},
	{"wcnfuzz-py", 1, "as the papers describe it", size1Python.make},
	{"wcnfuzz-small", 1, "as the papers describe it", size1Small.make},
	{"wcnfuzz-tiny", 1, "as the papers describe it", size1Tiny.make},
}

// Info describes a formula family to the user.
type Info struct {
	Name    string
	Version int
	Doc     string
}

// String returns the name with the version.
func (i Info) String() string { return versioned(i.Name, i.Version) }

// All returns all formula families in their newest versions, tiny first.
func All() []Info {
	infos := []Info{{Tiny, TinyVersion, "tiny formulas and their calls in one go, judged by exhaustive search"}}
	for i := range families {
		infos = append(infos, Info{families[i].name, families[i].version, families[i].doc})
	}
	return infos
}

// Older returns the older versions of families.
func Older() []Info {
	var infos []Info
	for i := range olderFamilies {
		infos = append(infos, Info{olderFamilies[i].name, olderFamilies[i].version, olderFamilies[i].doc})
	}
	return infos
}

// IsTiny reports whether the name is that of tiny, with or without its version.
func IsTiny(name string) bool { return name == Tiny || name == versioned(Tiny, TinyVersion) }

// Named returns the family of that name, other than tiny. Its version is the newest one or the one
// after the name, as in wcnfuzz/1.
func Named(name string) (*Family, error) {
	for _, of := range [][]Family{families, olderFamilies} {
		for i := range of {
			if f := &of[i]; f.name == name || f.String() == name {
				return f, nil
			}
		}
	}
	names := make([]string, 0, len(families)+1)
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("unknown formula family %q; the families are %s", name, strings.Join(names, ", "))
}

// A Source makes the formulas of one family, without calls.
type Source struct {
	name   string
	family *Family
	limits Limits
	b      Builder
}

// NewSource returns a source of the formulas of a family.
func NewSource(name string) (*Source, error) {
	if IsTiny(name) {
		return nil, errors.New("the family tiny makes formulas and calls together: " +
			"it has no formulas apart from its traces")
	}
	f, err := Named(name)
	if err != nil {
		return nil, err
	}
	return &Source{name: name, family: f, limits: noLimits}, nil
}

// Name returns the name of the family, as the caller of NewSource gave it.
func (s *Source) Name() string { return s.name }

// Family returns the name of the family with its version.
func (s *Source) Family() string { return s.family.String() }

// Within sets bounds for the formulas. A field that is 0 is no bound.
func (s *Source) Within(l Limits) {
	s.limits = noLimits
	for _, bound := range []struct{ given, of *int }{{&l.Vars, &s.limits.Vars}, {&l.Calls, &s.limits.Calls}} {
		if *bound.given > 0 {
			*bound.of = min(*bound.of, *bound.given)
		}
	}
	for _, bound := range []struct{ given, of *uint64 }{
		{&l.MaxWeight, &s.limits.MaxWeight}, {&l.MaxSum, &s.limits.MaxSum},
	} {
		if *bound.given > 0 {
			*bound.of = min(*bound.of, *bound.given)
		}
	}
}

// Plant sets the seed formula of the family planted.
func (s *Source) Plant(f *Formula) { s.b.Plant = f }

// WithoutCosts makes all clauses hard in families that have soft clauses only because MaxSAT solvers
// need some. Then the formulas of SAT papers are as the papers describe them.
func (s *Source) WithoutCosts() { s.b.allHard = true }

// Formula fills f with the formula of the seed.
func (s *Source) Formula(seed uint64, f *Formula) {
	s.family.Make(&s.b, draw.New(seed), f, s.limits)
}
