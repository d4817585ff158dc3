package trace

import "github.com/ipafuzz/ipafuzz/apimodel"

// Prefix returns a copy of the trace with only its first n calls and their answers.
func (t *Trace) Prefix(n int) *Trace {
	cut := t.Clone()
	cut.Calls = cut.Calls[:min(len(cut.Calls), n)]
	for _, answers := range []*Answers{&cut.Want, &cut.Got} {
		answers.Of = answers.Of[:min(len(answers.Of), n)]
	}
	return cut
}

// Project returns a trace with the calls of one instance, as instance 0 and without answers.
func (t *Trace) Project(instance uint16) *Trace {
	alone := &Trace{Model: t.Model}
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Instance == instance {
			alone.Append(t, c)
			alone.Calls[len(alone.Calls)-1].Instance = 0
		}
	}
	return alone
}

// Variables returns the distinct variables of the trace in order of first occurrence.
func (t *Trace) Variables() []int32 {
	var vars distinct
	for i := range t.Calls {
		vars.add(t, &t.Calls[i])
	}
	return vars.list
}

// Instances returns the number of distinct instances.
func (t *Trace) Instances() int {
	seen := make(map[uint16]struct{}, 2)
	for i := range t.Calls {
		seen[t.Calls[i].Instance] = struct{}{}
	}
	return len(seen)
}

// Concat joins traces into one. It makes the calls that the traces make one after the other in
// one process, including the init of each instance and the releases at the end of each trace.
func Concat(traces ...*Trace) *Trace {
	joined := &Trace{Model: traces[0].Model}
	walker := apimodel.NewWalker(joined.Model)
	for _, t := range traces {
		touched := make(map[uint16]bool)
		var order []uint16 // instances by first call: the executor releases them in this order
		walker.Reset(t.Model)
		for i := range t.Calls {
			c := &t.Calls[i]
			if !touched[c.Instance] && c.Op != apimodel.OpSignature {
				touched[c.Instance] = true
				order = append(order, c.Instance)
				if c.Op != apimodel.OpInit {
					joined.Plain(c.Instance, apimodel.OpInit)
				}
			}
			joined.Append(t, c)
			walker.Step(c.Instance, c.Op, apimodel.Outcome{Open: c.Flags&Open != 0})
		}
		for _, instance := range order {
			states := walker.States(instance)
			if states.Has(apimodel.Clause) {
				joined.Clause(instance, true)
			}
			if states != apimodel.Set(apimodel.None) {
				joined.Plain(instance, apimodel.OpRelease)
			}
		}
	}
	return joined
}
