package oracle

import "testing"

// TestConstraints: a constraint holds in the next solve only.
func TestConstraints(t *testing.T) {
	runTable(t, "ipasir+cadical", []judged{
		{name: "holds", log: "constrain 1 2 0; assume -1; solve = 10; val 2 = 2; val 1 = -1"},
		{name: "is falsified", log: "constrain 1 2 0; solve = 10; val 1 = -1; val 2 = -2",
			want: []string{"2.6 model 3 hard clause"}},
		{name: "makes unsatisfiable", log: "add 1 0; constrain -1 0; solve = 20"},
		{name: "claims a solution", log: "add 1 0; constrain -1 0; solve = 10",
			want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "the empty one", log: "add 1 0; constrain 0; solve = 20; solve = 10"},
		{name: "is over after an answer", log: "constrain 1 0; solve = 10; add -1 0; solve = 10"},
		{name: "is not over", log: "constrain 1 0; solve = 10; add -1 0; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "is over after unsatisfiable", log: "add 1 0; constrain -1 0; solve = 20; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "a later one replaces it",
			log: "add -1 -2 0; constrain 1 0; constrain 2 0; solve = 10; val 1 = -1; val 2 = 2"},
		{name: "and is not added to it", log: "add -1 -2 0; constrain 1 0; constrain 2 0; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "may be what failed", log: "assume -1; assume -2; constrain 1 2 0; solve = 20; core = -1 -2"},
		{name: "with no assumption to blame", log: "add 1 0; assume 2; constrain -1 0; solve = 20; core ="},
		{name: "does not make any core one", log: "assume -1; assume -2; constrain 1 2 0; solve = 20; core = -1",
			want: []string{"5.3 core 4 not a core"}},
		{name: "ends with its solver", log: "constrain 1 0; release; init; add -1 0; solve = 10"},
		{name: "of another instance", log: "constrain 1 0; @1 add -1 0; @1 solve = 10; solve = 10"},
		{name: "beside the largest variable",
			log: "add 2147483647 0; constrain -2147483647 1 0; solve = 10; val 1 = 1; val 2147483647 = 2147483647"},
		{name: "failed", log: "add 1 0; assume 2; constrain -1 0; solve = 20; core =; constraint-failed = 1"},
		{name: "did not fail", log: "add 1 0; assume -1; constrain 2 0; solve = 20; core = -1; constraint-failed = 0"},
		{name: "did not fail, it answers", log: "add 1 0; constrain -1 0; solve = 20; constraint-failed = 0",
			want: []string{"5.3 core 3 not a core"}},
		{name: "and the assumptions are not a core without it",
			log:  "assume -1; assume -2; constrain 1 2 0; solve = 20; core = -1 -2; constraint-failed = 0",
			want: []string{"5.3 core 5 not a core"}},
		{name: "failed and did not", log: "add 1 0; constrain -1 0; solve = 20; constraint-failed = 1; constraint-failed = 0",
			want: []string{"5.3 failed 4 failed and not failed"}},
		{name: "half failed", log: "add 1 0; constrain -1 0; solve = 20; constraint-failed = 2",
			want: []string{"5.3 failed 3 neither 0 nor 1"}},
		{name: "there was none", log: "add 1 0; assume -1; solve = 20; constraint-failed = 1",
			want: []string{"5.3 failed 3 no constraint"}},
		{name: "without a search", log: "add 1 0; constrain -1 0; solve = 10; val 1 = 1", config: Config{MaxVars: -1},
			want: []string{"2.6 model 3 hard clause"}},
	})
}

// TestSimplify: an answer of simplify is judged like one of solve, but it may be 0.
func TestSimplify(t *testing.T) {
	runTable(t, "ipasir+cadical", []judged{
		{name: "not known", log: "add 1 0; simplify = 0; solve = 10"},
		{name: "right", log: "add 1 0; simplify = 10; add -1 0; simplify = 20"},
		{name: "wrongly satisfiable", log: "add 1 0; add -1 0; simplify = 10",
			want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "wrongly unsatisfiable", log: "add 1 0; simplify = 20", want: []string{"2.5 exhaustive 1 claims no solution"}},
		{name: "no status", log: "add 1 0; simplify = 7", want: []string{"4.1 status 1 unknown status"}},
		{name: "under assumptions", log: "add 1 0; assume -1; simplify = 20; solve = 10"},
		{name: "clears assumptions", log: "add 1 0; assume -1; simplify = 0; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "clears the constraint", log: "add 1 0; constrain -1 0; simplify = 0; solve = 20",
			want: []string{"2.5 exhaustive 3 claims no solution"}},
		{name: "freezes and phases say nothing",
			log: "freeze 1; phase -1; add 1 0; solve = 10; melt 1; unphase 1; val 1 = 1"},
	})
}

// TestLimits: a solve with a limit may give up; the solve after it may not.
func TestLimits(t *testing.T) {
	runTable(t, "ipasir+cadical", []judged{
		{name: "gives up", log: "add 1 0; limit-conflicts 0; solve = 0"},
		{name: "answers all the same", log: "add 1 0; limit-decisions 5; solve = 10"},
		{name: "answers wrongly", log: "add 1 0; limit-decisions 5; solve = 20",
			want: []string{"2.5 exhaustive 2 claims no solution"}},
		{name: "for one solve", log: "add 1 0; limit-conflicts 0; solve = 0; solve = 0",
			want: []string{"4.4 terminate 3 gives up without reason"}},
		{name: "taken back", log: "add 1 0; limit-conflicts 0; limit-conflicts off; solve = 0",
			want: []string{"4.4 terminate 3 gives up without reason"}},
		{name: "the other one stays", log: "add 1 0; limit-conflicts 0; limit-decisions 1; limit-conflicts off; solve = 0"},
		{name: "used up by simplify", log: "add 1 0; limit-conflicts 0; simplify = 0; solve = 0",
			want: []string{"4.4 terminate 3 gives up without reason"}},
		{name: "ends with its solver", log: "add 1 0; limit-conflicts 0; release; init; solve = 0",
			want: []string{"4.4 terminate 4 gives up without reason"}},
	})
}
