package gen

import (
	"strconv"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen/draw"
	"github.com/ipafuzz/ipafuzz/trace"
)

// allocationSeed gives the place of the failing allocation random numbers of its own, so that the
// rest of the trace stays the same.
const allocationSeed = 0x616c6c6f63617465

// failAllocation adds the option that makes an allocation fail: one of the first few after a random
// call, or one of the first thousands of the trace.
func (g *emitter) failAllocation(seed uint64) {
	if !g.fits(1) {
		return
	}
	rand := draw.New(draw.Mix(seed ^ allocationSeed))
	var places []int
	open := make(map[uint16]bool)
	for i := range g.t.Calls {
		c := &g.t.Calls[i]
		if c.Op != apimodel.OpInit && c.Op != apimodel.OpSignature && !open[c.Instance] {
			places = append(places, i)
		}
		open[c.Instance] = c.Op == apimodel.OpClause && c.Flags&trace.Open != 0
	}
	if len(places) == 0 {
		return
	}
	at, n := places[0], 1+rand.Below(1<<rand.Below(13))
	if rand.Flip() {
		at, n = places[rand.Below(uint32(len(places)))], 1+rand.Below(8)
	}
	g.insertOption(at, apimodel.FailAllocation, strconv.Itoa(int(n)))
}

// insertOption inserts an option call before a call of the same instance.
func (g *emitter) insertOption(at int, name, value string) {
	g.t.SetOption(g.t.Calls[at].Instance, name, value)
	last := len(g.t.Calls) - 1
	option := g.t.Calls[last]
	copy(g.t.Calls[at+1:], g.t.Calls[at:last])
	g.t.Calls[at] = option
}

// startThreads adds the option that starts threads, if there are several instances.
func (g *emitter) startThreads() {
	if g.t.Instances() < 2 || !g.fits(1) {
		return
	}
	for i := range g.t.Calls {
		if op := g.t.Calls[i].Op; op != apimodel.OpInit && op != apimodel.OpSignature {
			g.insertOption(i, apimodel.Threads, "1")
			return
		}
	}
}
