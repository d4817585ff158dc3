package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// equal and the others are formulas that neither units nor pure literals decide.
const (
	equal   = "exists 1 0; forall 2 0; exists 3 0; clause -2 3 0; clause 2 -3 0; " // 3 equals 2: true
	fixed   = "forall 1 0; exists 2 0; clause 1 2 0; clause 1 -2 0; "              // needs 1, which is universal: false
	outer   = "exists 1 2 0; forall 3 0; exists 4 0; clause 1 2 0; clause -1 -2 0; clause 1 3 4 0; clause 1 -3 -4 0; "
	unequal = "exists 1 2 0; clause 1 2 0; clause -1 -2 0; " // true
)

// TestQuantified checks right and wrong answers about quantified formulas.
func TestQuantified(t *testing.T) {
	runTable(t, "qbf", []judged{
		{name: "true", log: equal + "solve = 10"},
		{name: "true is not false", log: equal + "solve = 20", want: []string{"2.5 quantified 5 claims no solution"}},
		{name: "false", log: fixed + "solve = 20"},
		{name: "false is not true", log: fixed + "solve = 10", want: []string{"2.4 quantified 4 claims a solution"}},
		{name: "nothing is true", log: "solve = 20", want: []string{"2.5 quantified 0 claims no solution"}},
		{name: "the empty clause", log: "exists 1 0; clause 0; solve = 10",
			want: []string{"2.4 quantified 2 claims a solution"}},
		{name: "a tautology", log: "forall 1 0; clause 1 -1 0; solve = 20",
			want: []string{"2.5 quantified 2 claims no solution"}},
		{name: "universal", log: "forall 1 0; clause 1 0; solve = 10",
			want: []string{"2.4 quantified 2 claims a solution"}},
		{name: "free", log: "forall 1 0; clause 1 2 0; solve = 10; model = 2"},
		{name: "no status", log: equal + "solve = 30", want: []string{"4.1 status 5 unknown status"}},
		{name: "interrupted", log: equal + "terminate 1; solve = 0", edit: effort(6, trace.Effort{Polls: 1, Nanos: 1})},
		{name: "interrupted without reason", log: equal + "solve = 0", edit: effort(5, trace.Effort{Nanos: 1}),
			want: []string{"4.4 terminate 5 gives up without reason"}},

		{name: "assumptions are for one solve", log: equal + "assume 1; solve = 10; failed 1 = 0; solve = 10"},
		{name: "a universal assumption", log: fixed + "assume 1; solve = 10; core = 1; solve = 20; model = -1"},
		{name: "an existential assumption", log: unequal + "assume 1; assume 2; solve = 20; core = 1 2"},
		{name: "not under the assumption", log: fixed + "assume -1; solve = 10",
			want: []string{"2.4 quantified 5 claims a solution"}},

		{name: "a level", log: equal + "extend 2 4 0; clause 1 4 0; clause -1 4 0; solve = 10",
			want: []string{"2.4 quantified 8 claims a solution"}},
		{name: "a frame", log: equal + "push; clause 1 0; clause -1 0; solve = 20; pop; solve = 10"},
		{name: "a frame that stays", log: equal + "push; clause 1 0; clause -1 0; solve = 20; pop; solve = 20",
			want: []string{"2.5 quantified 10 claims no solution"}},
		{name: "a group",
			log: unequal + "open 7; clause 1 0; clause 2 0; close 7; solve = 20; deactivate 7; solve = 10; " +
				"activate 7; solve = 20; delete 7; solve = 10"},
		{name: "a group that stays",
			log:  unequal + "open 7; clause 1 0; clause 2 0; close 7; solve = 20; delete 7; solve = 20",
			want: []string{"2.5 quantified 9 claims no solution"}},
		{name: "a release", log: fixed + "solve = 20; release; init; solve = 20",
			want: []string{"2.5 quantified 7 claims no solution"}},
		{name: "two instances",
			log: "@0 forall 1 0; @1 exists 1 0; @0 clause 1 0; @1 clause 1 0; @0 solve = 20; @1 solve = 10; " +
				"@0 solve = 10", want: []string{"2.4 quantified 6 claims a solution"}},

		{name: "values win", log: outer + "solve = 10; model = 1 -2"},
		{name: "values may be completed", log: outer + "solve = 10; val 1 = 1; val 2 = 0; val 4 = 0"},
		{name: "values of two solutions", log: outer + "solve = 10; model = 1 2",
			want: []string{"2.6 quantified 8 do not win"}},
		{name: "values that lose inside",
			log:  "exists 1 0; forall 2 0; clause 1 2 0; clause -1 3 0; solve = 10; val 1 = -1",
			want: []string{"2.6 quantified 5 do not win"}},
		{name: "of another block", log: outer + "solve = 10; model = 1 -2 4",
			want: []string{"5.2 quantified 8 value of another variable"}},
		{name: "of another block, and another value", log: outer + "solve = 10; val 4 = 4; val 1 = 1",
			want: []string{"5.2 quantified 8 value of another variable"}},
		{name: "of another block, asked again", log: outer + "solve = 10; val 1 = 1; model = 1 -2 4; val 4 = 4; val 2 = -2",
			want: []string{"5.2 quantified 9 value of another variable"}},
		{name: "of another block, any", config: Config{Policies: map[string]string{"qbf-other-val": "any"}},
			log: outer + "solve = 10; model = 1 -2 4"},
		{name: "two of another block", log: outer + "solve = 10; val 4 = 4; val 4 = -4",
			want: []string{"5.2 values 9 true and false"}},
		{name: "two of another block, any", config: Config{Policies: map[string]string{"qbf-other-val": "any"}},
			log: outer + "solve = 10; val 4 = 4; val 4 = -4; val 4 = 0; model = 1 -2 4"},
		{name: "two after the other answer, any", config: Config{Policies: map[string]string{"qbf-other-val": "any"}},
			log: "exists 1 0; clause 1 0; clause -1 0; solve = 20; val 1 = 1; val 1 = -1"},
		{name: "two of the outermost block, any", config: Config{Policies: map[string]string{"qbf-other-val": "any"}},
			log: outer + "solve = 10; val 1 = 1; val 1 = -1", want: []string{"5.2 values 9 true and false"}},
		{name: "against an assumption", log: outer + "assume 1; solve = 10; val 1 = -1",
			want: []string{"2.6 quantified 9 assumption"}},
		{name: "universal values win", log: fixed + "solve = 20; model = -1"},
		{name: "universal values lose", log: fixed + "solve = 20; model = 1",
			want: []string{"2.6 quantified 5 do not win"}},
		{name: "a false formula has no values", log: "exists 1 0; clause 1 0; clause -1 0; solve = 20; model = 1",
			want: []string{"5.2 quantified 4 value after the other answer"}},
		{name: "a true one neither", log: "forall 1 0; clause 1 -1 0; solve = 10; model = 1",
			want: []string{"5.2 quantified 3 value after the other answer"}},
		{name: "two values", log: outer + "solve = 10; val 1 = 1; val 1 = -1",
			want: []string{"5.2 values 9 true and false"}},
		{name: "free, although the clause is gone",
			log:  "push; clause 5 0; pop; forall 1 0; clause 1 0; solve = 20; model = -1",
			want: []string{"5.2 quantified 6 value after the other answer"}},

		{name: "no core", log: unequal + "assume 1; assume 2; solve = 20; core = 1",
			want: []string{"5.3 quantified 6 not a core"}},
		{name: "a part of a core", log: unequal + "assume 1; assume 2; solve = 20; failed 1 = 1"},
		{name: "not even that", log: unequal + "assume 1; assume 2; solve = 20; failed 1 = 0",
			want: []string{"5.3 quantified 6 not a core"}},
		{name: "of a true formula", log: fixed + "assume 1; solve = 10; core =",
			want: []string{"5.3 quantified 6 not a core"}},
		{name: "of existential assumptions and truth", log: unequal + "assume 1; solve = 10; core ="},
		{name: "no assumption", log: unequal + "assume 1; assume 2; solve = 20; core = 1 2 -2",
			want: []string{"5.3 failed 6 not an assumption"}},
	})
}

