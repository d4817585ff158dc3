package main

import (
	"math"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// tracesFlags say which traces are made, the profile left out.
type tracesFlags struct {
	Family   string   `help:"Make the formulas of this family alone." placeholder:"FAMILY"`
	Schedule string   `help:"Spread formulas over the calls by this schedule alone." placeholder:"SCHEDULE"`
	Without  []string `help:"Features that traces must not have, to get past a shallow fault; 'ipafuzz gen --features' lists them." placeholder:"FEATURE"`
	Plant    string   `help:"Seed formula of the family planted: the clauses of this trace." placeholder:"TRACE"`

	MaxVars   uint   `help:"Variables of an instance, at most (default of this and the other bounds: the profile's own; a target's description may set less)." placeholder:"N"`
	MaxWeight uint64 `help:"Weight of a soft literal, at most." placeholder:"N"`
	MaxSum    uint64 `help:"Sum of the weights of an instance, at most." placeholder:"N"`
	MaxCalls  uint   `help:"Calls of a trace, at most (8 is the least)." placeholder:"N"`
}

// choices is what the flags say for a profile, "" the default one.
func (f *tracesFlags) choices(profile string) (gen.Config, error) {
	config := gen.Config{Profile: profile, Family: f.Family, Schedule: f.Schedule, Without: f.Without, PlantFile: f.Plant,
		Bounds: gen.Bounds{MaxVars: int(min(f.MaxVars, math.MaxInt32)), MaxCalls: int(min(f.MaxCalls, math.MaxInt32)),
			MaxWeight: f.MaxWeight, MaxSum: f.MaxSum}}
	if f.Plant == "" {
		return config, nil
	}
	item, err := sources.One(f.Plant, traceSources())
	if err != nil {
		return config, useError{err}
	}
	config.Plant = gen.FormulaOf(item.Trace)
	if config.Family == "" {
		config.Family = "planted"
	}
	return config, nil
}
