package gen

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/gen/quantified"
)

// A schedule says how the formula of an instance, and the calls about it, spread over the
// increments: the calls up to a solve.
type schedule uint8

const (
	anySchedule schedule = iota
	oneShot
	addAndSolve
	assumeOnly
	reweighOnly
	hardening
	freely
	lexicographic
	coreExtraction
	activations
	biObjective
	hittingSets
	enumeration
	everySchedule = iota // profiles without a list draw none from here on: their traces would change
)

const (
	falsification schedule = everySchedule + iota
	numSchedules
)

var scheduleTable = [numSchedules]struct {
	name string
	doc  string
}{
	anySchedule: {"any", ""},
	oneShot:     {"one-shot", "the whole formula, one solve"},
	addAndSolve: {"add-and-solve", "a part of the formula before every solve"},
	assumeOnly:  {"assume-only", "the whole formula, then solves that differ by their assumptions alone"},
	reweighOnly: {"weights-only", "the whole formula, then solves between which only weights change"},
	hardening:   {"hardening", "soft literals become hard, one after the other"},
	freely:      {"free", "every increment adds, assumes, changes weights or hardens as it likes"},
	lexicographic: {"lexicographic",
		"one level of soft literals after the other; the level before is hardened or loses its weight"},
	coreExtraction: {"core-extraction", "all soft literals are assumed to cost nothing, then fewer and fewer of them"},
	activations: {"activation-literals",
		"clauses under a fresh literal that is assumed for a solve and then retired, as IC3 does"},
	biObjective: {"bi-objective", "two objectives whose shares of the weights are swept against each other"},
	hittingSets: {"hitting-sets", "soft literals alone, and a new set that must be hit before every solve"},
	enumeration: {"enumeration", "a clause that forbids one more assignment before every solve"},
	falsification: {"falsification",
		"a part of the formula before every solve, and unit clauses and assumptions against a long clause"},
}

// String returns the name of the schedule.
func (s schedule) String() string { return scheduleTable[s].name }

// ScheduleInfo describes a schedule to the user.
type ScheduleInfo = quantified.ScheduleInfo

// Schedules returns all schedules.
func Schedules() []ScheduleInfo {
	var infos []ScheduleInfo
	for s := oneShot; s < numSchedules; s++ {
		infos = append(infos, ScheduleInfo{Name: scheduleTable[s].name, Doc: scheduleTable[s].doc})
	}
	return infos
}

func scheduleNamed(name string) (schedule, error) {
	var known []string
	for s := oneShot; s < numSchedules; s++ {
		if scheduleTable[s].name == name {
			return s, nil
		}
		known = append(known, scheduleTable[s].name)
	}
	return 0, fmt.Errorf("unknown schedule %q; the schedules are %s", name, strings.Join(known, ", "))
}

// needsSoft reports whether the schedule needs weights, which SAT has not.
func (s schedule) needsSoft() bool {
	switch s {
	case reweighOnly, hardening, lexicographic, biObjective, hittingSets:
		return true
	}
	return false
}

// Parameters of the schedules.
const (
	leastIncrements = 2
	mostIncrements  = 6 // more with many-solves
	mostAssumed     = 10
	tenthAgain      = 6 // P24 section 4.1.3: one time in six, assume another tenth of the variables
)

// planIncrement decides what a spread instance does before its next solve.
func (g *Generator) planIncrement(s *spread, first bool) {
	r := &g.rand
	g.beforeIncrement(&s.instance, first)
	s.todo = work{}
	rest := len(s.items) - s.next
	w := &s.todo
	switch s.schedule {
	case oneShot:
		w.items = rest
		w.assumes = g.fewAssumptions(s, 300)
	case addAndSolve:
		w.items = g.partOfFormula(s, rest)
		w.assumes = g.fewAssumptions(s, 400)
		if s.f.Tenths {
			w.assumes = g.tenths(s)
		}
	case assumeOnly:
		w.items = rest
		w.assumes = g.tenths(s)
	case reweighOnly:
		w.items = rest
		if !first {
			w.reweighs = r.Between(1, 4)
		}
		w.assumes = g.fewAssumptions(s, 150)
	case hardening:
		w.items = rest
		if !first {
			w.hardens = r.Between(1, 3)
		}
	case lexicographic:
		w.items = g.partOfFormula(s, rest)
		if !first {
			w.hardens = r.Between(0, 2)
			w.silence = true
		}
	case coreExtraction:
		w.items = rest
		w.softAssumes = len(s.softs)
		s.shrinking = !first
	case activations:
		if first {
			w.items = rest
		}
		w.actives = r.Between(1, 4)
	case biObjective:
		w.items = rest
		w.sweep = !first
	case hittingSets:
		if first {
			w.items = rest
		}
		w.hits = r.Between(1, 2)
	case enumeration:
		w.items = rest
		if !first {
			w.blocks = 1
		}
	case falsification:
		w.items = g.partOfFormula(s, rest)
		w.falsify = true
		w.assumes = g.fewAssumptions(s, 300)
	default:
		w.items = rest
		if s.increments > 1 {
			w.items = r.Between(0, rest)
		}
		w.assumes = g.fewAssumptions(s, 500)
		if !first && g.maxSAT && r.Chance(400) {
			w.reweighs = r.Between(1, 3)
		}
		if !first && r.Chance(200) {
			w.hardens = 1
		}
		if !first && r.Chance(100) {
			w.actives = 1
		}
	}
	if first && w.items == 0 && rest > 0 {
		w.items = 1
	}
}

// partOfFormula returns how many clauses this increment adds: those up to the family's next cut or,
// if there is none, an equal part of the rest.
func (g *Generator) partOfFormula(s *spread, rest int) int {
	for _, cut := range s.f.Cuts {
		if int(cut) > s.next && s.inOrder {
			return min(int(cut)-s.next, rest)
		}
	}
	return (rest + max(s.increments, 1) - 1) / max(s.increments, 1)
}

// fewAssumptions draws the number of assumptions of a solve, mostly 0.
func (g *Generator) fewAssumptions(s *spread, perMille uint32) int {
	if g.now.plain || !g.rand.Chance(perMille) {
		return 0
	}
	return g.rand.Between(1, min(mostAssumed, max(1, s.f.Vars)))
}

// tenths draws a number of assumptions, in tenths of the variables.
func (g *Generator) tenths(s *spread) int {
	tenth := max(1, s.f.Vars/10)
	n := tenth
	for n < s.f.Vars && g.rand.OneIn(tenthAgain) {
		n += tenth
	}
	return n
}