// TestQuantifiedRelations checks answers that contradict each other about formulas too large to decide.
func TestQuantifiedRelations(t *testing.T) {
	runTable(t, "qbf", []judged{
		{name: "unknown", config: large, log: unequal + "solve = 20"},
		{name: "twice", config: large, log: unequal + "solve = 20; solve = 10",
			want: []string{"5.4 quantified 4 status"}},
		{name: "a clause more", config: large, log: unequal + "solve = 20; clause 1 -2 0; solve = 10",
			want: []string{"5.4 quantified 5 a harder problem has a solution"}},
		{name: "a clause less", config: large,
			log:  unequal + "push; clause 1 3 0; clause -1 -3 0; solve = 10; pop; solve = 20",
			want: []string{"5.4 quantified 8 a harder problem has a solution"}},
		{name: "a clause more may be false", config: large, log: unequal + "solve = 10; clause 1 -2 0; solve = 20"},
		{name: "simplifying knows the harder one", config: large, log: unequal + "solve = 20; assume 1; solve = 10",
			want: []string{"2.5 quantified 5 claims no solution"}},
		{name: "or knew it before", config: large, log: unequal + "assume 1; solve = 10; solve = 20",
			want: []string{"2.5 quantified 5 claims no solution"}},
		{name: "values show it", config: large, log: unequal + "solve = 10; model = 1 -2; solve = 20",
			want: []string{"2.5 quantified 5 claims no solution"}},
		{name: "and are wrong", config: large, log: unequal + "solve = 10; model = 1 2",
			want: []string{"2.6 quantified 4 do not win"}},
		{name: "a release", config: large, log: unequal + "solve = 20; release; init; " + unequal + "solve = 10"},
	})
}

// TestQuantifiedBlind: the oracle says nothing about answers that follow a call which was not made.
func TestQuantifiedBlind(t *testing.T) {
	runTable(t, "qbf", []judged{
		{name: "a frame", log: unequal + "push = ?; clause 1 0; clause 2 0; solve = 10; pop = ?; solve = 10"},
		{name: "until the release", log: fixed + "push = ?; solve = 10; release; init; " + fixed + "solve = 10",
			want: []string{"2.4 quantified 12 claims a solution"}},
	})
}
