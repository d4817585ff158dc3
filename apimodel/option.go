package apimodel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// FailAllocation is the option that makes an allocation of the library fail: the n-th one
// after the call, for the value n. The worker handles the option. No library sees it.
const FailAllocation = "ipafuzz.fail-allocation"

// ProofOption is the option that tells a target in which format to write proofs. NoProof is
// its value for no proofs, VeriPB its value for proofs of optimality.
const (
	ProofOption = "proof"
	NoProof     = "none"
	VeriPB      = "veripb"
)

// Threads is the option that starts threads. After a trace sets it to 1, the calls of each
// instance run in a thread of their own, all threads at the same time. No library sees it.
const Threads = "ipafuzz.threads"

// An Option is an option of a target. Traces and ipafuzz_set_option hold its values as text,
// so no kind of value needs a conversion.
type Option struct {
	Name             string
	Kind             Kind
	Min, Max         int64 // range of an Int
	MinReal, MaxReal float64
	Choices          []string
	Default          string
	When             When
	Fixed            bool   // only the user sets it; as an exception, the feature proofs may set ProofOption
	Checks           string // the value with which the library checks itself; "": none
	Doc              string
}

// Kind is the type of an option's values.
type Kind uint8

const (
	Bool   Kind = iota // two values, spelled like the default: true|false, 1|0, yes|no, on|off
	Int                // a decimal number without superfluous signs or zeros, from Min to Max
	Real               // a decimal number, from MinReal to MaxReal
	Choice             // one of Choices
)

var kindNames = [...]string{"bool", "int", "real", "choice"}

// String returns the name of the kind in descriptions.
func (k Kind) String() string { return kindNames[k] }

// When says in which states an option may be set.
type When uint8

const (
	WhenStart When = iota // only in START: many solvers die of an option that comes later
	Anytime               // where the model allows the option call at all
)

var whenNames = [...]string{"start", "anytime"}

// String returns the word of a description.
func (w When) String() string { return whenNames[w] }

// Allowed returns the states in which the option may be set.
func (w When) Allowed() States {
	if w == WhenStart {
		return Set(Start)
	}
	return ^States(0)
}

var boolSpellings = [...][2]string{{"false", "true"}, {"0", "1"}, {"no", "yes"}, {"off", "on"}}

// bools returns the two values of a Bool option, false first.
func (o *Option) bools() (values [2]string, ok bool) {
	for _, pair := range boolSpellings {
		if o.Default == pair[0] || o.Default == pair[1] {
			return pair, true
		}
	}
	return values, false
}

// AsInt returns the value of an option as a function that sets ints gets it: 0 and 1 for the words
// of a Bool. It is false for other words, and numbers that are too large.
func AsInt(value string) (int32, bool) {
	for _, pair := range boolSpellings {
		for i, word := range pair {
			if value == word {
				return int32(i), true
			}
		}
	}
	number, err := strconv.ParseInt(value, 10, 32)
	return int32(number), err == nil
}

// Accepts returns an error that describes the option's values, or nil if value is one of
// them.
func (o *Option) Accepts(value string) error {
	accepted := false
	switch o.Kind {
	case Bool:
		pair, ok := o.bools()
		accepted = ok && (value == pair[0] || value == pair[1])
	case Int:
		n, err := strconv.ParseInt(value, 10, 64)
		accepted = err == nil && strconv.FormatInt(n, 10) == value && o.Min <= n && n <= o.Max
	case Real:
		r, ok := parseReal(value)
		accepted = ok && o.MinReal <= r && r <= o.MaxReal
	case Choice:
		accepted = slices.Contains(o.Choices, value)
	}
	if accepted {
		return nil
	}
	return fmt.Errorf("option %s does not take %s: it takes %s", o.Name, quote(value), o.Range())
}

