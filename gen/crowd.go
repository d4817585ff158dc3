package gen

import (
	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The profile crowd has up to hundreds of solvers at once: tables of handles have limits, and what is shared by
// mistake shows more often. Each solver has a short trace of its own, and the solvers take turns.

const (
	leastCrowd    = 4
	leastOfCrowd  = 20 // calls of each solver
	mostOfCrowd   = 40
	mostCrowdTurn = 6 // calls of a solver in a row
)

// makeCrowd makes the traces of the solvers and merges them.
func (g *emitter) makeCrowd() {
	r := &g.rand
	all, possible, limit := g.t, g.possible, g.config.MaxCalls
	n := g.crowdSize()
	for len(g.crowd) < n {
		g.crowd = append(g.crowd, trace.Trace{})
	}
	g.possible &^= 1<<feature.TwoInstances | 1<<feature.ThreeInstances
	g.config.MaxCalls = min(limit/n, r.Between(leastOfCrowd, mostOfCrowd))
	for i := range n {
		g.t = &g.crowd[i]
		g.t.Reset(g.model)
		g.draw()
		g.takeTurns([]player{&g.insts[0]})
	}
	g.t, g.possible, g.config.MaxCalls = all, possible, limit
	g.mergeCrowd(g.crowd[:n])
	if n > 1 {
		g.use(feature.TwoInstances)
		g.use(feature.ThreeInstances)
	}
}

// crowdSize draws the number of solvers. It is 1 if there must not be several, or if the bounds have no room for them.
func (g *emitter) crowdSize() int {
	if !g.possible.Has(feature.TwoInstances) || !g.possible.Has(feature.ThreeInstances) {
		return 1
	}
	n := min(g.doubled(leastCrowd, g.current.Crowd), g.config.MaxCalls/leastOfCrowd)
	if n < leastCrowd {
		return 1
	}
	return n
}

// mergeCrowd appends the calls of the traces to the generator's. First each solver gets a turn, so that all are alive
// at once.
func (g *emitter) mergeCrowd(parts []trace.Trace) {
	r := &g.rand
	done := make([]int, len(parts))
	running := make([]int, len(parts))
	turn := func(i, most int) {
		part := &parts[i]
		for range min(1+int(r.Below(uint32(most))), len(part.Calls)-done[i]) {
			g.t.Append(part, &part.Calls[done[i]])
			g.t.Calls[len(g.t.Calls)-1].Instance = uint16(i)
			done[i]++
		}
	}
	for i := range parts {
		running[i] = i
		turn(i, 2)
	}
	for len(running) > 0 {
		at := r.Below(uint32(len(running)))
		i := running[at]
		if turn(i, mostCrowdTurn); done[i] == len(parts[i].Calls) {
			running[at] = running[len(running)-1]
			running = running[:len(running)-1]
		}
	}
}
