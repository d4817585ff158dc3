package gen

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExtremes: bounds at the ends of their ranges, or at odds with one
// another, and seeds at the ends of theirs give a legal trace within the bounds.
func TestExtremes(t *testing.T) {
	bounds := []Bounds{
		{MaxVars: math.MaxInt32, MaxCalls: 200},
		{MaxVars: 50_000_000, MaxCalls: 200},
		{MaxVars: 1, MaxCalls: 8, MaxWeight: math.MaxUint64, MaxSum: 1},
		{MaxVars: 40, MaxCalls: 100, MaxWeight: 1, MaxSum: math.MaxUint64},
		{MaxVars: 40, MaxCalls: math.MaxInt32, MaxWeight: math.MaxUint64, MaxSum: math.MaxUint64},
	}
	seeds := []uint64{0, 1, math.MaxInt64, 1 << 63, math.MaxUint64}
	for seed := range uint64(20) {
		seeds = append(seeds, Seed(firstSeed(t), 3, seed))
	}
	without := featureSet(1<<numFeatures - 1).names()
	var tr trace.Trace
	for _, m := range apimodel.Models() {
		for _, f := range Families() {
			for _, b := range bounds {
				for _, off := range [][]string{nil, without, slices.DeleteFunc(slices.Clone(without), func(name string) bool { return name == gaps.String() })} {
					config := Config{Model: m, Family: f.Name, Without: off, Bounds: b}
					g := newGenerator(t, config)
					for _, seed := range seeds {
						g.Generate(seed, &tr)
						if err := withinBounds(&tr, g.config.Bounds); err != nil {
							t.Fatalf("%s, %+v, without %v, seed %#x: %v", f.Name, b, off, seed, err)
						}
					}
				}
			}
		}
	}
}

func withinBounds(tr *trace.Trace, b Bounds) error {
	in := inspect(tr)
	switch {
	case in.overflow || in.maxSum > b.MaxSum || in.maxWeight > b.MaxWeight || in.maxVars > b.MaxVars || len(tr.Calls) > b.MaxCalls:
		return fmt.Errorf("outside the bounds %+v: %d variables, %d calls, weight %d, sum %d", b, in.maxVars, len(tr.Calls), in.maxWeight, in.maxSum)
	case tr.Solves() == 0:
		return fmt.Errorf("no solve")
	}
	return trace.Check(tr)
}

// TestFarNames: with the gaps at their widest the numbers of variables grow and do not overflow.
func TestFarNames(t *testing.T) {
	for _, most := range []int{5, 1000, 50_000_000, math.MaxInt32/40 + 1, math.MaxInt32 - 1} {
		s := spread{maxVars: most, firstFar: 2, offset: 5000 + 1<<20, step: 40}
		s.closeUp()
		last := int32(0)
		for _, v := range []int{1, 2, most / 2, most - 1, most} {
			if name := s.name(int32(v)); name < int32(v) || name < last {
				t.Errorf("of at most %d variables, %d is called %d, an earlier one %d", most, v, name, last)
			} else {
				last = name
			}
		}
	}
}
