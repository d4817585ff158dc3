package store

import (
	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// SeveralLives reports whether a trace uses several solvers, one after the other or at once, as traces do that were
// joined.
func SeveralLives(t *trace.Trace) bool {
	for i := range t.Calls {
		if t.Calls[i].Op.Does(apimodel.Renews) {
			return true
		}
	}
	return t.Instances() > 1
}

// AboutHistory says what is known about the earlier traces of a finding's process; "" if the original fails alone.
// several reports whether the minimal trace has several lives.
func (f *Facts) AboutHistory(several bool) string {
	earlier := printable.Things(f.History, "earlier trace")
	switch {
	case f.History == 0:
		return ""
	case several:
		return "needs up to " + earlier + " in the same process; the trace includes what it needs of them"
	}
	return "the original failed only after " + earlier + " in the same process; the minimal trace needs none of them"
}
