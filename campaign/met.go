package campaign

import (
	"maps"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mostPerKey bounds the traces that are kept of one other failure: five for a
// solver and a fault, as in the published studies.
const mostPerKey = 5

// Met are the last traces that showed other failures while one was made small,
// by key. Each is smaller than the one before it.
type Met map[oracle.Key][]*trace.Trace

// Note takes a trace. It is what a Minimizer calls OnOther.
func (m Met) Note(t *trace.Trace, key oracle.Key) {
	list := append(m[key], t)
	m[key] = list[max(0, len(list)-mostPerKey):]
}

// Next takes out the traces of the next key, the smallest first.
func (m Met) Next() (key oracle.Key, smallestFirst []*trace.Trace) {
	key = slices.MinFunc(slices.Collect(maps.Keys(m)), oracle.Key.Compare)
	smallestFirst = m[key]
	slices.Reverse(smallestFirst)
	delete(m, key)
	return key, smallestFirst
}
