package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A trait is something that can be seen in a trace and that no generator can be told to
// leave out: traces that have it are made, and not run. What generators can
// leave out are the features of gen.
type trait struct {
	Name string
	Doc  string
	has  func(t *trace.Trace, c *trace.Call) bool
}

var Traits = []trait{
	{"assumptions", "a literal is assumed", func(_ *trace.Trace, c *trace.Call) bool { return c.Op == apimodel.OpAssume }},
	{"queries", "anything is asked about an answer", func(_ *trace.Trace, c *trace.Call) bool {
		return c.Op.AsksAnswer()
	}},
	{"long-clauses", "a clause of more than three literals", func(_ *trace.Trace, c *trace.Call) bool {
		return c.Op == apimodel.OpClause && c.Len > 3
	}},
}

// OptionTrait is the beginning of the names of traits that stand for an option.
const OptionTrait = "option:"

// An AvoidError is a name of something to avoid that there is not.
type AvoidError struct{ Name string }

func (e *AvoidError) Error() string {
	var names []string
	for _, t := range Traits {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("there is nothing called %q to avoid: there are the features that 'ipafuzz gen --features' "+
		"lists, %s, and %sNAME", e.Name, strings.Join(names, ", "), OptionTrait)
}

// Avoidable takes names apart: features that generators leave out, and traits by
// which traces are left out that were made.
func Avoidable(m *apimodel.Model, names []string) (without, filtered []string, err error) {
	known, err := gen.KnownFeatures(m, "")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		switch {
		case slices.ContainsFunc(known, func(f gen.FeatureInfo) bool { return f.Name == name }):
			without = append(without, name)
		case slices.ContainsFunc(Traits, func(t trait) bool {
			return t.Name == name
		}), strings.HasPrefix(name, OptionTrait) && name != OptionTrait:
			filtered = append(filtered, name)
		default:
			return nil, nil, &AvoidError{name}
		}
	}
	return without, filtered, nil
}

// HasTrait reports whether the trace has one of the traits.
func HasTrait(t *trace.Trace, names []string) bool {
	for _, name := range names {
		option, isOption := strings.CutPrefix(name, OptionTrait)
		at := slices.IndexFunc(Traits, func(t trait) bool { return t.Name == name })
		for i := range t.Calls {
			c := &t.Calls[i]
			if isOption && c.Op == apimodel.OpOption {
				if set, _ := t.Option(c); set == option {
					return true
				}
			}
			if at >= 0 && Traits[at].has(t, c) {
				return true
			}
		}
	}
	return false
}
