package apimodel

import (
	"math"
	"strconv"
)

// An Op is the number of a call, the same in every model, in the binary trace
// and in the C executor. Numbers are part of the binary format: a new call is
// added at the end.
type Op uint8

const (
	OpInit Op = iota + 1
	OpRelease
	OpSignature
	OpOption
	OpHavoc
	OpClause // one whole clause: ipasir_add or ipamir_add_hard, literal by literal
	OpSoft
	OpAssume
	OpSolve
	OpVal
	OpObj
	OpFailed
	OpCore  // failed() of every assumption of the last solve
	OpModel // val() of every variable in use
	OpTerminate
	OpLearn
	OpConstrain // a clause for the next solve alone
	OpFreeze
	OpMelt
	OpPhase
	OpUnphase
	OpSimplify
	OpEnumerate
	OpLimitConflicts
	OpLimitDecisions
	OpConstraintFailed
	OpFixed // whether the clauses alone decide a literal
	NumOps
)

var opNames = [NumOps]string{"none", "init", "release", "signature", "option", "havoc", "clause", "soft",
	"assume", "solve", "val", "obj", "failed", "core", "model", "terminate", "learn",
	"constrain", "freeze", "melt", "phase", "unphase", "simplify", "enumerate",
	"limit-conflicts", "limit-decisions", "constraint-failed", "fixed"}

// String returns the name that the operation has in every model; the trace text
// of a model may use another one (Call.Name).
func (op Op) String() string {
	if op < NumOps {
		return opNames[op]
	}
	return "operation " + strconv.Itoa(int(op))
}

// An Arg is the type of a call's argument as it stands in the trace text.
type Arg uint8

const (
	ArgClause Arg = iota + 1 // literals; a final 0 closes the clause, without it the clause stays open
	ArgLits                  // literals and a final 0
	ArgLit                   // one literal
	ArgWeight                // 0 to 2^64-1
	ArgCount                 // 0 to 2^32-1, or "off"
	ArgLimit                 // 0 to 2^31-1, or "off"
	ArgBits                  // any 64-bit number
	ArgMost                  // 0 to 2^31-1
	ArgName                  // a name without blanks
	ArgValue                 // a value without blanks
)

var argNames = map[Arg]string{
	ArgClause: "LITERAL... 0", ArgLits: "LITERAL... 0", ArgLit: "LITERAL", ArgWeight: "WEIGHT",
	ArgCount: "COUNT|off", ArgLimit: "COUNT|off", ArgBits: "NUMBER", ArgMost: "NUMBER", ArgName: "NAME", ArgValue: "VALUE",
}

func (a Arg) String() string { return argNames[a] }

// Most returns the largest number that the argument can be.
func (a Arg) Most() uint64 {
	switch a {
	case ArgCount:
		return math.MaxUint32
	case ArgLimit, ArgMost: // an int of the C interface
		return math.MaxInt32
	}
	return math.MaxUint64
}

// MayBeOff reports whether the argument can be "off": take the callback or the limit away.
func (a Arg) MayBeOff() bool { return a == ArgCount || a == ArgLimit }

// Reply is the type of what a call answers.
type Reply uint8

const (
	ReplyNothing Reply = iota
	ReplyStatus        // 0, 10, 20, 30, 40
	ReplyWeight        // an objective value
	ReplyLit           // what val returned: lit, -lit or 0, anything else is a fault
	ReplyFlag          // what failed returned
	ReplyModel         // the literals that are true, of the variables in use
	ReplyCore          // the assumptions that failed
	ReplyText          // the signature
	ReplyCode          // what set_option returned, 0 for taken; what simplify found
	ReplyCounts        // two numbers below 2^32: the first is the low half of the word
)

var replyNames = [...]string{"nothing", "status", "weight", "literal", "flag", "model", "core", "text", "code", "two counts"}

func (r Reply) String() string { return replyNames[r] }

// Answers of solve, as both interfaces number them.
const (
	Interrupted   = 0
	Satisfiable   = 10 // IPAMIR: interrupted, but a solution was found
	Unsatisfiable = 20
	Optimum       = 30
	Failure       = 40
)

// A Step says where a call leads. Without steps the state stays.
type Step struct {
	When Condition
	Then State
}

// A Condition is what decides between the steps of one call.
type Condition uint8

const (
	Always       Condition = iota
	ClauseClosed           // the literals ended with 0
	ClauseOpen
	Answered0
	Answered10
	Answered20
	Answered30
	Answered40
)

var conditionNames = [...]string{"", "0 ends the clause", "no final 0", "answer 0", "answer 10", "answer 20", "answer 30", "answer 40"}

func (c Condition) String() string { return conditionNames[c] }

// AnswerCondition returns the condition that the answer of a solve fulfils,
// and whether there is one.
func AnswerCondition(status int) (Condition, bool) {
	switch status {
	case Interrupted:
		return Answered0, true
	case Satisfiable:
		return Answered10, true
	case Unsatisfiable:
		return Answered20, true
	case Optimum:
		return Answered30, true
	case Failure:
		return Answered40, true
	}
	return Always, false
}

// A Call is one row of a model's table.
type Call struct {
	Op       Op
	Name     string // in the trace text
	Function string // in the C interface; "" when ipafuzz makes the call up from others
	Member   string // of struct ipafuzz_target; "": Function without its prefix
	Word     string // that the function takes before the number
	Args     []Arg
	Reply    Reply
	Does     Effect
	Legal    States // the states that it may be made in
	Steps    []Step
	Weight   int    // how often a generator makes it, relative to the others
	Optional string // the capability that a target may lack; "" when the interface demands the function
	Doc      string // the contract, in one or two sentences
}

// Leads returns the state after the call, made legally in state s, when
// condition c came true, and whether the call has a step for c.
func (call *Call) Leads(s State, c Condition) (State, bool) {
	if len(call.Steps) == 0 {
		return s, c == Always
	}
	for _, step := range call.Steps {
		if step.When == c || step.When == Always {
			return step.Then, true
		}
	}
	return s, false
}
