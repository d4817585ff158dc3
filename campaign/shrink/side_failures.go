package shrink

import (
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostPerKey bounds the traces that are kept for each side failure.
const mostPerKey = 5

// SideFailures holds other failures seen during a reduction: for each key, the last traces that showed it,
// each smaller than the one before.
type SideFailures map[oracle.Key][]*trace.Trace

// Note adds a trace. It can be used as dd.Config.OnOther.
func (s SideFailures) Note(t *trace.Trace, failure dd.Failure) {
	key := failure.(oracle.Key)
	list := append(s[key], t)
	s[key] = list[max(0, len(list)-mostPerKey):]
}

// Next removes and returns the traces of the first key, the smallest first.
func (s SideFailures) Next() (key oracle.Key, smallestFirst []*trace.Trace) {
	key = slices.MinFunc(slices.Collect(maps.Keys(s)), oracle.Key.Compare)
	smallestFirst = s[key]
	slices.Reverse(smallestFirst)
	delete(s, key)
	return key, smallestFirst
}