// Range describes the values of the option.
func (o *Option) Range() string {
	switch o.Kind {
	case Bool:
		if pair, ok := o.bools(); ok {
			return pair[0] + " or " + pair[1]
		}
		return "true or false"
	case Int:
		return fmt.Sprintf("an integer from %d to %d", o.Min, o.Max)
	case Real:
		return fmt.Sprintf("a number from %s to %s", formatReal(o.MinReal), formatReal(o.MaxReal))
	default:
		return "one of " + strings.Join(o.Choices, ", ")
	}
}

// Same reports whether two values of the option are equal. It compares values of a Real as
// numbers, and all others as texts.
func (o *Option) Same(a, b string) bool {
	if a == b || o.Kind != Real {
		return a == b
	}
	x, okX := parseReal(a)
	y, okY := parseReal(b)
	return okX && okY && x == y
}

// Samples returns distinct values that are worth trying, always in the same order. These are
// all values if there are few. If there are many, they are the ends of the range, the
// default, their neighbours and powers of two, or for a Real some usual numbers.
func (o *Option) Samples() []string {
	switch o.Kind {
	case Bool:
		pair, _ := o.bools()
		return pair[:]
	case Choice:
		return o.Choices
	case Real:
		return o.realSamples()
	}
	var values []string
	seen := make(map[int64]bool)
	add := func(n int64) {
		if o.Min <= n && n <= o.Max && !seen[n] {
			seen[n] = true
			values = append(values, strconv.FormatInt(n, 10))
		}
	}
	if uint64(o.Max)-uint64(o.Min) < 16 {
		for n := o.Min; ; n++ {
			add(n)
			if n == o.Max {
				return values
			}
		}
	}
	usual, _ := strconv.ParseInt(o.Default, 10, 64)
	for _, n := range []int64{o.Min, o.Max, o.Min + 1, o.Max - 1, usual, 0, 1, -1} {
		add(n)
	}
	if usual > math.MinInt64 {
		add(usual - 1)
	}
	if usual < math.MaxInt64 {
		add(usual + 1)
	}
	for shift := 1; shift < 63; shift += 3 {
		add(1 << shift)
		add(-1 << shift)
	}
	return values
}

// Ends returns the lowest and the highest value of an Int or a Real.
func (o *Option) Ends() (low, high string) {
	if o.Kind == Real {
		return formatReal(o.MinReal), formatReal(o.MaxReal)
	}
	return strconv.FormatInt(o.Min, 10), strconv.FormatInt(o.Max, 10)
}

func (o *Option) realSamples() []string {
	var values []string
	add := func(value string) {
		for _, have := range values {
			if o.Same(have, value) {
				return
			}
		}
		if o.Accepts(value) == nil {
			values = append(values, value)
		}
	}
	add(formatReal(o.MinReal))
	add(formatReal(o.MaxReal))
	add(o.Default)
	add(formatReal(o.MinReal/2 + o.MaxReal/2))
	for _, value := range []string{"0", "0.001", "0.1", "0.5", "0.9", "0.999", "1", "10", "1000"} {
		add(value)
	}
	return values
}

// parseReal reads a finite decimal number: no hexadecimal, inf or nan.
func parseReal(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	r, err := strconv.ParseFloat(text, 64)
	return r, err == nil && !math.IsInf(r, 0) && !math.IsNaN(r)
}

func formatReal(r float64) string { return strconv.FormatFloat(r, 'g', -1, 64) }

// quote quotes and shortens the text of a target or a user for an error message.
func quote(text string) string {
	if len(text) > 60 {
		return strconv.Quote(text[:60]) + "..."
	}
	return strconv.Quote(text)
}

// A Setting is an option with a value.
type Setting struct{ Name, Value string }

// String returns NAME=VALUE.
func (s Setting) String() string { return s.Name + "=" + s.Value }

// An Exclusion is a set of two or more settings that must not hold together.
type Exclusion []Setting

// String returns the settings, separated by blanks.
func (e Exclusion) String() string {
	texts := make([]string, len(e))
	for i, s := range e {
		texts[i] = s.String()
	}
	return strings.Join(texts, " ")
}
