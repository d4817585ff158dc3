package fault_test

import "testing"

// TestQuantifiedDefects groups minimal traces of libraries for quantified formulas.
func TestQuantifiedDefects(t *testing.T) {
	const qbf = "qbf"
	checkRows(t, []row{
		// An answer that is repeated may be either answer, and what changed may be anything.
		{"answer-reused", qbf, []failure{
			{"2.5", "claims no solution", "exists 1 0; clause -1 0; push; clause 1 0; solve; pop; solve"},
			{"2.5", "claims no solution", "exists 1 0; clause -1 0; assume 1; solve; solve"},
			{"2.4", "claims a solution", "forall 1 0; clause 1 0; assume 1; solve; solve"},
			{"2.6", "do not win", "exists 1 0; clause 1 0; solve; terminate 1; solve; model"},
			{"5.6", "ignores stop", "solve; terminate 1; solve"}}, 1},
		{"false-forever", qbf, []failure{
			{"2.5", "claims no solution", "exists 1 0; clause 1 0; push; clause -1 0; solve; pop; solve"},
			{"2.5", "claims no solution", "exists 1 0; clause -1 0; open 1; clause 1 0; close 1; solve; delete 1; solve"},
			{"2.5", "claims no solution", "forall 1 0; clause 1 0; solve; assume 1; solve"},
			{"5.6", "ignores stop", "clause 0; solve; terminate 1; solve"}}, 1},
		{"assumptions-persist", qbf, []failure{
			{"2.4", "claims a solution", "clause 1 0; assume 1; solve; assume -1; solve"},
			{"2.6", "assumption", "exists 1 0; assume 1; solve; assume -1; solve; model"},
			{"2.5", "claims no solution", "exists 1 2 0; clause -1 2 0; assume 1; solve; clause -2 0; solve"}}, 1},
		// A pop that removes the wrong clause needs no second solve.
		{"pop-keeps-clause,second=answer-reused", qbf, []failure{
			{"2.5", "claims no solution", "push; clause 0; pop; solve"},
			{"2.5", "claims no solution", "exists 1 0; clause -1 0; assume 1; solve; solve"}}, 2},
		// A new clause makes the target answer anew, or does not.
		{"false-forever,second=answer-reused", qbf, []failure{
			{"2.4", "claims a solution", "forall 1 0; clause 1 0; assume 1; solve; solve"},
			{"2.5", "claims no solution", "open 7; clause 0; close 7; solve; deactivate 7; solve"}}, 2},
		// A group may stop counting, or an answer be repeated.
		{"deactivated-counts,second=answer-reused", qbf, []failure{
			{"2.5", "claims no solution", "exists 1 0; clause -1 0; assume 1; solve; solve"},
			{"2.5", "claims no solution", "open 7; clause 0; close 7; solve; deactivate 7; solve"}}, 2},
		{"deactivated-counts", qbf, []failure{
			{"2.5", "claims no solution", "open 7; clause 0; close 7; solve; deactivate 7; solve"},
			{"5.3", "not a core", "clause 1 0; open 3; clause 2 0; close 3; solve; deactivate 3; clause -2 0; assume -1; " +
				"solve; core"}}, 1},
		// A value or a core shows the wrong answer, too.
		{"reduces-outer", qbf, []failure{
			{"2.5", "claims no solution", "forall 1 0; exists 2 0; clause 1 -2 0; clause -1 2 0; solve"},
			{"2.6", "do not win", "forall 1 0; exists 2 0; clause -1 -2 0; clause 2 0; solve; model"},
			{"2.6", "do not win", "forall 1 0; exists 2 0; clause -1 2 0; clause -2 0; solve; model"},
			{"5.3", "not a core", "exists 1 0; forall 2 0; exists 3 0; clause 1 0; clause 2 3 0; clause -2 -3 0; assume -1; " +
				"solve; core"}}, 1},
		{"pure-for-both,second=reduces-outer", qbf, []failure{
			{"2.4", "claims a solution", "forall 1 0; exists 2 3 0; clause 1 -2 -3 0; clause 2 3 0; clause 2 -3 0; " +
				"clause -2 3 0; solve"},
			{"2.5", "claims no solution", "forall 1 0; exists 2 0; clause 1 -2 0; clause -1 2 0; solve"}}, 2},
		// Only one gives a wrong answer.
		{"dependency-forgotten,second=reduces-outer", qbf, []failure{
			{"2.5", "claims no solution", "forall 1 0; exists 2 0; clause 1 -2 0; clause -1 2 0; solve"},
			{"5.2", "value of another variable", "exists 1 0; forall 2 0; exists 3 0; solve; val 3"}}, 2},
		{"values-of-first-leaf,second=dependency-forgotten", qbf, []failure{
			{"2.6", "do not win", "exists 1 2 3 0; clause 1 2 0; clause -1 3 0; clause 2 -3 0; clause -2 -3 0; solve; model"},
			{"2.5", "claims no solution", "forall 1 0; exists 2 0; clause 1 -2 0; clause -1 2 0; clause 3 0; solve"},
			{"5.2", "value of another variable", "exists 1 0; forall 2 0; exists 3 0; solve; val 3"}}, 2},
		{"values-of-inner,second=pure-for-both", qbf, []failure{
			{"5.2", "value after the other answer", "forall 1 0; exists 2 0; solve; model"},
			{"2.4", "claims a solution", "exists 1 0; forall 2 0; exists 3 0; clause 1 -3 0; clause -1 -3 0; clause 2 3 0; " +
				"solve"}}, 2},
		// Nothing has to be searched for a core of one clause.
		{"true-blameless,second=reduces-outer", qbf, []failure{
			{"5.3", "not a core", "forall 1 0; clause 1 0; assume 1; solve; failed 1"},
			{"5.3", "not a core", "exists 1 0; forall 2 0; exists 3 0; clause 1 0; clause 2 3 0; clause -2 -3 0; assume -1; " +
				"solve; core"}}, 2},
		// A core of universal variables needs the assumptions only to be seen.
		{"core-misses-last", qbf, []failure{
			{"5.3", "not a core", "exists 1 2 0; clause 2 0; assume 1; assume -2; solve; core"},
			{"5.3", "not a core", "forall 1 2 0; clause 2 0; assume 1; assume 2; solve; failed 2"}}, 1},
		{"universal-assumption-ignored", qbf, []failure{
			{"2.5", "claims no solution", "forall 1 0; clause 1 0; assume 1; solve"},
			{"2.6", "assumption", "forall 1 0; clause 0; assume 1; solve; model"}}, 1},
		{"false-values-negated", qbf, []failure{
			{"2.6", "assumption", "forall 1 0; clause 0; assume 1; solve; model"},
			{"2.6", "do not win", "forall 1 0; clause 1 0; solve; model"}}, 1},
		// The values are wrong, whatever answer the other defect gives under them.
		{"false-values-negated,second=universal-assumption-ignored", qbf, []failure{
			{"2.6", "do not win", "forall 1 0; clause 1 0; solve; model"},
			{"2.5", "claims no solution", "forall 1 0; clause 1 0; assume 1; solve"}}, 2},
		{"false-values-negated,second=false-forever", qbf, []failure{
			{"2.6", "do not win", "forall 1 0; clause 1 0; solve; model"},
			{"2.5", "claims no solution", "forall 1 0; clause 1 0; solve; assume 1; solve"}}, 2},
		// A prefix that is not read as given changes answers and what has a value.
		{"empty-block-ends", qbf, []failure{
			{"2.4", "claims a solution", "forall 0; forall 1 0; clause 1 0; solve"},
			{"2.5", "claims no solution", "forall 1 0; forall 0; exists 2 0; clause 1 2 0; clause -1 -2 0; solve"},
			{"5.2", "value of another variable", "exists 1 0; forall 0; forall 2 0; solve; model"}}, 1},
		// Free variables and an existential block are two blocks, too.
		{"blocks-alternate", qbf, []failure{
			{"2.5", "claims no solution", "exists 1 0; exists 2 0; clause 2 0; solve"},
			{"2.4", "claims a solution", "exists 1 0; forall 2 0; clause 2 0; clause 3 0; solve"},
			{"2.5", "claims no solution", "forall 0; exists 1 0; clause 1 0; clause 2 0; solve"}}, 1},
	})
}

