package qbf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// text returns a formula as one line: "e 1 2; a 3 | 1 -3; 2".
func text(f Formula) string {
	var prefix, clauses []string
	for _, block := range f.Prefix {
		quantifier := "e"
		if block.Universal {
			quantifier = "a"
		}
		prefix = append(prefix, quantifier+list(block.Vars))
	}
	for _, clause := range f.Clauses {
		clauses = append(clauses, strings.TrimSpace(list(clause)))
	}
	return strings.Join(prefix, "; ") + " | " + strings.Join(clauses, "; ")
}

func list(lits []int32) string {
	var b strings.Builder
	for _, lit := range lits {
		fmt.Fprintf(&b, " %d", lit)
	}
	return b.String()
}

// TestState: for each solve, State knows the formula, the assumptions and the outermost block.
func TestState(t *testing.T) {
	for _, c := range []struct {
		calls string
		want  []string
	}{
		{"solve", []string{" |  / / e"}},
		{"exists 1 2 0;forall 3 0;clause 1 -3 0;solve", []string{"e 1 2; a 3 | 1 -3 / / e 1 2"}},
		{"forall 1 0;clause 1;clause 2;clause 0;solve", []string{"a 1 | 1 2 / / e 2"}},
		{"push;clause 1 0;push;clause 2 0;solve;pop;solve;clause 3 0;pop;solve", []string{
			" | 1; 2 / / e 1 2", " | 1 / / e 1 2", " |  / / e 1 2 3"}},
		{"clause 1 0;open 1;clause 2 0;close 1;clause 3 0;deactivate 1;solve;activate 1;solve;delete 1;solve;" +
			"open 1;clause 4 0;solve", []string{
			" | 1; 3 / / e 1 2 3", " | 1; 2; 3 / / e 1 2 3", " | 1; 3 / / e 1 2 3", " | 1; 3; 4 / / e 1 2 3 4"}},
		{"open 1;clause 1 0;close 1;open 1;clause 2 0;close 1;delete 1;solve", []string{" |  / / e 1 2"}},
		{"forall 1 0;exists 2 0;forall 0;extend 1 3 0;extend 3 4 0;clause 2 0;assume -3;assume 1;solve;solve", []string{
			"a 1 3; e 2; a 4 | 2 / -3 1 / a 1 3", "a 1 3; e 2; a 4 | 2 / / a 1 3"}},
		{"exists 1 0;assume 1;push;clause 1 0;pop;solve", []string{"e 1 |  / 1 / e 1"}},
		{"forall 0;exists 1 0;forall 0;exists 2 0;forall 3 0;exists 4 0;clause 5 0;solve", []string{
			"a; e 1; a; e 2; a 3; e 4 | 5 / / e 5 1 2"}},
		{"exists 1 0;push;clause 1 0;assume 1;release;init;push;clause 2 0;solve;pop;solve", []string{
			" | 2 / / e 2", " |  / / e 2"}},
		{"exists 1 0;clause 1 0;@1 forall 1 0;@1 clause -1 0;solve", []string{"e 1 | 1 / / e 1"}},
	} {
		read, err := trace.ParseString("ipafuzz 1 qbf\n" + strings.ReplaceAll(c.calls, ";", "\n") + "\n")
		if err != nil {
			t.Fatalf("%s: %v", c.calls, err)
		}
		var got []string
		state := NewState(9)
		state.Reset(0)
		var formulas []Formula
		for i := range read.Calls {
			if read.Calls[i].Op == apimodel.OpSolve {
				quantifier := "e"
				universal, vars := state.Outermost()
				also, last := state.OutermostLevels()
				for v := int32(1); v < 10; v++ {
					if level := state.Level(v); also != universal || (0 <= level && level <= last) != slices.Contains(vars, v) {
						t.Errorf("%s: the outermost block %v has the levels up to %d, variable %d has level %d", c.calls, vars,
							last, v, level)
					}
				}
				if universal {
					quantifier = "a"
				}
				formulas = append(formulas, state.Formula())
				got = append(got, fmt.Sprintf("%s /%s / %s%s", text(state.Formula()), list(state.Assumptions()),
					quantifier, list(vars)))
				pending := slices.Clone(state.Assumptions())
				state.Apply(read, i)
				if !slices.Equal(state.Assumed(), pending) || len(state.Assumptions()) > 0 {
					t.Errorf("%s: after the solve, Assumptions returns %v and Assumed %v", c.calls, state.Assumptions(),
						state.Assumed())
				}
				continue
			}
			state.Apply(read, i)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.calls, got, c.want)
		}
		for i := range formulas { // later calls do not change a formula that was returned
			if before, _, _ := strings.Cut(c.want[i], " /"); text(formulas[i]) != before {
				t.Errorf("%s: formula %d became %s", c.calls, i, text(formulas[i]))
			}
		}
	}
}

func TestStateTellsLevels(t *testing.T) {
	read, err := trace.ParseString("ipafuzz 1 qbf\nexists 1 0\nforall 2 0\nclause 3 0\nopen 4\n")
	if err != nil {
		t.Fatal(err)
	}
	state := NewState(0)
	for i := range read.Calls {
		state.Apply(read, i)
	}
	for v, want := range map[int32]int{1: 1, 2: 2, 3: 0, 4: -1} {
		if got := state.Level(v); got != want {
			t.Errorf("the level of %d is %d, want %d", v, got, want)
		}
	}
	if universal, vars := state.Formula().Outermost(); universal || !slices.Equal(vars, []int32{3, 1}) {
		t.Errorf("the outermost block of the formula is %v %v", universal, vars)
	}
}
