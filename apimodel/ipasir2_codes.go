package apimodel

import "fmt"

// The answers of errors and misuse are numbers that index these lists (cexternal/exec/ipasir2_client.h).
var (
	ipasir2Codes = []string{"OK", "UNKNOWN", "UNSUPPORTED", "UNSUPPORTED_ARGUMENT", "UNSUPPORTED_OPTION", "INVALID_STATE",
		"INVALID_ARGUMENT", "INVALID_OPTION_VALUE"}
	ipasir2States    = []string{"CONFIG", "INPUT", "SAT", "UNSAT", "SOLVING"}
	ipasir2Functions = []string{"", "set_option", "add", "solve", "value", "failed", "set_terminate", "set_export",
		"set_import", "a callback's clause", "set_delete", "set_fixed", "release", "options", "set_option with an index",
		"init"}
	// ipasir2Callbacks are what may be wrong with a callback; their numbers follow those of the functions, and the
	// number of wrong options follows theirs.
	ipasir2Callbacks = []string{"calls a removed callback", "calls a callback outside of a solve",
		"calls a callback in another thread", "calls a callback with other data"}
	// ipasir2Listed are what may be wrong with the list of options, numbered from 1.
	ipasir2Listed = []string{"", "no array or no number of options", "an option without a name",
		"two options of one name", "an option whose least value is above its greatest",
		"an option whose max_state is no state"}
	// ipasir2Inside are calls that a callback makes during a solve, numbered from 1; their numbers come last. Those from
	// ipasir2Allowed on are right.
	ipasir2Inside = []string{"", "value", "failed", "solve", "release", "an option later than its max_state", "options",
		"setting the callbacks again", "an option up to SOLVING", "calls for another solver"}
	// ipasir2Misuses are wrong calls, numbered from 1.
	ipasir2Misuses = []string{"", "value", "value of 0", "failed", "failed of 0", "an option below its least value",
		"an option above its greatest value", "an option later than its max_state"}
)

const (
	ipasir2Allowed = 6

	valueOf0  = 2
	failedOf0 = 4

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
	what, number := int(answer>>8&0xff), answer&0xff
	code := nameOf(ipasir2Codes, number)
	if what < len(ipasir2Functions) {
		return refused(ipasir2Functions[what], code)
	}
	what -= len(ipasir2Functions)
	if what < len(ipasir2Callbacks) {
		return Complaint{Wrong: ipasir2Callbacks[what], Observed: ipasir2Callbacks[what],
			Expected: "calls of the last callbacks that were set, with their data, during a solve, in its thread"}
	}
	what -= len(ipasir2Callbacks)
	if what == 0 {
		listed := nameOf(ipasir2Listed, number)
		return Complaint{Wrong: "lists " + listed, Observed: "options returned " + listed,
			Expected: "options with names of their own, bounds in order, and a max_state"}
	}
	name := nameOf(ipasir2Inside, uint64(what-1)) + " during a solve"
	if what-1 >= ipasir2Allowed {
		return refused(name, code)
	}
	return Complaint{Wrong: "code of " + name, Observed: name + " returned " + code, Expected: ipasir2Codes[invalidState]}
}

func refused(call, code string) Complaint {
	return Complaint{Refused: call, Observed: call + " returned " + code, Expected: "no error code"}
}

// MisuseOf says which wrong call the number of the call misuse chooses.
func MisuseOf(number uint64) string {
	kinds := uint64(len(ipasir2Misuses) - 1)
	kind, rest := number%kinds+1, number/kinds
	name := ipasir2Misuses[kind]
	if inside := rest % uint64(len(ipasir2Inside)); kind <= failedOf0 && inside != 0 {
		name += "; and in a callback of the next solve: " + ipasir2Inside[inside]
	}
	return name
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
	late, beyond, strange := answer>>40&1 != 0, answer>>41&1 != 0, answer>>42&1 != 0
	m = Misuse{Call: nameOf(ipasir2Misuses, kind), State: nameOf(ipasir2States, state),
		Code: nameOf(ipasir2Codes, answer&0xffffffff)}
	for _, code := range rightCodes(kind, state, late, beyond, strange) {
		m.Right = append(m.Right, ipasir2Codes[code])
	}
	return m, kind != 0
}

// rightCodes returns the codes that fit what is wrong with a call. If two things are wrong,
// either code fits.
func rightCodes(kind, state uint64, late, beyond, strange bool) (right []uint64) {
	const sat, unsat, value = 2, 3, 1
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
	if kind != value || strange { // that of failed was not assumed; nobody says that a strange one is valid
		right = append(right, invalidArgument)
	}
	return right
}
