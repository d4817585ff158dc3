package apimodel

import (
	"math"
	"strconv"
)

// An Op is the number of a call. It is the same in every model, in the binary trace and in
// the C executor. The numbers are part of the binary format, so new calls go to the end.
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
	OpConstrain // a clause for the next solve only
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
	OpExists
	OpForall
	OpExtend // more variables for a block
	OpPush
	OpPop
	OpOpen // this and the next four: a group of clauses
	OpClose
	OpActivate
	OpDeactivate
	OpDelete
	OpProof // the proof that the solver has written so far
	OpImport
	OpMisuse
	OpErrors
	OpFrozen // whether a variable is frozen
	OpSoftClause
	NumOps
)

// String returns the name of the operation in the first model that has it. Another model may give the call another name
// in the trace text (Call.Name).
func (op Op) String() string {
	switch {
	case op == OpClause:
		return "clause" // ipasir calls it add
	case op > 0 && op < NumOps:
		return operations[op].row.Name
	}
	return "operation " + strconv.Itoa(int(op))
}

// An Arg is the type of a call's argument in the trace text.
type Arg uint8

const (
	ArgClause Arg = iota + 1 // literals; a final 0 closes the clause, which stays open without it
	ArgLits                  // literals and a final 0
	ArgLit                   // one literal
	ArgWeight                // 0 to 2^64-1
	ArgCount                 // 0 to 2^32-1, or "off"
	ArgLimit                 // 0 to 2^31-1, or "off"
	ArgBits                  // any 64-bit number
	ArgMost                  // 0 to 2^31-1
	ArgName                  // a name without blanks
	ArgValue                 // a value without blanks
	ArgVars                  // positive literals and a final 0
	ArgLevel                 // of a block: 1 to 2^31-1
	ArgGroup                 // 0 to 2^31-1
)

var argNames = map[Arg]string{
	ArgClause: "LITERAL... 0", ArgLits: "LITERAL... 0", ArgLit: "LITERAL", ArgWeight: "WEIGHT",
	ArgCount: "COUNT|off", ArgLimit: "COUNT|off", ArgBits: "NUMBER", ArgMost: "NUMBER", ArgName: "NAME", ArgValue: "VALUE",
	ArgVars: "VARIABLE... 0", ArgLevel: "LEVEL", ArgGroup: "GROUP",
}

// String returns the argument as usage lines show it.
func (a Arg) String() string { return argNames[a] }

// Most returns the largest value of a number.
func (a Arg) Most() uint64 {
	switch a {
	case ArgCount:
		return math.MaxUint32
	case ArgLimit, ArgMost, ArgLevel, ArgGroup: // an int of the C interface
		return math.MaxInt32
	}
	return math.MaxUint64
}

// IsList reports whether the argument is a list of literals.
func (a Arg) IsList() bool { return a == ArgClause || a == ArgLits || a == ArgVars }

// MayBeOff reports whether the argument can be "off", which removes a callback or limit.
func (a Arg) MayBeOff() bool { return a == ArgCount || a == ArgLimit }

// Reply is the type of a call's answer.
type Reply uint8

const (
	ReplyNothing Reply = iota
	ReplyStatus        // 0, 10, 20, 30, 40
	ReplyWeight        // an objective value
	ReplyLit           // what val returned: lit, -lit or 0; anything else is a fault
	ReplyFlag          // what failed returned
	ReplyModel         // the true literals of the variables in use
	ReplyCore          // the failed assumptions
	ReplyText          // the signature, or a proof
	ReplyCode          // what set_option (0: accepted), simplify and fixed returned
	ReplyCounts        // two numbers below 2^32, the first in the low half
)

var replyNames = [...]string{
	"nothing", "status", "weight", "literal", "flag", "model", "core", "text", "code", "two counts",
}

// String returns the name of the answer type.
func (r Reply) String() string { return replyNames[r] }

// Answers of solve in all interfaces.
const (
	Interrupted   = 0
	Satisfiable   = 10 // IPAMIR: interrupted, but a solution was found
	Unsatisfiable = 20
	Optimum       = 30
	Failure       = 40
)

// A Step says which state a call leads to. A call without steps keeps the state.
type Step struct {
	When Condition
	Then State
}

// A Condition selects one of the steps of a call.
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

var conditionNames = [...]string{
	"", "0 ends the clause", "no final 0", "answer 0", "answer 10", "answer 20", "answer 30", "answer 40",
}

// String returns the name of the condition.
func (c Condition) String() string { return conditionNames[c] }

// AnswerCondition returns the condition that the answer of a solve satisfies. It returns
// false if the answer satisfies none.
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
	Function string // in the C interface; "" if the executor makes the call with the functions of others
	Member   string // name of the function in struct ipafuzz_target; "": Function without its prefix
	Word     string // the function's argument before the number: "conflicts" in ccadical_limit
	Args     []Arg
	Reply    Reply
	Does     Effect
	Legal    States // the states in which the call is legal
	Steps    []Step
	Optional string // the capability that a target needs for the call; "" if every target must have the function
	Doc      string // the contract, in one or two sentences
	Use
}

// A Use says what the rest of ipafuzz knows about a call that an extension adds. Of the rows with one Feature, Variant
// or capability, the first says what it is.
type Use struct {
	Offers  string // what a target with the capability Optional can do
	Feature string // the feature of traces that make the call
	Shows   string // what a trace with the feature does
	Rate    uint32 // in so many of a thousand traces, the feature may happen, unless the profile says otherwise
	Many    uint32 // the same for traces of the profile longhand
	Asked   bool   // traces with the feature ask now and then; otherwise gen/weave.go makes the call
	Variant string // the variant of a trace that only drops these calls (package cause)
	Needs   string // what a failure needs that no such version has
	Cases   string // what the cases about the capability are about (package conform)
}

// Leads returns the state after a legal call in state s under condition c. It returns
// false if the call has no step for c.
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
