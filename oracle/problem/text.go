package problem

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

const longText = 200 // variables in a text for people

// AssignmentText lists the literals that an assignment of the cube makes true, and the assumed
// literals outside the cube.
func (p *Problem) AssignmentText(assignment uint32) string {
	var b strings.Builder
	for i := range p.Vars.All {
		v := &p.Vars.All[i]
		number := v.Number
		switch {
		case v.Hidden:
			continue
		case v.Dim >= 0:
			if assignment>>v.Dim&1 == 0 {
				number = -number
			}
		case v.assumed[0] == p.Epoch:
		case v.assumed[1] == p.Epoch:
			number = -number
		default:
			continue
		}
		fmt.Fprintf(&b, "%d ", number)
	}
	return strings.TrimSpace(b.String())
}

// Searched says over how many variables the exhaustive search went, for people.
func (p *Problem) Searched() string {
	return "exhaustive search over " + printable.Things(p.Feasible.Dims(), "variable")
}

// ClauseText shows closed clause number i.
func (p *Problem) ClauseText(i int) string {
	var b strings.Builder
	b.WriteString("(")
	for n, l := range p.Clause(i) {
		if p.Vars.All[l.Index()].Hidden {
			b.WriteString("of the constraint:")
			n++
		}
		if n > 0 {
			b.WriteByte(' ')
		}
		if !p.Vars.All[l.Index()].Hidden {
			fmt.Fprintf(&b, "%d", p.Vars.NumberOf(l))
		}
	}
	b.WriteString(")")
	return b.String()
}

// ModelText lists the true literals of a solution of the reference.
func (p *Problem) ModelText(model []int32) string {
	var b strings.Builder
	for i, number := range model {
		if i == longText {
			b.WriteString("...")
			break
		}
		l := Lit(trace.Var(number)-1) << 1
		if number < 0 {
			l = l.Not()
		}
		if !p.Vars.All[l.Index()].Hidden {
			fmt.Fprintf(&b, "%d ", p.Vars.NumberOf(l))
		}
	}
	return strings.TrimSpace(b.String())
}

// ValuesText lists the known values.
func (p *Problem) ValuesText() string {
	var b strings.Builder
	for i := range p.Vars.All {
		if i == longText {
			b.WriteString("...")
			break
		}
		switch p.ValueOf(i) {
		case True:
			fmt.Fprintf(&b, "%d ", p.Vars.All[i].Number)
		case False:
			fmt.Fprintf(&b, "%d ", -p.Vars.All[i].Number)
		}
	}
	return strings.TrimSpace(b.String())
}
