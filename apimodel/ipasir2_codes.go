package apimodel

import "fmt"

// The answers of errors and misuse are numbers that index these lists (cexternal/exec/ipasir2_client.h).
var (
	ipasir2Codes = []string{"OK", "UNKNOWN", "UNSUPPORTED", "UNSUPPORTED_ARGUMENT", "UNSUPPORTED_OPTION", "INVALID_STATE",
		"INVALID_ARGUMENT", "INVALID_OPTION_VALUE"}
	ipasir2States    = []string{"CONFIG", "INPUT", "SAT", "UNSAT", "SOLVING"}
	ipasir2Functions = []string{"", "set_option", "add", "solve", "value", "failed", "set_terminate", "set_export",
		"set_import", "a callback's clause", "set_delete", "set_fixed", "release", "options", "set_option with an index"}
	// ipasir2Callbacks are what may be wrong with a callback; their numbers follow those of the functions.
	ipasir2Callbacks = []string{"calls a removed callback", "calls a callback outside of a solve",
		"calls a callback in another thread"}
	// ipasir2Inside are calls that a callback makes during a solve, numbered from 1; their numbers follow. The last is
	// right.
	ipasir2Inside = []string{"", "value", "failed", "solve", "release", "an option later than its max_state", "options",
		"setting the callbacks again"}
	// ipasir2Misuses are wrong calls, numbered from 1.
	ipasir2Misuses = []string{"", "value", "value of 0", "failed", "failed of 0", "an option below its least value",
		"an option above its greatest value", "an option later than its max_state"}
)

const (
	invalidState       = 5
	invalidArgument    = 6
	invalidOptionValue = 7
)

func nameOf(names []string, n uint64) string {
	if n < uint64(len(names)) {
		return names[n]
	}
	return fmt.Sprint(n)
}

// A Complaint is what the call errors tells: a right call returned an error code, or something was wrong in a
// callback.
type Complaint struct {
	Refused            string // the right call
	Wrong              string // what else was wrong
	Observed, Expected string
}

// ReadError decodes an answer of the call errors that is not 0.
func ReadError(answer uint64) Complaint {
	what, code := answer>>8&0xff, nameOf(ipasir2Codes, answer&0xff)
	if functions := uint64(len(ipasir2Functions)); what >= functions {
		what -= functions
	} else {
		name := nameOf(ipasir2Functions, what)
		return Complaint{Refused: name, Observed: name + " returned " + code, Expected: "no error code"}
	}
	if callbacks := uint64(len(ipasir2Callbacks)); what >= callbacks {
		what -= callbacks
	} else {
		return Complaint{Wrong: ipasir2Callbacks[what], Observed: ipasir2Callbacks[what],
			Expected: "calls of the last callbacks that were set, during a solve, in its thread"}
	}
	name := nameOf(ipasir2Inside, what) + " during a solve"
	observed := name + " returned " + code
	if what+1 == uint64(len(ipasir2Inside)) {
		return Complaint{Refused: name, Observed: observed, Expected: "no error code"}
	}
	return Complaint{Wrong: "code of " + name, Observed: observed, Expected: ipasir2Codes[invalidState]}
}

// A Misuse is a wrong call of IPASIR-2: the state in which it was made, the error code that it returned, and the
// codes that would be right.
type Misuse struct {
	Call, State, Code string
	Right             []string
}

// ReadMisuse decodes an answer of the call misuse. made is false if no wrong call was made.
func ReadMisuse(answer uint64) (m Misuse, made bool) {
	kind, state := answer>>32&0xf, answer>>36&0xf
	late, beyond := answer>>40&1 != 0, answer>>41&1 != 0
	m = Misuse{Call: nameOf(ipasir2Misuses, kind), State: nameOf(ipasir2States, state),
		Code: nameOf(ipasir2Codes, answer&0xffffffff)}
	for _, code := range rightCodes(kind, state, late, beyond) {
		m.Right = append(m.Right, ipasir2Codes[code])
	}
	return m, kind != 0
}

// rightCodes returns the codes that fit what is wrong with a call. If two things are wrong,
// either code fits.
func rightCodes(kind, state uint64, late, beyond bool) (right []uint64) {
	const sat, unsat, value, valueOf0, failedOf0 = 2, 3, 1, 2, 4
	if kind > failedOf0 {
		if late {
			right = append(right, invalidState)
		}
		if beyond {
			right = append(right, invalidOptionValue)
		}
		return right
	}
	asked := uint64(unsat)
	if kind <= valueOf0 {
		asked = sat
	}
	if state != asked {
		right = append(right, invalidState)
	}
	if kind != value { // its literal is right; that of failed was not assumed
		right = append(right, invalidArgument)
	}
	return right
}
