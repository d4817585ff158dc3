package quantified

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

func cloned(f *qbf.Formula) *qbf.Formula {
	g := new(qbf.Formula)
	for _, b := range f.Prefix {
		g.Prefix = append(g.Prefix, qbf.Block{Universal: b.Universal, Vars: slices.Clone(b.Vars)})
	}
	for _, clause := range f.Clauses {
		g.Clauses = append(g.Clauses, slices.Clone(clause))
	}
	return g
}

// disturb makes a random change to a formula.
func disturb(r *rand.Rand, f *qbf.Formula) {
	switch r.IntN(8) {
	case 0:
		if i := len(f.Clauses); i > 0 {
			i = r.IntN(i)
			f.Clauses = slices.Delete(f.Clauses, i, i+1)
		}
	case 1:
		r.Shuffle(len(f.Clauses), func(i, j int) { f.Clauses[i], f.Clauses[j] = f.Clauses[j], f.Clauses[i] })
	case 2:
		if i := len(f.Prefix); i > 0 {
			b := &f.Prefix[r.IntN(i)]
			b.Universal = !b.Universal
		}
	case 3:
		if i := len(f.Prefix); i > 1 {
			i = 1 + r.IntN(i-1)
			f.Prefix[i], f.Prefix[i-1] = f.Prefix[i-1], f.Prefix[i]
		}
	case 4, 5: // a variable moves to another block, or becomes free
		if i := len(f.Prefix); i > 0 {
			b := &f.Prefix[r.IntN(i)]
			if j := len(b.Vars); j > 0 {
				j = r.IntN(j)
				v := b.Vars[j]
				b.Vars = slices.Delete(b.Vars, j, j+1)
				if r.IntN(10) > 0 {
					b = &f.Prefix[r.IntN(i)]
					b.Vars = append(b.Vars, v)
				}
			}
		}
	default:
		f.Clauses = append(f.Clauses, randomClause(r, append(variablesOf(f), 1)))
	}
}

// TestImplies compares Implies with the definition on formulas that differ a little.
func TestImplies(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t, 7), 0))
	var a, b Question
	implied, told := 0, 0
	for round := range rounds(100_000) {
		f := randomFormula(r, 7)
		g := cloned(f)
		for range 1 + r.IntN(3) {
			disturb(r, g)
		}
		under, also := randomAssumptions(r, variablesOf(f)), randomAssumptions(r, variablesOf(g))
		if r.IntN(2) == 0 {
			also = slices.Clone(under)
		}
		if r.IntN(2) == 0 {
			f, g = g, f
		}
		a.Set(f, under)
		b.Set(g, also)
		if !a.Implies(&b) {
			continue
		}
		implied++
		if isTrue(f, under) {
			told++
			if !isTrue(g, also) {
				t.Fatalf("round %d: %v under %v is true and seems to imply %v under %v, which is false",
					round, f, under, g, also)
			}
		}
	}
	t.Logf("%d implied, %d of them by what is true", implied, told)
	if told < rounds(100_000)/20 {
		t.Errorf("only %d of %d pairs are related", told, rounds(100_000))
	}
}

// TestRelations: Implies knows the obvious relations.
func TestRelations(t *testing.T) {
	type list = []int32
	formula := func(clauses ...list) *qbf.Formula {
		return &qbf.Formula{Prefix: []qbf.Block{{Vars: list{1, 2}}, {Universal: true, Vars: list{3}}, {Vars: list{4}}},
			Clauses: clauses}
	}
	universal := func(f *qbf.Formula, block int, universal bool) *qbf.Formula {
		f.Prefix[block].Universal = universal
		return f
	}
	outer := func() *qbf.Formula { return universal(formula(list{1, 4}, list{-3, 4}), 0, true) }
	for _, test := range []struct {
		name        string
		f, g        *qbf.Formula
		under, also list
		forth, back bool
	}{
		{"the same", formula(list{1, 3}), formula(list{1, 3}), nil, nil, true, true},
		{"in another order", formula(list{1, 3}, list{2}), formula(list{2}, list{3, 1, 1}), nil, nil, true, true},
		{"one clause more", formula(list{1, 3}, list{4}), formula(list{1, 3}), nil, nil, true, false},
		{"a tautology more", formula(list{1, 3}, list{4, -4}), formula(list{1, 3}), nil, nil, true, true},
		{"universal becomes existential", formula(list{1, 3}), universal(formula(list{1, 3}), 1, false), nil, nil,
			true, false},
		{"an existential assumption more", formula(list{1, 4}), formula(list{1, 4}), list{1}, nil, true, false},
		{"another assumption", formula(list{1, 4}), formula(list{1, 4}), list{1}, list{-1}, false, false},
		{"a universal assumption more", outer(), outer(), nil, list{1}, true, false},
		{"moved outwards", formula(list{3, 4}),
			&qbf.Formula{Prefix: []qbf.Block{{Vars: list{4}}, {Universal: true, Vars: list{3}}}, Clauses: []list{{3, 4}}},
			nil, nil, false, true},
		{"free", formula(list{1, 3}), &qbf.Formula{Prefix: formula().Prefix[1:], Clauses: []list{{1, 3}}}, nil, nil,
			true, true},
	} {
		var a, b Question
		a.Set(test.f, test.under)
		b.Set(test.g, test.also)
		if got := a.Implies(&b); got != test.forth {
			t.Errorf("%s: implies: %v", test.name, got)
		}
		if got := b.Implies(&a); got != test.back {
			t.Errorf("%s: is implied: %v", test.name, got)
		}
		if a.Equal(&b) != (test.name == "the same") {
			t.Errorf("%s: equal: %v", test.name, a.Equal(&b))
		}
	}
}
