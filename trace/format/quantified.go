package format

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/qbf"
)

// quantifiedSolves is like Solves, for models with quantifiers.
func quantifiedSolves(t *trace.Trace) (formulas []*Formula) {
	states := make(map[uint16]*qbf.State)
	greatest := make(map[uint16]int32)
	formulaAt := func(instance uint16, call int) *Formula {
		s := states[instance]
		f := s.Formula()
		_, outermost := s.Outermost()
		return &Formula{Clauses: f.Clauses, Prefix: f.Prefix, Outermost: outermost,
			Assumptions: slices.Clone(s.Assumptions()), MaxVar: greatest[instance], Call: call}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		if states[c.Instance] == nil {
			states[c.Instance] = qbf.NewState(c.Instance)
		}
		if c.Op.HasLits() {
			for _, lit := range t.Args(c) {
				greatest[c.Instance] = max(greatest[c.Instance], trace.Var(lit))
			}
		}
		switch c.Op {
		case apimodel.OpSolve:
			formulas = append(formulas, formulaAt(c.Instance, i))
		case apimodel.OpRelease:
			greatest[c.Instance] = 0
		}
		states[c.Instance].Apply(t, i)
	}
	if len(formulas) == 0 {
		instance := uint16(0)
		if n := len(t.Calls); n > 0 {
			instance = t.Calls[n-1].Instance
		} else {
			states[0] = qbf.NewState(0)
		}
		formulas = append(formulas, formulaAt(instance, len(t.Calls)))
	}
	return formulas
}

func (f *Formula) hasUniversal() bool {
	return slices.ContainsFunc(f.Prefix, func(b qbf.Block) bool { return b.Universal && len(b.Vars) > 0 })
}

// AssumesUniversal reports whether an assumption is about a universal variable. In a file, that
// variable is existential and outermost, and has a unit clause.
func (f *Formula) AssumesUniversal() bool {
	for _, block := range f.Prefix {
		for _, lit := range f.Assumptions {
			if block.Universal && slices.Contains(block.Vars, trace.Var(lit)) {
				return true
			}
		}
	}
	return false
}

// assumed returns the formula with unit clauses for the assumptions. Assumed universal
// variables become existential and outermost. Since they belong to the outermost block, this
// fixes their values.
func (f *Formula) assumed() *qbf.Formula {
	whole := &qbf.Formula{Prefix: f.Prefix, Clauses: slices.Collect(f.Hard)}
	if !f.AssumesUniversal() {
		return whole
	}
	outer := qbf.Block{}
	for _, lit := range f.Assumptions {
		outer.Vars = append(outer.Vars, trace.Var(lit))
	}
	whole.Prefix = []qbf.Block{outer}
	for _, block := range f.Prefix {
		vars := slices.DeleteFunc(slices.Clone(block.Vars), func(v int32) bool { return slices.Contains(outer.Vars, v) })
		whole.Prefix = append(whole.Prefix, qbf.Block{Universal: block.Universal, Vars: vars})
	}
	return whole
}

func traceOf(f *qbf.Formula, notes []string) *trace.Trace {
	t := &trace.Trace{Model: apimodel.QBF, Notes: notes}
	f.Append(t)
	t.Plain(0, apimodel.OpSolve)
	t.Plain(0, apimodel.OpModel)
	return t
}
