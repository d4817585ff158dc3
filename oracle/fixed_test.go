package oracle

import "testing"

// TestFixed: fixed may answer 1 or -1 only if the literal has that value in every solution of the clauses.
func TestFixed(t *testing.T) {
	runTable(t, "ipasir+cadical", []judged{
		{name: "not known", log: "add 1 0; fixed 1 = 0; solve = 10; fixed 1 = 0"},
		{name: "implied", log: "add 1 2 0; add 1 -2 0; fixed 1 = 1; fixed -1 = -1"},
		{name: "its negation is", log: "add -1 0; fixed 1 = -1; fixed -1 = 1"},
		{name: "not implied", log: "add 1 2 0; fixed 1 = 1", want: []string{"6.1 fixed 1 literal not implied"}},
		{name: "nor is its negation", log: "add 1 2 0; fixed 1 = -1", want: []string{"6.1 fixed 1 literal not implied"}},
		{name: "assumed only", log: "add 1 2 0; assume 1; solve = 10; fixed 1 = 1; val 1 = 1",
			want: []string{"6.1 fixed 3 literal not implied"}},
		{name: "constrained only", log: "add 1 2 0; constrain 1 0; fixed 1 = 1; solve = 10",
			want: []string{"6.1 fixed 2 literal not implied"}},
		{name: "in no clause", log: "fixed 7 = 1", want: []string{"6.1 fixed 0 literal not implied"}},
		{name: "of a formula without solutions", log: "add 1 0; add -1 0; fixed 1 = 1; fixed 1 = -1"},
		{name: "keeps the solution", log: "add 1 2 0; solve = 10; fixed 1 = 0; model = 1 2"},
		{name: "no value", log: "add 1 0; fixed 1 = 2", want: []string{"5.2 fixed 1 no value of fixed"}},
		{name: "not before a release", log: "add 1 0; release; init; add 1 2 0; fixed 1 = 1",
			want: []string{"6.1 fixed 4 literal not implied"}},
		{name: "a known solution", config: large, log: "add 1 2 0; solve = 10; model = -1 2; assume 2; fixed 1 = 1",
			want: []string{"6.1 fixed 4 literal not implied"}},
	})
}

// TestFrozen: frozen answers 1 as long as freeze was called more often than melt.
func TestFrozen(t *testing.T) {
	runTable(t, "ipasir+cadical", []judged{
		{name: "counted",
			log: "freeze 1; freeze -1; melt 1; frozen 1 = 1; frozen -1 = 1; frozen 2 = 0; melt 1; frozen 1 = 0"},
		{name: "melted too early", log: "freeze 1; freeze 1; melt 1; frozen 1 = 0",
			want: []string{"5.2 frozen 3 wrong frozen"}},
		{name: "another variable", log: "freeze 1; frozen 2 = 1", want: []string{"5.2 frozen 1 wrong frozen"}},
		{name: "not before a release", log: "freeze 1; release; init; frozen 1 = 1",
			want: []string{"5.2 frozen 3 wrong frozen"}},
	})
}
