package cause

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Cause says what a failure needs: the names of the variants that keep the trace from failing, in the
// order of the table variants, joined by " + ". A failure that needs nothing special has the cause Nothing.
// Causes are comparable. The zero Cause is unknown.
type Cause string

// Nothing is the cause of a failure that needs nothing special.
const Nothing Cause = "nothing"

const joint = " + "

// causeOf returns the cause that names the variants.
func causeOf(needed []*Variant) Cause {
	var names []string
	for i := range variants {
		if slices.Contains(needed, &variants[i]) {
			names = append(names, variants[i].Name)
		}
	}
	if len(names) == 0 {
		return Nothing
	}
	return Cause(strings.Join(names, joint))
}

// Parse parses the text of a cause.
func Parse(text string) (Cause, error) {
	if text == "" || Cause(text) == Nothing {
		return Cause(text), nil
	}
	var needed []*Variant
	for name := range strings.SplitSeq(text, joint) {
		v := Named(name)
		if v == nil {
			return "", fmt.Errorf("%q is not a cause: unknown variant %q", text, name)
		}
		needed = append(needed, v)
	}
	if c := causeOf(needed); string(c) != text {
		return "", fmt.Errorf("%q is not a cause: the names are out of order, want %q", text, c)
	}
	return Cause(text), nil
}

// UnmarshalText reads a cause; an empty text is the unknown cause.
func (c *Cause) UnmarshalText(text []byte) (err error) {
	*c, err = Parse(string(text))
	return err
}

// Needs returns the variants that the cause names.
func (c Cause) Needs() []*Variant {
	if c == "" || c == Nothing {
		return nil
	}
	var needed []*Variant
	for name := range strings.SplitSeq(string(c), joint) {
		if v := Named(name); v != nil {
			needed = append(needed, v)
		}
	}
	return needed
}

// Sentence says in plain English what the failure of a minimal trace needs.
func (c Cause) Sentence(minimal *trace.Trace) string {
	switch needed := c.Needs(); {
	case c == "":
		return "cause unknown"
	case len(needed) > 0:
		var parts []string
		for _, v := range needed {
			parts = append(parts, v.needs(minimal))
		}
		return "needs " + listed(parts)
	}
	return "no special input needed: fails for " + describe(minimal)
}

// Unexplained says how a minimal trace of unknown cause fails and why no experiment tells the cause. always
// reports whether the trace failed in all its runs.
func Unexplained(class oracle.Class, minimal *trace.Trace, always bool) string {
	why, when := "its cause was not determined", ""
	switch {
	case class == oracle.TooMuchOutput:
		why = "no experiment tells what it needs, since a trace with less in it may just stay below the limit"
	case class == oracle.TooSlow && !hasVersions(minimal):
		why = "no experiment tells what else it needs, since nothing special can be taken out of it"
	case class == oracle.TooSlow:
		why = "no experiment tells what else it needs, since no version of it was quick"
	case class == oracle.TooMuchMemory:
		why = "no experiment tells what else it needs, since no version of it needed little"
	case class == oracle.Leak:
		why = "no experiment tells what it needs, since a trace with less in it may just lose less"
	case class == oracle.FailedAllocation:
		why = "no experiment tells what else it needs, since a trace with less in it makes another allocation fail"
		when = " when an allocation fails"
	case !always:
		why = "no experiment tells what it needs, since it does not fail in every run"
	}
	return "fails for " + describe(minimal) + when + "; " + why
}

// hasVersions reports whether a variant applies to the trace.
func hasVersions(t *trace.Trace) bool {
	return slices.ContainsFunc(variants, func(v Variant) bool { return len(v.Versions(t)) > 0 })
}

// listed joins parts as "a, b and c".
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// describe counts the parts of a trace.
func describe(t *trace.Trace) string {
	counts := make(map[apimodel.Op]int)
	clauses := len(clausesOf(t))
	for i := range t.Calls {
		counts[t.Calls[i].Op]++
	}
	var parts []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "one "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	kind := ""
	if counts[apimodel.OpSoftClause] > 0 {
		kind = "hard "
	}
	add(clauses, kind+"clause", kind+"clauses")
	add(counts[apimodel.OpSoft], "soft literal", "soft literals")
	add(counts[apimodel.OpSoftClause], "soft clause", "soft clauses")
	add(counts[apimodel.OpAssume], "assumption", "assumptions")
	without := ""
	if clauses+counts[apimodel.OpSoft]+counts[apimodel.OpSoftClause] == 0 {
		without = " without clauses"
	}
	add(counts[apimodel.OpSolve], "solve"+without, "solves"+without)
	for _, op := range slices.Sorted(maps.Keys(counts)) {
		if op.AsksAnswer() {
			add(counts[op], "call of "+op.String(), "calls of "+op.String())
		}
	}
	if len(parts) == 0 {
		return fmt.Sprintf("a trace of %d calls", len(t.Calls))
	}
	return listed(parts)
}

// has reports whether the cause is known and names all that another one names.
func (c Cause) has(other Cause) bool {
	needs := c.Needs()
	return c != "" && other != "" &&
		!slices.ContainsFunc(other.Needs(), func(v *Variant) bool { return !slices.Contains(needs, v) })
}

// needsAny reports whether the cause names anything.
func (c Cause) needsAny() bool { return c != "" && c != Nothing }

// plain returns the cause without weights above 1, which only tell one solution from another.
func (c Cause) plain() Cause {
	return c.only(func(v *Variant) bool { return v.Name != "unequal-weights" })
}

// rareInputs returns the part of the cause that names inputs that few traces have anywhere.
func (c Cause) rareInputs() Cause { return c.only(c.isRareInput) }

func (c Cause) isRareInput(v *Variant) bool { return v.rare && !v.place && !c.isChange(v) }

// only returns the part of a known cause whose variants satisfy some.
func (c Cause) only(some func(v *Variant) bool) Cause {
	if c == "" {
		return ""
	}
	return causeOf(slices.DeleteFunc(c.Needs(), func(v *Variant) bool { return !some(v) }))
}

// isChange reports whether a need of the cause is a change since an earlier solve, such as an assumption that no longer
// holds, or a pop.
func (c Cause) isChange(v *Variant) bool { return v.change || v.undoes && c.needsSecondSolve() }

// needsSecondSolve reports whether the cause names anything about a second solve.
func (c Cause) needsSecondSolve() bool {
	return slices.ContainsFunc(c.Needs(), func(v *Variant) bool {
		return v.Name == "incremental" || v.Within == "incremental"
	})
}
