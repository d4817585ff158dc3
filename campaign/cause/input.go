package cause

import "github.com/ipafuzz/ipafuzz/trace"

// An Input says how ordinary an input is that makes a target fail. Lower is more ordinary.
type Input uint8

const (
	PlainInput       Input = iota // a formula and one solve
	IncrementalInput              // several solves, assumptions, callbacks, options
	RareInput                     // what few traces have anywhere
	HugeInput                     // large weights
)

// Input returns how ordinary the least ordinary thing is that the cause names. If the cause is unknown, whatever the
// minimal trace has may be needed.
func (c Cause) Input(minimal *trace.Trace) (least Input) {
	if c != "" {
		for _, v := range c.Needs() {
			least = max(least, c.input(v))
		}
		return least
	}
	for i := range variants {
		if v := &variants[i]; c.input(v) > least && v.In(minimal) {
			least = c.input(v)
		}
	}
	return least
}

// input returns how ordinary a need of the cause is.
func (c Cause) input(v *Variant) Input {
	switch {
	case v.Name == "large-weight":
		return HugeInput
	case c.isRareInput(v):
		return RareInput
	case v.use || v.place || c.isChange(v):
		return IncrementalInput
	}
	return PlainInput
}

// AddsInput reports whether t has rare inputs that the given trace does not have, other than those that are left if
// others go. For example, one variable in place of two can repeat a literal. Such a trace may fail because of another
// fault.
func AddsInput(given, t *trace.Trace) bool {
	for i := range variants {
		if v := &variants[i]; v.rare && !v.place && !v.left && v.In(t) && !v.In(given) {
			return true
		}
	}
	return false
}
