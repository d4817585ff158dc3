package apimodel

import (
	"fmt"
	"math"
	"slices"
)

// A Form is how the binary trace encodes the arguments of a call.
type Form uint8

const (
	FormNone     Form = iota
	FormLits          // any number of literals
	FormLit           // one literal
	FormSoft          // a literal and, in two words, its weight
	FormNumber        // a number in one word, without meaning if flag Off is set
	FormLong          // a number in two words
	FormText          // the length of an option's name and value with their NULs, then the bytes
	FormVars          // the variables that model asks about: first and count in the instance's table
	FormAssumed       // the literals that core asks about: the assumptions of the last solve
	FormExtend        // a number in one word and any number of variables
	FormWeighted      // a weight in two words and any number of literals
)

var formNames = [...]string{
	"NONE", "LITS", "LIT", "SOFT", "NUMBER", "LONG", "TEXT", "VARS", "ASSUMED", "EXTEND", "WEIGHTED",
}

// HasLits reports whether a call of the form has literals in the trace's arena of literals.
func (f Form) HasLits() bool {
	return f == FormLit || f == FormSoft || f.HasList()
}

// HasList reports whether a call of the form has any number of literals.
func (f Form) HasList() bool { return f == FormLits || f == FormExtend || f == FormWeighted }

// formOf derives the form from the types of the arguments. The text of model and core has no
// arguments: the earlier calls tell what they ask about.
func formOf(call *Call) (Form, error) {
	switch {
	case call.Reply == ReplyModel:
		return FormVars, nil
	case call.Reply == ReplyCore:
		return FormAssumed, nil
	case len(call.Args) == 0:
		return FormNone, nil
	case slices.Equal(call.Args, []Arg{ArgLit, ArgWeight}):
		return FormSoft, nil
	case slices.Equal(call.Args, []Arg{ArgWeight, ArgLits}):
		return FormWeighted, nil
	case slices.Equal(call.Args, []Arg{ArgName, ArgValue}):
		return FormText, nil
	case slices.Equal(call.Args, []Arg{ArgLevel, ArgVars}):
		return FormExtend, nil
	case len(call.Args) == 1:
		switch call.Args[0] {
		case ArgClause, ArgLits, ArgVars:
			return FormLits, nil
		case ArgLit:
			return FormLit, nil
		case ArgCount, ArgLimit, ArgMost, ArgGroup:
			return FormNumber, nil
		case ArgBits:
			return FormLong, nil
		}
	}
	return 0, fmt.Errorf("no form of the binary trace holds its arguments (%s)", call.Usage())
}

// An operation holds the facts about a call that are the same in all models.
type operation struct {
	form     Form
	reply    Reply
	does     Effect
	ofAnswer bool   // it asks about the answer of the last solve
	binds    bool   // it puts variables into a block
	most     uint64 // the largest number that it takes
	member   string
	row      *Call // the row of the first model that has the call
}

// operations has an entry for each byte, so that a byte of a damaged trace is never out of
// range.
var operations = mustAgree(AllModels())

// mustAgree collects the operations of the models. It panics if rows contradict each other.
func mustAgree(models []*Model) *[math.MaxUint8 + 1]operation {
	all := new([math.MaxUint8 + 1]operation)
	for _, m := range models {
		for i := range m.Calls {
			if err := all[m.Calls[i].Op].agree(&m.Calls[i]); err != nil {
				panic(fmt.Errorf("model %s: call %q: %w", m.Name, m.Calls[i].Name, err))
			}
		}
	}
	return all
}

// agree adds a row. The row must not contradict earlier rows, because the codecs know only
// the number of a call.
func (o *operation) agree(call *Call) error {
	ofAnswer := call.Does&Asks != 0 && call.Legal&^Set(Sat, Unsat, Optimal) == 0
	if o.row == nil {
		form, err := formOf(call)
		*o = operation{form: form, reply: call.Reply, does: call.Does, ofAnswer: ofAnswer,
			binds: slices.Contains(call.Args, ArgVars), most: math.MaxUint64, member: call.member(), row: call}
		if len(call.Args) > 0 && call.Args[0] != ArgLit {
			o.most = call.Args[0].Most()
		}
		return err
	}
	if !slices.Equal(call.Args, o.row.Args) || call.Reply != o.reply || call.Does != o.does ||
		call.Optional != o.row.Optional || call.member() != o.member || ofAnswer != o.ofAnswer {
		return fmt.Errorf("another model has it with other arguments, another answer, effect, capability or function")
	}
	return nil
}

// check reports whether the row makes sense by itself.
func (call *Call) check() error {
	_, err := formOf(call)
	switch {
	case err != nil:
		return err
	case call.Op == 0 || call.Op >= NumOps:
		return fmt.Errorf("it has no operation number")
	case call.Legal == 0:
		return fmt.Errorf("it is legal nowhere")
	case call.Does == 0:
		return fmt.Errorf("it has no effect")
	case call.Does&Asks != 0 && (call.Does != Asks || len(call.Steps) > 0 || call.Reply == ReplyNothing):
		return fmt.Errorf("it asks, so it must answer and have no other effect and no step")
	case call.Does&Hints != 0 && !slices.Equal(call.Args, []Arg{ArgLit}):
		return fmt.Errorf("a hint names one literal")
	}
	return nil
}
