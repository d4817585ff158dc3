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
		switch c.Op {
		case apimodel.OpOption:
			if !takesOptions {
				return nil, cannotSay("%s: this language's solvers have no such call", at.place)
			}
			at.setting.Name, at.setting.Value = t.Option(c)
			if at.setting.Name == apimodel.FailAllocation {
				return nil, cannotSay("%s: in this language no allocation can be made to fail", at.place)
			}
			steps = append(steps, at)
			continue
		case apimodel.OpEnumerate:
			at.most = c.Num
			steps = append(steps, at)
		case apimodel.OpHavoc, apimodel.OpTerminate, apimodel.OpLearn:
			return nil, cannotSay("%s: this language's solvers have no such call", at.place)
		case apimodel.OpRelease:
			delete(solvers, c.Instance)
			steps = append(steps, at)
			continue
		case apimodel.OpClause:
			open[c.Instance] = append(open[c.Instance], t.Args(c)...)
			if c.Flags&trace.Open == 0 {
				at.lits = open[c.Instance]
				delete(open, c.Instance)
				steps = append(steps, at)
			}
		case apimodel.OpSoft:
			at.soft = softLit{t.Lit(c), c.Num}
			steps = append(steps, at)
		case apimodel.OpSolve:
			at.solve = s.solve(t, i, o)
			at.has = p.queriesOf(at.solve)
			at.has.values = at.has.values || t.Model.Interface() == apimodel.IPASIR // the program gets the model anyway
			steps = append(steps, at)
			continue
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
