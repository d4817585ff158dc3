package doctor

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/file"
)

// programAdvice returns what to look at when a case fails on a program. Advice for libraries is about their
// functions, or about ways of running them that programs do not have.
func programAdvice(r *conform.Result, excuse, forLibraries string) string {
	if key := wrongKey(r); key != "" { // and then it did not refuse what the case is about
		return key
	}
	if excuse != "" {
		return excuse
	}
	class := oracle.Class(r.Class)
	if class == oracle.OtherExit && !strings.HasPrefix(r.Detail, "exit ") {
		class = oracle.Abort // a panic or an exception: the exit code is no answer
	}
	switch class {
	case oracle.WrongStatus:
		return programRemedy
	case oracle.OtherExit:
		return programRemedy
	case oracle.Segfault, oracle.Abort:
		return fmt.Sprintf("Run the program on the formula that call %d has by then. If its input has no such formulas, "+
			"name their kind in the key unreadable of its entry.", r.Call)
	case oracle.GaveUp:
		return "If the program may give up, set kind = \"incomplete\" in its entry; " +
			"if it says SATISFIABLE of a best solution, satisfiable-is-optimum = true."
	}
	if forLibraries != r.Case.Advice {
		return forLibraries
	}
	return fmt.Sprintf("The program starts anew for each solve: look at what it makes of the formula that call %d has "+
		"by then.", r.Call)
}

// wrongKey says which key of the entry does not fit if the program answered, but in another way than the entry says.
func wrongKey(r *conform.Result) string {
	switch {
	case oracle.Class(r.Class) != oracle.WrongStatus:
	case strings.HasSuffix(r.Observed, ", its exit code 0"):
		return "It ends with exit code 0 whatever it answers: set exit-codes = \"zero\" in its entry."
	case strings.HasSuffix(r.Observed, `begins "SAT"`), strings.HasSuffix(r.Observed, `begins "UNSAT"`):
		return "It answers as MiniSat does: set dialect = \"minisat\" in its entry."
	}
	return ""
}

// A printing tells which answers a program printed, or did not print, in the cases that ran.
type printing struct{ values, costs answers }

type answers struct{ given, missing bool }

// see reads the answers in the log of a case.
func (p *printing) see(r *conform.Result) {
	for line := range strings.Lines(r.Log) {
		call, answer, answered := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if answer == "-" {
			continue // withheld: there was no solution to ask about
		}
		var a *answers
		switch name, _, _ := strings.Cut(call, " "); name {
		case apimodel.OpVal.String(), apimodel.OpModel.String():
			a = &p.values
		case apimodel.OpObj.String():
			a = &p.costs
		default:
			continue
		}
		a.given, a.missing = a.given || answered, a.missing || !answered && r.Outcome == conform.Unchecked
	}
}

// notes says what a program never printed. Many print values only if an option says so, and without values no
// solution is checked.
func (p *printing) notes(c *Checkup, target *replay.Target) {
	const why = "is there an option that makes it print them? docs/targets.md lists what each dialect prints"
	if p.values.missing && !p.values.given {
		what, reason := "it prints no values of variables", why
		if unread := file.Unread(target); unread != "" {
			what = "its values of variables cannot be read"
			reason = unread + ". Set another dialect in its entry, or let a script rewrite the line."
		}
		c.add(Unchecked, what, "so its solutions are not checked: "+reason)
	}
	if p.costs.missing && !p.costs.given {
		c.add(Unchecked, "it prints no costs", "so they are not compared with its solutions: "+why)
	}
}
