package trace

import (
	"errors"
	"strings"
	"testing"
)

const extended = `ipafuzz 2 ipasir+cadical
freeze 1
phase -2
add 1 2 0
constrain 2 -3 0
constrain 0
solve want 20
core want
simplify want 0
unphase 2
melt 1
@1 simplify want -
`

const counted = `ipafuzz 2 ipasir+enumerate
add 1 2 0
enumerate 100 want 3 4294967295
enumerate 0
enumerate 2147483647 want -
`

// TestExtension: the text and binary forms keep the calls that a model adds.
func TestExtension(t *testing.T) {
	for _, whole := range []string{extended, counted} {
		tr, err := ParseString(whole)
		if err != nil {
			t.Fatal(err)
		}
		if text := tr.String(); text != whole {
			t.Errorf("printed as\n%s", text)
		}
		data, err := tr.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseBinary(data)
		if err != nil || !Equal(tr, again) {
			t.Errorf("from binary: %v\n%v", err, again)
		}
	}
	for _, wrong := range []string{"enumerate", "enumerate -1", "enumerate off", "enumerate 2147483648", "enumerate 1 = 1",
		"enumerate 1 = 1 x", "enumerate 1 = 1 1 1", "add 1; enumerate 1"} {
		if _, err := ParseString("ipafuzz 1 ipasir+enumerate\n" + strings.ReplaceAll(wrong, "; ", "\n") + "\n"); err == nil {
			t.Errorf("%s: taken", wrong)
		}
	}
}

// TestMeltNeedsAFreeze: each melt needs a freeze of the same variable in the same solver.
func TestMeltNeedsAFreeze(t *testing.T) {
	for _, c := range []struct {
		calls string
		legal bool
	}{
		{"freeze 1; melt 1", true},
		{"freeze 1; melt -1", true},
		{"freeze 1; freeze 1; melt 1; melt 1", true},
		{"melt 1", false},
		{"freeze 2; melt 1", false},
		{"freeze 1; melt 1; melt 1", false},
		{"freeze 1; @1 melt 1", false},
		{"freeze 1; release; init; melt 1", false},
		{"add 1; freeze 1", false}, // within an open clause
		{"constrain 1", false},     // a constraint needs its final 0
	} {
		_, err := ParseString("ipafuzz 1 ipasir+cadical\n" + strings.ReplaceAll(c.calls, "; ", "\n") + "\n")
		if (err == nil) != c.legal {
			t.Errorf("%s: %v", c.calls, err)
		}
		var place *ParseError
		if err != nil && !errors.As(err, &place) {
			t.Errorf("%s: the error has no place: %v", c.calls, err)
		}
	}
}
