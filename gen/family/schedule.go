package family

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Schedule says how the formula of a solver, and the calls about it, spread over the increments: the calls
// up to a solve. A family may wish one for its formulas.
type Schedule uint8

const (
	AnySchedule Schedule = iota
	OneShot
	AddAndSolve
	AssumeOnly
	ReweighOnly
	Hardening
	Freely
	Lexicographic
	CoreExtraction
	Activations
	BiObjective
	HittingSets
	Enumeration
	EverySchedule = iota // profiles without a list draw none from here on: their traces would change
)

const (
	Falsification Schedule = EverySchedule + iota

	// Only quantified formulas have the schedules below, and the first three above.
	Extending
	Frames
	Groups
	numSchedules
)

var schedules = [numSchedules]struct{ name, doc string }{
	AnySchedule: {"any", ""},
	OneShot:     {"one-shot", "the whole formula, one solve"},
	AddAndSolve: {"add-and-solve", "a part of the formula before every solve"},
	AssumeOnly:  {"assume-only", "the whole formula, then solves that differ by their assumptions alone"},
	ReweighOnly: {"weights-only", "the whole formula, then solves between which only weights change"},
	Hardening:   {"hardening", "soft literals become hard, one after the other"},
	Freely:      {"free", "every increment adds, assumes, changes weights or hardens as it likes"},
	Lexicographic: {"lexicographic",
		"one level of soft literals after the other; the level before is hardened or loses its weight"},
	CoreExtraction: {"core-extraction", "all soft literals are assumed to cost nothing, then fewer and fewer of them"},
	Activations: {"activation-literals",
		"clauses under a fresh literal that is assumed for a solve and then retired, as IC3 does"},
	BiObjective: {"bi-objective", "two objectives whose shares of the weights are swept against each other"},
	HittingSets: {"hitting-sets", "soft literals alone, and a new set that must be hit before every solve"},
	Enumeration: {"enumeration", "a clause that forbids one more assignment before every solve"},
	Falsification: {"falsification",
		"a part of the formula before every solve, and unit clauses and assumptions against a long clause"},
	Extending: {"extended-prefix",
		"blocks and variables come in stages, each with the clauses that need no later ones"},
	Frames: {"frames", "a walk in the tree of frames: push with a part of the clauses, pop, solve"},
	Groups: {"groups", "clauses in groups that are opened again, deactivated, activated and deleted"},
}

// A ScheduleShare is a schedule with its share of the traces that draw it.
type ScheduleShare struct {
	Schedule Schedule
	Share    uint32
}

// String returns the name of the schedule.
func (s Schedule) String() string { return schedules[s].name }

// Doc says in one line what the schedule does.
func (s Schedule) Doc() string { return schedules[s].doc }

// Schedules returns all schedules of formulas with or without quantifiers.
func Schedules(quantified bool) []Schedule {
	var all []Schedule
	for s := OneShot; s < numSchedules; s++ {
		if quantified && (s <= AssumeOnly || s > Falsification) || !quantified && s <= Falsification {
			all = append(all, s)
		}
	}
	return all
}

// SchedulesOf returns all schedules of a model. A formula file has one solve.
func SchedulesOf(m *apimodel.Model) []Schedule {
	if m.File {
		return []Schedule{OneShot}
	}
	return Schedules(m.Quantified())
}

// ScheduleNamed returns the schedule of that name for a model.
func ScheduleNamed(name string, m *apimodel.Model) (Schedule, error) {
	var known []string
	for _, s := range SchedulesOf(m) {
		if s.String() == name {
			return s, nil
		}
		known = append(known, s.String())
	}
	switch all := strings.Join(known, ", "); {
	case m.File:
		return 0, fmt.Errorf("a formula file has one solve: it has no schedule %q, only %s", name, all)
	case m.Quantified():
		return 0, fmt.Errorf("unknown schedule %q of quantified formulas; the schedules are %s", name, all)
	default:
		return 0, fmt.Errorf("unknown schedule %q; the schedules are %s", name, all)
	}
}
