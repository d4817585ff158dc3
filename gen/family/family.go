// Package family makes formulas for a seed: hard and soft clauses within limits, or quantified Boolean
// formulas. Package gen turns them into calls.
package family

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
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

// Make fills into, for a family of All or Files, with a formula within the limits.
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

// families are all families but tiny, in their newest versions. docs/generators.md says which papers PB26,
// PB23, MCWZ20, BLB10 and P24 are.
var families = []Family{
	{"wcnfuzz", 2, "layers of hard or soft clauses and gates, large (PB26, PB23: Paxian)", wcnfuzzC.make},
	{"wcnfuzz-py", 2, "the same with levels and tight weights (PB26: PaxianPy)", wcnfuzzPython.make},
	{"wcnfuzz-small", 2, "half as many layers (PB26: PaxianPySmall)", wcnfuzzSmall.make},
	{"wcnfuzz-tiny", 2, "a third as many layers (PB26: PaxianPyTiny)", wcnfuzzTiny.make},
	{"cnfuzz", 1, "layers of clauses with local variables (BLB10: CNFuzz)", makeCNFuzz},
	{"3sat", 1, "random 3-SAT about the phase transition (BLB10: 3SATGen)", make3SAT},
	{"fuzzsat", 2, "random circuits (BLB10: FuzzSAT)", makeFuzzSAT},
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
	{"fuzzsat", 1, "smaller circuits, of which some inputs stay unused", makeFuzzSAT1},
}

// quantified are all families of formulas with quantifiers.
var quantified = []Family{
	{Tiny, 1, "up to 10 variables in up to 5 blocks, judged by exhaustive search", (*Builder).tinyQuantified},
	{"blocksqbf", 1, "∃15 ∀10 ∃25, 160 distinct clauses of 2, 2 and 1 literals (BLB10: BlocksQBF)",
		func(b *Builder) { b.blocks(publishedBlocks) }},
	{"blocksqbf-small", 1, "the same model, 2 to 5 blocks of 2 to 7 variables",
		func(b *Builder) { b.blocks(b.smallBlocks(2, 7)) }},
	{"blocksqbf-tiny", 1, "the same model, 2 to 4 blocks of 1 to 3 variables",
		func(b *Builder) { b.blocks(b.smallBlocks(1, 3)) }},
	{"qbfuzz", 1, "15 blocks, 40 variables, 80 reduced clauses of up to 15 literals (BLB10: QBFuzz)",
		func(b *Builder) { b.fuzz(publishedFuzz) }},
	{"qbfuzz-small", 1, "the same grammar, up to 6 blocks, 24 variables and 60 clauses",
		func(b *Builder) { b.fuzz(b.smallFuzz(8, 24)) }},
	{"qbfuzz-tiny", 1, "the same grammar, up to 6 blocks, 10 variables and 25 clauses",
		func(b *Builder) { b.fuzz(b.smallFuzz(3, 10)) }},
	{"prefixed", 1, "a random prefix before a formula of a SAT family, up to 150 variables",
		func(b *Builder) { b.prefixed(150, 600) }},
	{"prefixed-small", 1, "the same, up to 24 variables",
		func(b *Builder) { b.prefixed(24, 80) }},
	{"prefixed-tiny", 1, "the same, up to 10 variables",
		func(b *Builder) { b.prefixed(10, 30) }},
}

// fileTiny is the family tiny of formula files.
var fileTiny = Family{Tiny, 1, "up to 12 variables and 30 hard and soft clauses, judged by exhaustive search",
	(*Builder).tinyFile}

// Info describes a formula family to the user.
type Info struct {
	Name    string
	Version int
	Doc     string
}

// String returns the name with the version.
func (i Info) String() string { return versioned(i.Name, i.Version) }

// All returns all families of formulas without quantifiers in their newest versions, tiny first.
func All() []Info {
	const doc = "tiny formulas and their calls in one go, judged by exhaustive search"
	return append([]Info{{Tiny, TinyVersion, doc}}, infos(families)...)
}

// Older returns the older versions of families.
func Older() []Info { return infos(olderFamilies) }

