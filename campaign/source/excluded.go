package source

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Excludes returns a function that reports whether a smaller trace than t respects what the user excluded:
// the features that the cell avoids and the given traits. The smaller trace may have what t has, since a
// corpus or an external generator need not respect the exclusion. Excludes returns nil if nothing is
// excluded.
func (c *Cell) Excludes(traits []string, t *trace.Trace) func(smaller *trace.Trace) bool {
	has := measure.Inspect(t).Found
	features, err := feature.Parse(c.Generate.Without)
	if err != nil { // no trace can be generated for such a cell
		return nil
	}
	features &= feature.Visible &^ has
	traits = slices.DeleteFunc(slices.Clone(traits), func(trait string) bool { return HasTrait(t, []string{trait}) })
	if features == 0 && len(traits) == 0 {
		return nil
	}
	return func(smaller *trace.Trace) bool {
		return !HasTrait(smaller, traits) && measure.Inspect(smaller).Found&features == 0
	}
}