// TestIPASIR2Defects groups minimal traces of libraries with IPASIR-2.
func TestIPASIR2Defects(t *testing.T) {
	const ipasir2 = "ipasir2"
	checkRows(t, []row{
		// A check is made whether a solve runs or not, and for both bounds.
		{"wrong-code", ipasir2, []failure{
			{"5.1", "code of value", "add 1 0; misuse 0"},
			{"5.1", "code of value during a solve", "misuse 287; add 1 0; solve; errors"}}, 1},
		{"option-cut", ipasir2, []failure{
			{"5.1", "code of an option below its least value", "misuse 256"},
			{"5.1", "code of an option above its greatest value", "misuse 222"}}, 1},
		// Each call has its own check.
		{"wrong-code,second=option-cut", ipasir2, []failure{
			{"5.1", "code of value", "add 1 0; misuse 0"},
			{"5.1", "code of an option below its least value", "misuse 256"}}, 2},
		{"setters-refused,second=option-refused", ipasir2, []failure{
			{"5.1", "refuses a right call: setting the callbacks again during a solve", "misuse 49; solve; errors"},
			{"5.1", "refuses a right call: an option up to SOLVING during a solve", "misuse 126; solve; errors"}}, 2},
		// A callback that is called wrongly gives no wrong answer.
		{"import-stays,second=import-lost", ipasir2, []failure{
			{"5.1", "calls a removed callback", "import 1 0; solve; solve; errors"},
			{"2.4", "claims a solution", "import 1 0; import -1 0; solve"}}, 2},
		// Values that an added clause contradicts are odd values and a missed solution.
		{"indexed-fact", ipasir2, []failure{
			{"2.5", "claims no solution", "add 1 0; havoc 2; solve"},
			{"5.2", "0 and a value", "add 1 0; solve; model; havoc 2; val 1"}}, 1},
	})
}
