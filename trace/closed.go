package trace

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// CheckAgainst returns a *CheckError if the trace has a call that a target with this description refuses: a clause,
// because of a policy, or an option with a value that does not exist.
func CheckAgainst(t *Trace, d *apimodel.Description) error {
	if d.Policy("free-variable") == "rejected" {
		if err := CheckClosed(t); err != nil {
			return err
		}
	}
	if d.Policy("tautology") == "rejected" {
		if err := CheckContingent(t); err != nil {
			return err
		}
	}
	return checkOptions(t, d)
}

// checkOptions returns a *CheckError for the first option of the description with a value that it does not have.
// Options without a description are those of other targets.
func checkOptions(t *Trace, d *apimodel.Description) error {
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op != apimodel.OpOption {
			continue
		}
		name, value := t.Option(c)
		o := d.Option(name)
		if o == nil {
			continue
		}
		if err := o.Accepts(value); err != nil {
			return &CheckError{Call: i, Text: shortLine(t, i), Err: &Misuse{err.Error(), "a value that the target has", 2}}
		}
	}
	return nil
}

// CheckClosed returns a *CheckError for the first clause with a free variable: one that no block of
// the solver has. Some solvers refuse such clauses (policy free-variable).
func CheckClosed(t *Trace) error {
	type solver struct {
		instance uint16
		variable int32
	}
	bound := make(map[solver]bool)
	for i := range t.Calls {
		c := &t.Calls[i]
		switch {
		case c.Op.Binds():
			for _, v := range t.Args(c) {
				bound[solver{c.Instance, v}] = true
			}
		case c.Op == apimodel.OpClause:
			for k, lit := range t.Args(c) {
				if v := Var(lit); !bound[solver{c.Instance, v}] {
					return &CheckError{Call: i, Text: shortLine(t, i), Err: &Misuse{
						fmt.Sprintf("variable %d is free, and the target refuses free variables", v),
						"a variable of a block", k + 1}}
				}
			}
		case c.Op == apimodel.OpRelease:
			for key := range bound {
				if key.instance == c.Instance {
					delete(bound, key)
				}
			}
		}
	}
	return nil
}

// CheckContingent returns a *CheckError for the first clause with a literal and its negation. The
// error is at the second of the two. Some solvers misread such clauses (policy tautology).
func CheckContingent(t *Trace) error {
	open := make(map[uint16][]int32)
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op != apimodel.OpClause && c.Op != apimodel.OpImport {
			continue
		}
		for k, lit := range t.Args(c) {
			if slices.Contains(open[c.Instance], -lit) {
				return &CheckError{Call: i, Text: shortLine(t, i), Err: &Misuse{
					fmt.Sprintf("the clause also has %d, and the target refuses such clauses", -lit),
					"a clause without a literal and its negation", k + 1}}
			}
			open[c.Instance] = append(open[c.Instance], lit)
		}
		if c.Flags&Open == 0 {
			open[c.Instance] = open[c.Instance][:0]
		}
	}
	return nil
}
