package terminal

import (
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// declarations say, by what a failure needs, how the entry of a target in the targets file declares that the target
// does not take that. Only programs have the keys about what a file may contain.
var declarations = []struct{ need, ofProgram, ofAny string }{
	{need: "free-variable", ofAny: `policies = { free-variable = "rejected" }`},
	{need: "tautology", ofAny: `policies = { tautology = "rejected" }`},
	{need: "zero-weight", ofAny: `policies = { soft-zero = "rejected" }`},
	{need: "unused-variable", ofAny: `policies = { soft-unused = "rejected" }`},
	{need: "empty-clause", ofProgram: `unreadable = ["empty-clause"]`},
	{need: "empty-soft-clause", ofProgram: `unreadable = ["empty-soft"]`},
	{need: "no-soft", ofProgram: `unreadable = ["no-soft"]`},
	{need: "large-weight", ofProgram: `max-weight or max-sum`},
	{need: "variable-gap", ofProgram: `unreadable = ["unused-variables"] or max-var`},
}

// declaration returns what to write into the targets file if the target may fail like this: it died, gave up or
// printed no answer, and there is a key or a policy for that. It returns "" for all other faults: a wrong answer
// is one whatever the target takes.
func declaration(declared *fault.Fault, config campaign.Config) string {
	f := declared.Simplest()
	program := isProgram(declared.Target, config)
	switch f.Class {
	case oracle.GaveUp, oracle.WrongStatus, oracle.OtherExit, oracle.Abort, oracle.Segfault, oracle.BusError,
		oracle.ArithmeticError, oracle.OtherSignal:
		switch {
		case f.IsMinimal && has(f.Minimal, apimodel.OpMisuse):
			return `lacks = ["misuse"]`
		case program && declared.Cause == cause.Nothing && f.Class != oracle.WrongStatus && !onlyExited(f) &&
			!f.Minimal.Model.Quantified() &&
			!has(f.Minimal, apimodel.OpClause, apimodel.OpSoft, apimodel.OpSoftClause, apimodel.OpAssume):
			return `unreadable = ["empty-formula"]` // a file in QDIMACS always has a clause
		}
	case oracle.ClaimsSolution:
		if program && slices.Equal(declared.Cause.Needs(), []*cause.Variant{cause.Named("empty-clause")}) {
			return `unreadable = ["empty-clause"]` // no format but QDIMACS says what such a clause is
		}
		return ""
	case oracle.WrongTermination: // ipasir.h and ipamir.h do not say what NULL means
		if m := f.Minimal.Model; f.Detail == oracle.TakenAway && has(f.Minimal, apimodel.OpTerminate) &&
			(m.Prefix() == apimodel.IPASIR.Prefix() || m == apimodel.IPAMIR) {
			return `policies = { terminate-null = "any" }`
		}
		return ""
	default:
		return ""
	}
	needs := declared.Cause.Needs()
	for _, d := range declarations {
		if !slices.Contains(needs, cause.Named(d.need)) || d.need == "unused-variable" && f.Minimal.Model.Quantified() {
			continue // the policy about unused variables is about the other models
		}
		if d.ofAny != "" {
			return d.ofAny
		}
		if program {
			return d.ofProgram
		}
	}
	switch {
	case f.Class == oracle.GaveUp && f.Detail == oracle.NoReason && program:
		return `kind = "incomplete"`
	case f.Class == oracle.GaveUp && f.Detail == oracle.NoReason:
		return `policies = { give-up = "allowed" }`
	case declared.Cause == cause.Nothing && program && (f.Class == oracle.WrongStatus || onlyExited(f)):
		return "dialect or exit-codes; '" + config.Program + " targets doctor' says more"
	}
	return ""
}

// onlyExited reports whether a process exited and printed no panic, exception or the like. Such an exit code may be an
// answer.
func onlyExited(f *store.Finding) bool {
	return f.Class == oracle.OtherExit && strings.HasPrefix(f.Detail, "exit ")
}

func has(t *trace.Trace, ops ...apimodel.Op) bool {
	return slices.ContainsFunc(t.Calls, func(c trace.Call) bool { return slices.Contains(ops, c.Op) })
}

// isProgram reports whether the target of that name is a program that reads a file.
func isProgram(name string, config campaign.Config) bool {
	const program = "file" // replay.File
	for i := range config.Cells {
		if t := config.Cells[i].Target; t.Name == name && t.Kind == program {
			return true
		}
	}
	for _, t := range config.Against {
		if t.Name == name && t.Kind == program {
			return true
		}
	}
	return false
}
