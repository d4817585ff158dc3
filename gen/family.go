package gen

import (
	"fmt"
	"strings"
)

// A family makes formulas of one kind. Its version is raised by every change
// that alters its formulas.
type family struct {
	name    string
	version int
	doc     string
	make    func(b *builder)
}

func (f *family) String() string { return fmt.Sprintf("%s/%d", f.name, f.version) }

// families are all formula families but tiny, whose formulas and calls are
// made in one go (tiny.go).
var families = []family{
	{"wcnfuzz", 1, "layers of hard or soft clauses and gates, large (papers 000, 001: Paxian)", makeWCNFuzzC},
	{"wcnfuzz-py", 1, "the same with levels and tight weights (paper 000: PaxianPy)", makeWCNFuzzPython},
	{"wcnfuzz-small", 1, "half as many layers (paper 000: PaxianPySmall)", makeWCNFuzzSmall},
	{"wcnfuzz-tiny", 1, "a third as many layers (paper 000: PaxianPyTiny)", makeWCNFuzzTiny},
	{"cnfuzz", 1, "layers of clauses with local variables (paper 003: CNFuzz)", makeCNFuzz},
}

// FamilyInfo describes a formula family to the user.
type FamilyInfo struct {
	Name    string
	Version int
	Doc     string
}

// Families returns all formula families, tiny first.
func Families() []FamilyInfo {
	infos := []FamilyInfo{{tinyName, tinyVersion, "tiny formulas and their calls in one go, judged by exhaustive search"}}
	for i := range families {
		infos = append(infos, FamilyInfo{families[i].name, families[i].version, families[i].doc})
	}
	return infos
}

func familyNamed(name string) (*family, error) {
	for i := range families {
		if families[i].name == name {
			return &families[i], nil
		}
	}
	names := make([]string, 0, len(families)+1)
	for _, f := range Families() {
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("there is no formula family %q; the families are %s", name, strings.Join(names, ", "))
}

// A Source makes the formulas of one family, without calls.
type Source struct {
	family *family
	b      builder
}

// NewSource returns a source of the formulas of a family.
func NewSource(name string) (*Source, error) {
	f, err := familyNamed(name)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	return &Source{family: f}, nil
}

// Formula fills f with the formula of the seed, as large as the family makes
// it, with soft clauses.
func (s *Source) Formula(seed uint64, f *Formula) {
	s.b.begin(NewRand(seed), f, true, noLimits)
	s.family.make(&s.b)
}
