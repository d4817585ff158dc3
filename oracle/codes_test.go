package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// The codes of ipasir2.h that a wrong call may return.
const (
	codeInvalidState       = 5
	codeInvalidArgument    = 6
	codeInvalidOptionValue = 7
)

// TestCodesOfWrongCalls tries each code in each situation of a wrong call. The rule is what ipasir2.h says of
// each function; if a call has two mistakes, either code is right.
func TestCodesOfWrongCalls(t *testing.T) {
	const config, input, sat, unsat = 0, 1, 2, 3
	type call struct {
		name              string
		needs             int // a state, or -1
		invalid, isOption bool
	}
	calls := []call{
		{name: "value", needs: sat},
		{name: "value of 0", needs: sat, invalid: true},
		{name: "failed", needs: unsat, invalid: true}, // its literal was not assumed
		{name: "failed of 0", needs: unsat, invalid: true},
		{name: "an option below its least value", needs: -1, isOption: true},
		{name: "an option above its greatest value", needs: -1, isOption: true},
		{name: "an option later than its max_state", needs: -1, isOption: true},
	}
	tr := parseLog(t, "ipasir2", "misuse 0 = 0 0")
	j := New(Config{})
	for kind, c := range calls {
		for _, state := range []int{config, input, sat, unsat} {
			for facts := range 8 { // late, beyond the bounds, a literal that no call has named
				for code := range 8 {
					late, beyond, strange := facts&1 != 0, facts&2 != 0, facts&4 != 0
					right := !c.isOption && (code == codeInvalidState && state != c.needs ||
						code == codeInvalidArgument && (c.invalid || strange)) ||
						c.isOption && (code == codeInvalidState && late || code == codeInvalidOptionValue && beyond)
					run := &trace.Run{Answers: tr.Want.Clone()}
					run.Answers.Of[0] = trace.Answer{Kind: trace.Answered,
						Num: uint64(code) | uint64(kind+1|state<<4|facts<<8)<<32}
					var want []string
					if !right {
						want = []string{"5.1 codes 0 code of " + c.name}
					}
					var got []string
					for _, f := range j.Judge(tr, run) {
						got = append(got, line(f))
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s in state %d, facts %03b, code %d: got %q, want %q", c.name, state, facts, code, got, want)
					}
				}
			}
		}
	}
}

// TestErrorCodes: a right call returns no error code, and callbacks are called as the header says.
func TestErrorCodes(t *testing.T) {
	rows := []judged{{name: "none", log: "errors = 0"}}
	row := func(what, code int, detail string) {
		rows = append(rows, judged{name: detail, log: fmt.Sprintf("errors = %d", what<<8|code),
			want: []string{"5.1 codes 0 " + detail}})
	}
	for i, name := range []string{"set_option", "add", "solve", "value", "failed", "set_terminate", "set_export",
		"set_import", "a callback's clause", "set_delete", "set_fixed", "release", "options", "set_option with an index",
		"init"} {
		row(i+1, 1, "refuses a right call: "+name)
	}
	for i, name := range []string{"calls a removed callback", "calls a callback outside of a solve",
		"calls a callback in another thread", "calls a callback with other data"} {
		row(i+16, codeInvalidState, name)
	}
	for i, name := range []string{"no array or no number of options", "an option without a name",
		"two options of one name", "an option whose least value is above its greatest",
		"an option whose max_state is no state"} {
		row(20, i+1, "lists "+name)
	}
	for i, name := range []string{"value", "failed", "solve", "release", "an option later than its max_state"} {
		row(i+22, 0, "code of "+name+" during a solve")
	}
	for i, name := range []string{"options", "setting the callbacks again", "an option up to SOLVING"} {
		row(i+27, 1, "refuses a right call: "+name+" during a solve")
	}
	rows = append(rows, judged{name: "an allocation failed", log: "add 1 0; errors = 257",
		edit: func(run *trace.Run) { run.FailedAllocation = 1 }},
		judged{name: "no wrong call was made", log: "misuse 4 = 0 0"})
	runTable(t, "ipasir2", rows)
}
