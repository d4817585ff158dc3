package main

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen"
)

// profileFlags say which traces are made.
type profileFlags struct {
	Profile  string `help:"Kind of traces: a named set of families, schedules, rates and bounds; 'ipafuzz gen --list' lists them (default: tiny)." placeholder:"PROFILE"`
	Family   string `help:"Make the formulas of this family alone." placeholder:"FAMILY"`
	Schedule string `help:"Spread formulas over the calls by this schedule alone." placeholder:"SCHEDULE"`
}

// boundFlags limit the traces; what is not given is the profile's own bound.
type boundFlags struct {
	MaxVars   uint   `help:"Variables of an instance, at most." placeholder:"N"`
	MaxWeight uint64 `help:"Weight of a soft literal, at most." placeholder:"N"`
	MaxSum    uint64 `help:"Sum of the weights of an instance, at most." placeholder:"N"`
	MaxCalls  uint   `help:"Calls of a trace, at most (8 is the least)." placeholder:"N"`
}

func (b *boundFlags) bounds() gen.Bounds {
	return gen.Bounds{MaxVars: int(min(b.MaxVars, math.MaxInt32)), MaxCalls: int(min(b.MaxCalls, math.MaxInt32)),
		MaxWeight: b.MaxWeight, MaxSum: b.MaxSum}
}
