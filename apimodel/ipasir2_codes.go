package apimodel

import "fmt"

// The answers of errors and misuse are numbers that index these lists (cexternal/exec/ipasir2_client.h).
var (
	ipasir2Codes = []string{"OK", "UNKNOWN", "UNSUPPORTED", "UNSUPPORTED_ARGUMENT", "UNSUPPORTED_OPTION", "INVALID_STATE",
		"INVALID_ARGUMENT", "INVALID_OPTION_VALUE"}
	ipasir2States    = []string{"CONFIG", "INPUT", "SAT", "UNSAT", "SOLVING"}
	ipasir2Functions = []string{"", "set_option", "add", "solve", "value", "failed", "set_terminate", "set_export",
		"set_import", "a callback's clause", "set_delete", "set_fixed"}
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

// ReadError decodes an answer of the call errors that is not 0. It returns the function that
// returned an error code, and the code.
func ReadError(answer uint64) (function, code string) {
	return nameOf(ipasir2Functions, answer>>8&0xff), nameOf(ipasir2Codes, answer&0xff)
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
	const sat, unsat, value, failedOf0 = 2, 3, 1, 4
	of0 := kind == 2 || kind == failedOf0
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
	if kind <= value+1 {
		asked = sat
	}
	if state != asked {
		right = append(right, invalidState)
	}
	if state == asked || of0 {
		right = append(right, invalidArgument)
	}
	return right
}
