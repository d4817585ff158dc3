package export

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A step is a call of a scripted program: a program in another language, for a solver that takes
// whole clauses, returns whole models, and takes the assumptions as arguments of solve.
type step struct {
	op       apimodel.Op // init, release, option, clause, soft, solve, enumerate
	instance uint16
	lits     []int32 // of a clause
	soft     softLit
	solve    *solve
	has      questions // about a solve
	setting  Setting
	most     uint64 // of enumerate
	place    string
}

// stepsOf turns a trace into steps. It returns an error for calls that such an interface
// cannot express.
func stepsOf(t *trace.Trace, o *Options, takesOptions bool) ([]step, error) {
	var steps []step
	p := &cProgram{t: t}
	solvers := make(map[uint16]*solver)
	open := make(map[uint16][]int32)
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op == apimodel.OpSignature {
			continue
		}
		s := solvers[c.Instance]
		if s == nil {
			s = newSolver(c, "")
			solvers[c.Instance] = s
			steps = append(steps, step{op: apimodel.OpInit, instance: c.Instance})
			for i := range o.Settings {
				if takesOptions {
					steps = append(steps, step{op: apimodel.OpOption, instance: c.Instance, setting: o.Settings[i],
						place: "an option of the target"})
				}
			}
		}
		at := step{op: c.Op, instance: c.Instance, place: place(t, i)}
		write := &forms[c.Op]
		if c.Op.Does(apimodel.Steers) && (write.java == nil || !takesOptions) {
			return nil, cannotSay("%s: this language's solvers have no such call", at.place)
		}
		switch c.Op.Form() {
		case apimodel.FormText:
			at.setting.Name, at.setting.Value = t.Option(c)
			if at.setting.Name == apimodel.FailAllocation {
				return nil, cannotSay("%s: in this language no allocation can be made to fail", at.place)
			}
		case apimodel.FormSoft:
			at.soft = softLit{t.Lit(c), c.Num}
		case apimodel.FormNumber:
			at.most = c.Num
		case apimodel.FormLits:
			at.lits = append(open[c.Instance], t.Args(c)...)
			open[c.Instance] = nil
		}
		switch {
		case c.Flags&trace.Open != 0:
			open[c.Instance] = at.lits
		case c.Op == apimodel.OpRelease:
			delete(solvers, c.Instance)
		case c.Op == apimodel.OpSolve:
			at.solve = s.solve(t, i, o)
			at.has = p.queriesOf(at.solve)
			at.has.values = at.has.values || t.Model.Interface() == apimodel.IPASIR // the program gets the model anyway
		}
		if c.Flags&trace.Open == 0 && c.Op != apimodel.OpInit && (write.python != nil || write.java != nil) {
			steps = append(steps, at)
		}
		s.take(t, c)
	}
	return steps, nil
}

// scriptable returns what a scripted program must check to see a failure.
func scriptable(f Failure) (wanted, error) {
	w, err := wantedFor(f)
	if err == nil && (w.stop || w.apart || w.learned && f.Class != "" || w.tooLong && f.Class != "" || w.leak ||
		w.message || w.unseen) {
		err = cannotSay("a fault of class %s cannot be shown in this language", f.Class)
	}
	return w, err
}
