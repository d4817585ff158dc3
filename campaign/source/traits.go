package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A trait is a property of a trace that generators cannot leave out, unlike the features of package gen. A
// campaign that avoids a trait generates such traces but does not run them.
type trait struct {
	Name string
	Doc  string
	has  func(t *trace.Trace, c *trace.Call) bool
}

// Traits are all traits but the options.
var Traits = []trait{
	{"assumptions", "a literal is assumed", func(_ *trace.Trace, c *trace.Call) bool { return c.Op == apimodel.OpAssume }},
	{"queries", "anything is asked about an answer", func(_ *trace.Trace, c *trace.Call) bool {
		return c.Op.AsksAnswer()
	}},
	{"long-clauses", "a clause of more than three literals", func(_ *trace.Trace, c *trace.Call) bool {
		return c.Op == apimodel.OpClause && c.Len > 3
	}},
}

// OptionTrait is the prefix of the traits for options: "option:NAME" means that the trace sets the option.
const OptionTrait = "option:"

// An AvoidError reports a name that is neither a feature nor a trait.
type AvoidError struct{ Name string }

// Error returns the message.
func (e *AvoidError) Error() string {
	var names []string
	for _, t := range Traits {
		names = append(names, t.Name)
	}
	return fmt.Sprintf("cannot avoid %q: want a feature that 'ipafuzz gen --features' lists, %s, or %sNAME",
		e.Name, strings.Join(names, ", "), OptionTrait)
}

// Avoidable divides names to avoid into features, which generators leave out, and traits, which filter
// generated traces. The features may be those of any model: a campaign may have targets of several.
func Avoidable(names []string) (without, filtered []string, err error) {
	for _, name := range names {
		_, unknown := feature.Parse([]string{name})
		switch {
		case unknown == nil:
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
