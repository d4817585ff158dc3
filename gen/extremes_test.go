package gen

import (
	"fmt"
	"math"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExtremes: traces are legal and within the bounds for extreme and contradictory bounds and extreme seeds.
func TestExtremes(t *testing.T) {
	t.Parallel()
	start := testseed.Of(t, 1)
	bounds := []Bounds{
		{MaxVars: math.MaxInt32, MaxCalls: 200},
		{MaxVars: 50_000_000, MaxCalls: 200},
		{MaxVars: 1, MaxCalls: 8, MaxWeight: math.MaxUint64, MaxSum: 1},
		{MaxVars: 40, MaxCalls: 100, MaxWeight: 1, MaxSum: math.MaxUint64},
		{MaxVars: 40, MaxCalls: math.MaxInt32, MaxWeight: math.MaxUint64, MaxSum: math.MaxUint64},
	}
	seeds := []uint64{0, 1, math.MaxInt64, 1 << 63, math.MaxUint64}
	for seed := range uint64(20) {
		seeds = append(seeds, draw.Seed(start, 3, seed))
	}
	all := feature.All()
	var tr trace.Trace
	for _, m := range apimodel.Models() {
		for _, f := range family.All() {
			for _, b := range bounds {
				for _, off := range [][]string{nil, all.Names(), (all &^ (1 << feature.Gaps)).Names()} {
					config := Config{Model: m, Family: f.Name, Without: off, Bounds: b}
					g := newGenerator(t, config)
					for _, seed := range seeds {
						g.Generate(seed, &tr)
						if err := withinBounds(&tr, measure.Inspect(&tr), g.config.Bounds); err != nil {
							t.Fatalf("%s, %+v, without %v, seed %#x: %v", f.Name, b, off, seed, err)
						}
					}
				}
			}
		}
	}
}

// withinBounds returns an error unless the trace is legal, keeps the bounds and has a solve.
func withinBounds(tr *trace.Trace, in *measure.Inspection, b Bounds) error {
	switch {
	case in.Overflow || in.MaxSum > b.MaxSum || in.MaxWeight > b.MaxWeight || in.MaxVars > b.MaxVars ||
		len(tr.Calls) > b.MaxCalls:
		return fmt.Errorf("outside the bounds %+v: %d variables, %d calls, weight %d, sum %d",
			b, in.MaxVars, len(tr.Calls), in.MaxWeight, in.MaxSum)
	case tr.Solves() == 0:
		return fmt.Errorf("no solve")
	}
	return trace.Check(tr)
}

// TestFarNames: with the widest gaps, the numbers of variables increase and do not overflow.
func TestFarNames(t *testing.T) {
	t.Parallel()
	for _, most := range []int{5, 1000, 50_000_000, math.MaxInt32/40 + 1, math.MaxInt32 - 1} {
		s := spread{maxVars: most, firstFar: 2, offset: 5000 + 1<<20, step: 40}
		s.closeUp()
		last := int32(0)
		for _, v := range []int{1, 2, most / 2, most - 1, most} {
			if name := s.name(int32(v)); name < int32(v) || name < last {
				t.Errorf("with at most %d variables, variable %d is called %d, an earlier one %d", most, v, name, last)
			} else {
				last = name
			}
		}
	}
}
