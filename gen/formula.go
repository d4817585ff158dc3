package gen

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// FormulaNotes returns the header of a formula without calls: the family, whose name includes its
// version, and what else makes the formula again.
func (c *Config) FormulaNotes(family string, seed uint64) []string {
	o := notes.Origin{Generator: family, Seed: seed}
	for _, bound := range []struct {
		name  string
		value uint64
	}{
		{"max-vars", uint64(c.MaxVars)}, {"max-calls", uint64(c.MaxCalls)},
		{"max-weight", c.MaxWeight}, {"max-sum", c.MaxSum},
	} {
		if bound.value > 0 {
			o.Options = append(o.Options, fmt.Sprintf("%s=%d", bound.name, bound.value))
		}
	}
	if c.PlantFile != "" {
		o.Options = append(o.Options, "plant="+c.PlantFile)
	}
	return o.Notes()
}
