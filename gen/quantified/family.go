// Package quantified makes quantified Boolean formulas from seeds, and traces of model qbf of these
// formulas. A family makes formulas; some families are published ones. A schedule spreads a formula over
// the solves of a trace. The same seed makes the same formula and the same trace forever, as long as
// family and profile keep their versions.
package quantified

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// A Family makes formulas of one kind. Every change that alters its formulas raises
// its version.
type Family struct {
	name    string
	version int
	doc     string
	make    func(b *builder)
}

// Tiny is the family of the profiles that favour calls over formulas.
const Tiny = "tiny"

// families are all families in their newest versions. docs/generators.md says which paper BLB10 is.
var families = []Family{
	{Tiny, 1, "up to 10 variables in up to 5 blocks, judged by exhaustive search", (*builder).tiny},
	{"blocksqbf", 1, "∃15 ∀10 ∃25, 160 distinct clauses of 2, 2 and 1 literals (BLB10: BlocksQBF)",
		func(b *builder) { b.blocks(publishedBlocks) }},
	{"blocksqbf-small", 1, "the same model, 2 to 5 blocks of 2 to 7 variables",
		func(b *builder) { b.blocks(b.smallBlocks(2, 7)) }},
	{"blocksqbf-tiny", 1, "the same model, 2 to 4 blocks of 1 to 3 variables",
		func(b *builder) { b.blocks(b.smallBlocks(1, 3)) }},
	{"qbfuzz", 1, "15 blocks, 40 variables, 80 reduced clauses of up to 15 literals (BLB10: QBFuzz)",
		func(b *builder) { b.fuzz(publishedFuzz) }},
	{"qbfuzz-small", 1, "the same grammar, up to 6 blocks, 24 variables and 60 clauses",
		func(b *builder) { b.fuzz(b.smallFuzz(8, 24)) }},
	{"qbfuzz-tiny", 1, "the same grammar, up to 6 blocks, 10 variables and 25 clauses",
		func(b *builder) { b.fuzz(b.smallFuzz(3, 10)) }},
	{"prefixed", 1, "a random prefix before a formula of a SAT family, up to 150 variables",
		func(b *builder) { b.prefixed(150, 600) }},
	{"prefixed-small", 1, "the same, up to 24 variables",
		func(b *builder) { b.prefixed(24, 80) }},
	{"prefixed-tiny", 1, "the same, up to 10 variables",
		func(b *builder) { b.prefixed(10, 30) }},
}

// Name returns the name without the version.
func (f *Family) Name() string { return f.name }

// String returns the name with the version.
func (f *Family) String() string { return fmt.Sprintf("%s/%d", f.name, f.version) }

// All returns all families in their newest versions.
func All() []family.Info {
	infos := make([]family.Info, 0, len(families))
	for i := range families {
		infos = append(infos, family.Info{Name: families[i].name, Version: families[i].version, Doc: families[i].doc})
	}
	return infos
}

// Named returns the family of that name, with or without its version.
func Named(name string) (*Family, error) {
	names := make([]string, 0, len(families))
	for i := range families {
		if f := &families[i]; f.name == name || f.String() == name {
			return f, nil
		}
		names = append(names, families[i].name)
	}
	return nil, fmt.Errorf("unknown family %q of quantified formulas; the families are %s",
		name, strings.Join(names, ", "))
}

// A Source makes the formulas of one family, in the same memory.
type Source struct {
	family *Family
	b      builder
}

// NewSource returns a source of the formulas of a family.
func NewSource(name string) (*Source, error) {
	f, err := Named(name)
	if err != nil {
		return nil, err
	}
	return &Source{family: f}, nil
}

// Family returns the name of the family with its version.
func (s *Source) Family() string { return s.family.String() }

// Name returns the name of the family without its version.
func (s *Source) Name() string { return s.family.name }

// Formula returns the formula of the seed. It is valid until the next call.
func (s *Source) Formula(seed uint64) *qbf.Formula {
	return s.b.formula(s.family, draw.New(seed))
}
