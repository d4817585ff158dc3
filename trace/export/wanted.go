package export

import (
	"slices"
	"strings"
)

// A wanted says what a program checks. It follows from the class of the failure, so that the
// program fails only because of that failure.
type wanted struct {
	status  bool // every status is right
	claims  bool // no status claims or denies a solution wrongly
	known   bool // the status is one that the interface knows
	optimum bool // what the status calls optimal is optimal
	cost    bool // the objective is the cost of the model
	model   bool // the model fulfils clauses and assumptions
	values  bool // values do not contradict each other
	unseen  bool // a variable that nobody named has no value
	others  bool // variables that can have no value in a quantified formula have none
	failed  bool // failed assumptions do not contradict each other
	core    bool // the failed assumptions are a core
	repeat  bool // the same problem has the same answer
	stop    bool // the terminate callback is obeyed
	apart   bool // a solve calls no callback of another instance
	learned bool // the clauses imply the learned ones
	tooLong bool // learned clauses are not too long
	codes   bool // right calls return no error code, wrong ones do
	crash   bool // the program reaches its end
	guarded bool // the same under limits, which another process checks
	leak    bool // the heap does not grow
	message bool // the library does not print the error message
}

// answers reports whether the program checks answers of the library.
func (w *wanted) answers() bool { return !w.crash && !w.guarded && !w.leak && !w.message }

// withoutChecks returns what a program for model qbf can check: the statuses that the trace says are
// right. A program that decides formulas also checks values or a core, if the failure is about them.
func (w wanted) withoutChecks(f Failure, decides bool) (wanted, error) {
	checked := wanted{status: w.status, claims: w.claims, known: w.known, stop: w.stop, apart: w.apart, crash: w.crash,
		guarded: w.guarded, leak: w.leak, message: w.message}
	if decides && f.Class != "" {
		checked.model, checked.core, checked.failed = w.model, w.core, w.failed
		checked.values, checked.unseen, checked.others = w.values, w.unseen, w.others
	}
	switch {
	case checked != (wanted{}):
		return checked, nil
	case w.model || w.core || w.values || w.failed || w.others:
		return w, cannotSay("a fault of class %s is in the values or assumptions that a solve is asked for, and programs "+
			"for qdpll.h check its status only; --to c writes a program for the adapter", f.Class)
	}
	return w, cannotSay("a fault of class %s shows by a comparison that programs with quantified formulas do not make",
		f.Class)
}

const tooMuchOutput = "4.7"

func wantedFor(f Failure) (wanted, error) {
	switch f.Class {
	case "":
		return wanted{status: true, known: true, optimum: true, cost: true, model: true, values: true, failed: true,
			core: true, repeat: true, learned: true, tooLong: true, codes: true}, nil
	case "2.1":
		return wanted{optimum: true}, nil
	case "2.2":
		return wanted{optimum: true, cost: true}, nil
	case "2.3":
		if strings.Contains(f.Detail, "optim") {
			return wanted{optimum: true}, nil
		}
		return wanted{cost: true}, nil
	case "2.4", "2.5":
		return wanted{claims: true}, nil
	case "2.6":
		return wanted{model: true}, nil
	case "1.1", "1.2", "1.3", "1.4", "1.5":
		return wanted{crash: true}, nil
	case "1.6", "1.7", "3.1", "3.2", tooMuchOutput:
		return wanted{guarded: true}, nil
	case "4.1":
		return wanted{known: true}, nil
	case "4.3":
		if NeedsThreadSanitizer(f) {
			return wanted{crash: true}, nil // the sanitizer sets the exit code
		}
		if len(wordsOf(f.Detail)) > 0 {
			return wanted{message: true}, nil
		}
	case "4.2":
		return wanted{}, cannotSay("a fault of class 4.2 is in a list of values that a solver program writes; a client of " +
			"a library asks for one value at a time. Export the file that the program reads (--to wcnf, --to cnf)")
	case "5.1":
		return wanted{codes: true}, nil
	case "4.5", "4.6":
		return wanted{}, cannotSay("no check finds faults of class %s, so there is nothing that a program could look at",
			f.Class)
	case "4.4":
		return wanted{status: true}, nil
	case "5.2":
		others := f.Detail == "value of another variable" || f.Detail == "value after the other answer"
		return wanted{values: !others, others: others, unseen: strings.Contains(f.Detail, "unseen")}, nil
	case "5.3":
		return wanted{core: f.Detail == "not a core", failed: f.Detail != "not a core"}, nil
	case "5.4":
		return wanted{repeat: true}, nil
	case "5.5", "5.8":
		return wantedAmongOthers(f)
	case "5.6":
		if f.Detail == "stays stopped" {
			return wanted{status: true}, nil
		}
		if f.Detail == "calls a callback of another instance" {
			return wanted{apart: true}, nil
		}
		return wanted{stop: true}, nil
	case "5.7":
		return wanted{leak: true}, nil
	case "6.1":
		return wanted{learned: true}, nil
	case "6.2":
		return wanted{tooLong: true}, nil
	}
	return wanted{}, cannotSay("a fault of class %s cannot be shown by a program", f.Class)
}

// wantedAmongOthers returns what to check if the failure shows only beside other instances, or
// after an allocation has failed. The detail says what fails.
func wantedAmongOthers(f Failure) (wanted, error) {
	_, inner, _ := strings.Cut(f.Detail, ": ")
	class, detail, _ := strings.Cut(inner, " ")
	if class == "status" || class == "objective" {
		return wanted{claims: true, optimum: true}, nil
	}
	if class == "5.5" || class == "" {
		return wanted{}, cannotSay("the failure %q does not say what is wrong", f.Detail)
	}
	return wantedFor(Failure{class, detail})
}

// NeedsThreadSanitizer reports whether the failure shows only in a program that was built with
// -fsanitize=thread.
func NeedsThreadSanitizer(f Failure) bool { return strings.Contains(f.Detail, "thread sanitizer: ") }

// wordsOf returns the words of an error message that are the same in every run. The detail of a
// failure has N in place of numbers, and no directories.
func wordsOf(detail string) []string {
	return slices.DeleteFunc(strings.Fields(detail), func(word string) bool {
		return strings.Contains(word, "N") && strings.Trim(word, "N.,;:()[]=+-x") == "" || word == "..."
	})
}
