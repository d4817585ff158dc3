package export

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// mostDecided is the maximum number of variables of a quantified formula that a program decides. The
// program tries all values.
const mostDecided = 20

// follow makes a call in the state of its quantified formula.
func (p *cProgram) follow(i int) {
	if !p.t.Model.Quantified() {
		return
	}
	instance := p.t.Calls[i].Instance
	if p.quantified[instance] == nil {
		p.quantified[instance] = qbf.NewState(instance)
	}
	p.quantified[instance].Apply(p.t, i)
}

// formula returns the quantified formula of the next solve, or nil in models without quantifiers.
func (p *cProgram) formula(s *solver) *qbf.Formula {
	state := p.quantified[s.instance]
	if state == nil {
		return nil
	}
	f := state.Formula()
	return &f
}

// closeQuantified writes assertions that the answer stays the same when the outermost block has the
// values, and when only the core is assumed.
func (p *cProgram) closeQuantified(v *solve, a string, has questions) {
	if p.want.model && has.values {
		status := 10
		if universal, _ := v.formula.Outermost(); universal {
			status = 20
		}
		p.under(fmt.Sprintf("%s.status == %d", a, status))
		p.comment("The answer is the same if the outermost block has its values.")
		p.expect(v.call, "values of the outermost block with which the answer is the same", "holds (&%s, &%s, 0)",
			p.game(v), a)
	}
	if p.want.core && has.core {
		p.under(fmt.Sprintf("%s.status == 10 || %s.status == 20", a, a))
		p.comment("The answer is the same under the assumptions that are blamed for it.")
		p.expect(v.call, "assumptions under which alone the answer is the same", "holds (&%s, &%s, 1)", p.game(v), a)
	}
	if p.want.others && has.values {
		p.closeOthers(v, a)
	}
	p.unguard()
}

// otherValues is the policy about values that the interface does not define: of variables outside
// of the outermost block, and of that block after the other answer.
const otherValues = "qbf-other-val"

// closeOthers writes an assertion that variables whose value the interface does not define got 0.
func (p *cProgram) closeOthers(v *solve, a string) {
	state := p.quantified[v.solver.instance]
	universal, last := state.OutermostLevels()
	var outer, inner []int32
	for _, variable := range p.named[v.solver.instance] {
		switch level := state.Level(variable); {
		case level > last:
			inner = append(inner, variable)
		case level >= 0:
			outer = append(outer, variable)
		}
	}
	lost := 20
	if universal {
		lost = 10
	}
	for _, list := range []struct {
		name, guard, comment string
		variables            []int32
	}{
		{"inner", fmt.Sprintf("%s.status == 10 || %s.status == 20", a, a),
			"Variables outside the outermost block have no values.", inner},
		{"outer", fmt.Sprintf("%s.status == %d", a, lost),
			"The answer says that no values of the outermost block win: it has none.", outer},
	} {
		if len(list.variables) == 0 {
			continue
		}
		p.under(list.guard)
		p.comment("%s", list.comment)
		name := fmt.Sprintf("%s_%d", list.name, v.call+1)
		p.table(name, list.variables)
		p.expect(v.call, "0 as the values of other variables", "valueless (&%s, %s, %d)", a, name, len(list.variables))
	}
}

func (p *cProgram) game(v *solve) string {
	name := fmt.Sprintf("g%d", v.call+1)
	if p.written[name] {
		return name
	}
	p.written[name] = true
	var clauses, prefix []int32
	for _, clause := range v.formula.Clauses {
		clauses = append(append(clauses, clause...), 0)
	}
	prefix = append(prefix, v.formula.Free()...)
	for _, block := range v.formula.Prefix {
		for _, variable := range block.Vars {
			if block.Universal {
				variable = -variable
			}
			prefix = append(prefix, variable)
		}
	}
	p.tooLarge = p.tooLarge || len(prefix) > mostDecided
	_, outermost := v.formula.Outermost()
	p.table("matrix_"+name, clauses)
	p.table("prefix_"+name, prefix)
	p.table("assumed_"+name, v.assumed)
	fmt.Fprintf(&p.data, "static const struct game %s = {matrix_%s, %d, prefix_%s, %d, %d, assumed_%s, %d};\n",
		name, name, len(clauses), name, len(prefix), len(outermost), name, len(v.assumed))
	return name
}
