package family

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// TestQuantifiedFamilies: each variable is in one block, no clause has a free variable or a variable twice, and the
// same seed makes the same formula.
func TestQuantifiedFamilies(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	for _, info := range Quantified() {
		source, err := NewQuantifiedSource(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := NewQuantifiedSource(info.String())
		for number := range uint64(300) {
			seed := draw.Seed(start, 0, number)
			f := source.Quantified(seed)
			if err := wellFormed(f); err != nil {
				t.Fatalf("%s: seed %d: %v", info, seed, err)
			}
			if number%10 == 0 && fmt.Sprint(f) != fmt.Sprint(again.Quantified(seed)) {
				t.Fatalf("%s: seed %d makes different formulas", info, seed)
			}
		}
	}
}

func wellFormed(f *qbf.Formula) error {
	block := make(map[int32]int)
	for i, b := range f.Prefix {
		for _, v := range b.Vars {
			if _, again := block[v]; again || v <= 0 {
				return fmt.Errorf("variable %d is in two blocks or not positive", v)
			}
			block[v] = i
		}
	}
	for _, c := range f.Clauses {
		var vars []int32
		for _, l := range c {
			v := max(l, -l)
			if _, bound := block[v]; !bound || slices.Contains(vars, v) {
				return fmt.Errorf("clause %v: variable %d is free, or repeated", c, v)
			}
			vars = append(vars, v)
		}
	}
	return nil
}

// TestQuantifiedFormulasAreForEver: the formulas of a seed never change. A family that makes others needs a new
// version.
func TestQuantifiedFormulasAreForEver(t *testing.T) {
	t.Parallel()
	for _, want := range pinned {
		source, err := NewQuantifiedSource(want.family)
		if err != nil {
			t.Fatal(err)
		}
		hash := uint64(0)
		for number := range uint64(100) {
			for _, c := range fmt.Append(nil, source.Quantified(draw.Seed(1, 0, number))) {
				hash = draw.Mix(hash ^ uint64(c))
			}
		}
		if hash != want.hash {
			t.Errorf("the first 100 formulas of %s have the hash %#x, not %#x", want.family, hash, want.hash)
		}
	}
	if len(pinned) != len(quantified) {
		t.Errorf("%d families are pinned, of %d", len(pinned), len(quantified))
	}
}

// TestPublishedQuantified compares the published families with the settings of BLB10.
func TestPublishedQuantified(t *testing.T) {
	t.Parallel()
	blocks, _ := NewQuantifiedSource("blocksqbf")
	fuzz, _ := NewQuantifiedSource("qbfuzz")
	for number := range uint64(200) {
		f := blocks.Quantified(draw.Seed(1, 0, number))
		if len(f.Clauses) != 160 || len(f.Prefix) != 3 || f.Prefix[0].Universal || !f.Prefix[1].Universal ||
			len(f.Prefix[0].Vars) != 15 || len(f.Prefix[1].Vars) != 10 || len(f.Prefix[2].Vars) != 25 {
			t.Fatalf("blocksqbf: %d clauses, prefix %v", len(f.Clauses), f.Prefix)
		}
		for _, c := range f.Clauses {
			var counts [3]int
			for _, l := range c {
				switch v := max(l, -l); {
				case v <= 15:
					counts[0]++
				case v <= 25:
					counts[1]++
				default:
					counts[2]++
				}
			}
			if counts != [3]int{2, 2, 1} {
				t.Fatalf("blocksqbf: clause %v", c)
			}
		}
		f = fuzz.Quantified(draw.Seed(1, 0, number))
		if len(f.Clauses) > 80 || len(f.Prefix) > 15 {
			t.Fatalf("qbfuzz: %d clauses, %d blocks", len(f.Clauses), len(f.Prefix))
		}
		for i, block := range f.Prefix[1:] {
			if block.Universal == f.Prefix[i].Universal {
				t.Fatalf("qbfuzz: the prefix %v does not alternate", f.Prefix)
			}
		}
		for _, c := range f.Clauses {
			if len(c) > 15 {
				t.Fatalf("qbfuzz: clause %v", c)
			}
		}
	}
}

var pinned = []struct {
	family string
	hash   uint64
}{
	{"tiny", 0x3b3dbf690b53f386},
	{"blocksqbf", 0xf82504863f824cd5},
	{"blocksqbf-small", 0xa27a765cf1f66afe},
	{"blocksqbf-tiny", 0xd651de48521ead16},
	{"qbfuzz", 0x586e1ed38123d8e7},
	{"qbfuzz-small", 0x41c1c677236c50c9},
	{"qbfuzz-tiny", 0x5e0ba8a0ffefbf89},
	{"prefixed", 0xd9afe3754bf23261},
	{"prefixed-small", 0xba8932fa11a899e5},
	{"prefixed-tiny", 0x44441194f4065a2a},
}