// Quantified returns all families of formulas with quantifiers.
func Quantified() []Info { return infos(quantified) }

// Files returns all families of formula files in their newest versions, tiny first.
func Files() []Info { return append(infos([]Family{fileTiny}), infos(families)...) }

// Of returns all families of a model in their newest versions.
func Of(m *apimodel.Model) []Info {
	switch {
	case m.Quantified():
		return Quantified()
	case m.File:
		return Files()
	}
	return All()
}

func infos(families []Family) []Info {
	all := make([]Info, len(families))
	for i := range families {
		all[i] = Info{families[i].name, families[i].version, families[i].doc}
	}
	return all
}

// IsTiny reports whether the name is that of tiny, with or without its version.
func IsTiny(name string) bool { return name == Tiny || name == versioned(Tiny, TinyVersion) }

// Named returns the family of that name in All, other than tiny. Its version is the newest one or the one
// after the name, as in wcnfuzz/1.
func Named(name string) (*Family, error) {
	if f := cmp.Or(find(families, name), find(olderFamilies, name)); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("unknown formula family %q; the families are %s", name, names(All()))
}

// QuantifiedNamed returns the family of that name in Quantified, with or without its version.
func QuantifiedNamed(name string) (*Family, error) {
	if f := find(quantified, name); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("unknown family %q of quantified formulas; the families are %s", name, names(Quantified()))
}

// FileNamed returns the family of that name in Files, in its newest version or the one after the name.
func FileNamed(name string) (*Family, error) {
	if name == fileTiny.name || name == fileTiny.String() {
		return &fileTiny, nil
	}
	return Named(name)
}

func find(families []Family, name string) *Family {
	for i := range families {
		if f := &families[i]; f.name == name || f.String() == name {
			return f
		}
	}
	return nil
}

func names(infos []Info) string {
	list := make([]string, len(infos))
	for i := range infos {
		list[i] = infos[i].Name
	}
	return strings.Join(list, ", ")
}

// A Source makes the formulas of one family, without calls.
type Source struct {
	name   string
	family *Family
	limits Limits
	b      Builder
}

// NewSource returns a source of the formulas of a family in All.
func NewSource(name string) (*Source, error) {
	if IsTiny(name) {
		return nil, errors.New("the family tiny makes formulas and calls together: " +
			"it has no formulas apart from its traces")
	}
	return NewFileSource(name)
}

// NewFileSource returns a source of the formulas of a family in Files.
func NewFileSource(name string) (*Source, error) {
	f, err := FileNamed(name)
	if err != nil {
		return nil, err
	}
	return &Source{name: name, family: f, limits: noLimits}, nil
}

// NewQuantifiedSource returns a source of the formulas of a family in Quantified.
func NewQuantifiedSource(name string) (*Source, error) {
	f, err := QuantifiedNamed(name)
	if err != nil {
		return nil, err
	}
	return &Source{name: f.name, family: f}, nil
}

// Name returns the name of the family: as the caller of NewSource gave it, or without its version.
func (s *Source) Name() string { return s.name }

// Family returns the name of the family with its version.
func (s *Source) Family() string { return s.family.String() }

// Within sets bounds for the formulas. A field that is 0 is no bound.
func (s *Source) Within(l Limits) {
	s.limits = noLimits
	for _, bound := range []struct{ given, limit *int }{{&l.Vars, &s.limits.Vars}, {&l.Calls, &s.limits.Calls}} {
		if *bound.given > 0 {
			*bound.limit = min(*bound.limit, *bound.given)
		}
	}
	for _, bound := range []struct{ given, limit *uint64 }{
		{&l.MaxWeight, &s.limits.MaxWeight}, {&l.MaxSum, &s.limits.MaxSum},
	} {
		if *bound.given > 0 {
			*bound.limit = min(*bound.limit, *bound.given)
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

// Quantified returns the formula of the seed. It is valid until the next call.
func (s *Source) Quantified(seed uint64) *qbf.Formula {
	return s.family.MakeQuantified(&s.b, draw.New(seed))
}
