package source

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func TestEveryQueryHasTheTrait(t *testing.T) {
	for text, want := range map[string]bool{
		"ipafuzz 1 ipasir+cadical\nadd 1 0\nconstrain -1 0\nsolve\nconstraint-failed\n": true,
		"ipafuzz 1 ipasir\nadd 1 0\nsolve\nmodel\n":                                     true,
		"ipafuzz 1 ipasir\nadd 1 0\nsolve\nsignature\n":                                 false,
	} {
		tr, err := trace.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := HasTrait(tr, []string{"queries"}); got != want {
			t.Errorf("%s has a query: %v, want %v", text, got, want)
		}
	}
}
