package oracle

import "testing"

// TestCounts: two counts of solutions must agree, and must fit the clauses if these are known.
func TestCounts(t *testing.T) {
	runTable(t, "ipasir+enumerate", []judged{
		{name: "right", log: "add 1 2 0; enumerate 9 = 3 3; add -1 0; enumerate 9 = 1 1; add -2 0; enumerate 9 = 0 0"},
		{name: "no clauses", log: "enumerate 9 = 1 1; add 0; enumerate 9 = 0 0"},
		{name: "up to the limit", log: "add 1 2 3 0; enumerate 4 = 4 4; enumerate 0 = 0 0"},
		{name: "they differ", log: "add 1 2 0; enumerate 9 = 3 2", want: []string{"5.4 count 1 counts of solutions"}},
		{name: "too many", log: "add 1 2 0; enumerate 9 = 4 4", want: []string{"2.4 count 1 counts too many solutions"}},
		{name: "more than asked for", log: "add 1 2 0; enumerate 2 = 3 3",
			want: []string{"2.4 count 1 counts too many solutions"}},
		{name: "too few", log: "add 1 2 0; enumerate 9 = 2 2", want: []string{"2.5 count 1 counts too few solutions"}},
		{name: "many variables", log: "add 1 2 3 4 5 6 7 8 0; enumerate 300 = 255 255"},
		{name: "assumptions play no part", log: "add 1 2 0; assume -1; enumerate 9 = 3 3; solve = 10; val 1 = 1; val 2 = 2"},
		{name: "and are cleared", log: "add 1 2 0; assume -1; assume -2; enumerate 9 = 3 3; solve = 20",
			want: []string{"2.5 exhaustive 4 claims no solution"}},
		{name: "questions and assumptions name no variable of a clause",
			log: "add 1 0; assume 5; solve = 10; val 7 = 0; enumerate 9 = 1 1"},
		{name: "of a new solver", log: "add 1 2 0; release; init; add 3 0; enumerate 9 = 1 1"},
		{name: "unknown without a search", log: "add 1 2 0; enumerate 9 = 7 7", config: Config{MaxVars: -1}},
		{name: "and yet they differ", log: "add 1 2 0; enumerate 9 = 7 3", config: Config{MaxVars: -1},
			want: []string{"5.4 count 1 counts of solutions"}},
		{name: "not answered", log: "add 1 2 0; enumerate 9; enumerate 9 = ?; solve = 10"},
	})
}

// TestLeast: with the policy solutions=least, a solution that is not minimal is a finding.
func TestLeast(t *testing.T) {
	least := Config{Policies: map[string]string{"solutions": "least"}}
	runTable(t, "ipasir", []judged{
		{name: "minimal", config: least, log: "add 1 2 0; add 2 3 0; solve = 10; model = -1 2 -3"},
		{name: "one too many", config: least, log: "add 1 2 0; add 2 3 0; solve = 10; model = 1 -2 3",
			want: []string{"2.1 least 3 more true variables than needed"}},
		{name: "under assumptions", config: least, log: "add 1 2 0; add 2 3 0; assume -2; solve = 10; model = 1 -2 3"},
		{name: "not asked for all", config: least, log: "add 1 2 0; solve = 10; val 1 = 1"},
		{name: "in no clause", config: least, log: "add 1 2 0; solve = 10; val 1 = 1; val 2 = -2; val 9 = 9"},
		{name: "what is not important may be false", config: least, log: "add 1 2 0; solve = 10; val 1 = 1; val 2 = 0"},
		{name: "not promised", log: "add 1 2 0; add 2 3 0; solve = 10; model = 1 -2 3"},
		{name: "beyond the search", config: Config{Policies: least.Policies, MaxVars: -1},
			log: "add 1 2 0; solve = 10; model = 1 2"},
	})
}
