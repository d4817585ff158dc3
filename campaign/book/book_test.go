package book

import (
	"reflect"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// TestNegative checks that a tally and its negative cancel each other in every field.
func TestNegative(t *testing.T) {
	t.Parallel()
	full := oracle.Tally{Runs: 1, Solves: 2, Unchecked: unchecked.Counts{unchecked.TooHard: 3},
		Rivals: unchecked.Counts{unchecked.GaveUp: 4}, Certified: 5, Checks: []oracle.CheckCount{{Check: "end", Decided: 6}}}
	for i := range reflect.TypeOf(full).NumField() {
		if reflect.ValueOf(full).Field(i).IsZero() {
			t.Fatalf("the test gives no value to %s", reflect.TypeOf(full).Field(i).Name)
		}
	}
	var sum oracle.Tally
	sum.Add(full)
	sum.Add(negative(full))
	if sum.Of("end") != 0 {
		t.Errorf("end decided %d", sum.Of("end"))
	}
	if sum.Checks = nil; !reflect.DeepEqual(sum, oracle.Tally{}) {
		t.Errorf("left over: %+v", sum)
	}
}
