package mutate

import (
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// writeWithout writes the calls to out, without those that are illegal or have a feature that is
// switched off. Removing a call may make another one illegal, so writeWithout repeats until nothing is
// left to remove. Every round removes at least one call or variable.
func (m *Mutator) writeWithout(calls []step, out *trace.Trace, most int) {
	if m.without&(1<<feature.Gaps|1<<feature.MaxVariable) != 0 {
		m.bringNear(calls)
	}
	for {
		m.write(calls, out, most)
		var again bool
		if calls, again = m.repair(calls, out); again {
			continue
		}
		drop := m.unwanted(out)
		if len(drop) == 0 {
			return
		}
		kept := calls[:0]
		for i := range calls {
			if !drop[i] {
				kept = append(kept, calls[i])
			}
		}
		if calls = kept; drop[-1] {
			m.plain(out)
			return
		}
	}
}

// unwanted returns the indices of the steps whose calls have a feature that is switched off. Index -1
// is the solve that write adds.
func (m *Mutator) unwanted(t *trace.Trace) map[int]bool {
	visible := feature.Visible
	if m.config.Model.File {
		visible |= 1 << feature.HardenSoft
	}
	without := m.without & visible &^ (1<<feature.Gaps | 1<<feature.MaxVariable)
	if without == 0 {
		return nil
	}
	drop := make(map[int]bool)
	from := func(i int) int {
		if i < len(m.origin) {
			return m.origin[i]
		}
		return -1
	}
	in := measure.NewInspection()
	lastRelease := make(map[uint16]int)
	var order []uint16 // of the instances
	for i := range t.Calls {
		c := &t.Calls[i]
		if !slices.Contains(order, c.Instance) {
			order = append(order, c.Instance)
		}
		shown := in.Next(t, c)
		if c.Op == apimodel.OpRelease {
			lastRelease[c.Instance] = i
		}
		if shown&without != 0 {
			drop[from(i)] = true
		}
	}
	if without.Has(feature.EarlyRelease) {
		for number, i := range lastRelease {
			if in.IsReleased(number) {
				drop[from(i)] = true
			}
		}
	}
	if n := len(order); n == 2 && without.Has(feature.TwoInstances) || n > 2 && without.Has(feature.ThreeInstances) {
		for i := range t.Calls {
			if t.Calls[i].Instance == order[n-1] {
				drop[from(i)] = true
			}
		}
	}
	return drop
}

// bringNear gives variables with the far numbers of the feature gaps the lowest free
// numbers.
func (m *Mutator) bringNear(calls []step) {
	taken, name := make(map[int32]bool), make(map[int32]int32)
	for i := range calls {
		for _, l := range calls[i].lits {
			taken[trace.Var(l)] = true
		}
	}
	next := int32(1)
	for i := range calls {
		copied := false
		for j, l := range calls[i].lits {
			v := trace.Var(l)
			if v < feature.LeastFar {
				continue
			}
			if name[v] == 0 {
				for taken[next] {
					next++
				}
				taken[next], name[v] = true, next
			}
			if !copied { // the literals may belong to a parent
				calls[i].lits, copied = slices.Clone(calls[i].lits), true
			}
			if l < 0 {
				calls[i].lits[j] = -name[v]
			} else {
				calls[i].lits[j] = name[v]
			}
		}
	}
}

// plain writes a trace that has no feature at all.
func (m *Mutator) plain(out *trace.Trace) {
	var calls []step
	if m.config.Model.Quantified() {
		calls = append(calls, step{call: trace.Call{Op: apimodel.OpExists}, lits: []int32{1}})
	}
	clause := step{call: trace.Call{Op: apimodel.OpClause}, lits: []int32{1}}
	if m.config.Model.File && m.config.Model.Optimizes() {
		clause.lits = []int32{1, 2} // it does not decide the soft clause
		calls = append(calls, step{call: trace.Call{Op: apimodel.OpSoftClause, Num: 1}, lits: []int32{1}})
	}
	calls = append(calls, clause)
	if m.config.Model.Call(apimodel.OpSoft) != nil {
		calls = append(calls, step{call: trace.Call{Op: apimodel.OpSoft, Num: 1}, lits: []int32{1}})
	}
	m.write(calls, out, apimodel.FewestCalls) // adds the solve
}
