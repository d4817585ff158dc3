package oracle

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func lines(lines ...string) string { return `proof = "` + strings.Join(lines, `\x0a`) + `\x0a"` }

// TestHandedOverProofs: a proof that a library hands over is about everything that its solver was told in its
// life.
func TestHandedOverProofs(t *testing.T) {
	const idrup, drat, lrat, frat = "option proof idrup = 0; ", "option proof drat = 0; ", "option proof lrat = 0; ",
		"option proof frat = 0; "
	const core = "add 1 2 0; add -1 2 0; assume -2; solve = 20; core = -2; "
	right := lines("i 1 2 0", "i -1 2 0", "q -2 0", "l 2 0", "s UNSATISFIABLE", "u -2 0")
	const false2 = "add 1 2 0; add -1 2 0; add 1 -2 0; add -1 -2 0; solve = 20; "
	const cube = "add 1 2 3 0; add -1 2 3 0; add 1 -2 3 0; add -1 -2 3 0; add 1 2 -3 0; add -1 2 -3 0; " +
		"add 1 -2 -3 0; add -1 -2 -3 0; solve = 20; "
	runTable(t, "ipasir", []judged{
		{name: "right", log: idrup + core + right},
		{name: "and again", log: idrup + core + right + "; " + right},
		{name: "of the solves so far", log: idrup + core + right + "; solve = 10; model = 1 2"},
		{name: "not of the last", log: idrup + core + "solve = 10; model = 1 2; " + right,
			want: []string{"6.3 proof 8 truncated"}},
		{name: "a model", log: idrup + "add 1 2 0; solve = 10; model = 1 -2; " +
			lines("i 2 1 0", "q 0", "s SATISFIABLE", "m 1 -2 0")},
		{name: "another model", log: idrup + "add 1 2 0; solve = 10; model = 1 -2; " +
			lines("i 2 1 0", "q 0", "s SATISFIABLE", "m 1 2 0"),
			want: []string{"6.5 proof 4 contradicting"}},
		{name: "no model", log: idrup + "add 1 2 0; solve = 10; " +
			lines("i 2 1 0", "q 0", "s SATISFIABLE", "m -1 -2 0"),
			want: []string{"6.4 proof 3 unjustified"}},
		{name: "without the lemma", log: idrup + core +
			lines("i 1 2 0", "i -1 2 0", "q -2 0", "s UNSATISFIABLE", "u -2 0")},
		{name: "a wrong lemma", log: idrup + core +
			lines("i 1 2 0", "i -1 2 0", "q -2 0", "l 1 0", "s UNSATISFIABLE", "u -2 0"),
			want: []string{"6.4 proof 6 unjustified"}},
		{name: "other assumptions", log: idrup + core +
			lines("i 1 2 0", "i -1 2 0", "q -1 0", "l 2 0", "s UNSATISFIABLE", "u -2 0"),
			want: []string{"6.5 proof 6 different"}},
		{name: "another core than failed says", log: idrup + "add 1 0; add 2 0; assume -1; assume -2; " +
			"solve = 20; core = -1; " + lines("i 1 0", "i 2 0", "q -1 -2 0", "s UNSATISFIABLE", "u -2 0"),
			want: []string{"6.5 proof 7 contradicting"}},
		{name: "failed of another literal", log: idrup + core + "failed 1 = 1; failed 9 = 1; " + right},
		{name: "value of an unseen variable", log: idrup + "add 1 2 0; solve = 10; model = 1 -2; val 3 = 3; " +
			lines("i 2 1 0", "q 0", "s SATISFIABLE", "m 1 -2 -3 0")},
		{name: "opposite assumptions", log: idrup + "add 1 2 0; assume 1; assume -1; solve = 20; core = 1 -1; " +
			lines("i 2 1 0", "q 1 -1 0", "s UNSATISFIABLE", "u 1 -1 0")},
		{name: "tautology", log: idrup + "add 1 -1 0; add 2 0; add 3 3 0; solve = 10; model = 1 2 3; " +
			lines("i 1 -1 0", "i 2 0", "i 3 3 0", "d 1 -1 0", "q 0", "s SATISFIABLE", "m 1 2 3 0")},
		{name: "empty clause", log: idrup + "add 0; assume 1; solve = 20; core = ; " +
			lines("i 0", "q 1 0", "s UNSATISFIABLE", "u 0")},
		{name: "empty clause, drat", log: drat + `add 0; solve = 20; proof = ""`},
		{name: "empty clause, lrat", log: lrat + `add 0; solve = 20; proof = ""`},
		{name: "two units, lrat", log: lrat + "add 1 1 0; add -1 0; solve = 20; " + lines("3 0 1 2 0")},
		{name: "empty clause, frat", log: frat + "add 0; solve = 20; " + lines("o 1 0", "f 1 0")},
		{name: "no proof", log: idrup + core + `proof = ""`, want: []string{"6.3 proof 6 truncated"}},
		{name: "words", log: idrup + core + `proof = "Segmentation fault"`, want: []string{"6.3 proof 6 malformed"}},
		{name: "none was asked for", log: core + `proof = "words"`},
		{name: "refused", log: "option proof idrup = 1; " + core + `proof = "words"`},
		{name: "an unknown format", log: "option proof new = 0; " + core + `proof = "words"`},
		{name: "a lack", log: idrup + core + "proof = ?"},
		{name: "of this life", log: idrup + core + "release; init; " + core + `proof = "words"`},
		{name: "of this instance", log: idrup + core + "@1 option proof idrup = 0; @1 add 1 0; @1 solve = 10; " +
			"@1 " + right, want: []string{"6.5 proof 9 different"}},
		{name: "a havoc", log: idrup + "havoc 1; " + core + `proof = "words"`},
		{name: "a wrong answer", log: idrup + `add 1 0; solve = 20; proof = "words"`,
			want: []string{"2.5 exhaustive 2 claims no solution"}},

		{name: "drat", log: drat + false2 + lines("1 0", "0")},
		{name: "drat, not a lemma", log: drat + cube + lines("0"), want: []string{"6.4 proof 10 unjustified"}},
		{name: "drat in binary", log: drat + false2 + `proof = "a\x02\x00a\x00"`},
		{name: "drat in binary, not a lemma", log: drat + cube + `proof = "a\x00"`,
			want: []string{"6.4 proof 10 unjustified"}},
		{name: "drat, long", log: drat + cube + lines(strings.Repeat(`d 9 8 7 0\x0a`, 20_000), "0"),
			want: []string{"6.4 proof 10 unjustified"}},
		{name: "drat under assumptions", log: drat + core + `proof = ""`},
		{name: "drat of the second solve", log: drat + false2 + `solve = 20; proof = "words"`},
		{name: "drat after another clause", log: drat + false2 + `add 7 0; proof = "words"`},
		{name: "drat of a solution", log: drat + `add 1 0; solve = 10; proof = "words"`},
		{name: "drat of nothing", log: drat + `proof = "words"`},
		{name: "lrat", log: lrat + false2 + lines("5 1 0 1 3 0", "6 0 5 2 4 0")},
		{name: "lrat with a wrong hint", log: lrat + false2 + lines("5 1 0 1 2 0", "6 0 5 2 4 0"),
			want: []string{"6.4 proof 6 unjustified"}},
		{name: "lrat under assumptions", log: lrat + core + `proof = "words"`},
		{name: "frat", log: frat + false2 +
			lines("o 1 1 2 0", "o 2 -1 2 0", "o 3 1 -2 0", "o 4 -1 -2 0", "a 5 1 0", "a 6 0",
				"f 1 1 2 0", "f 2 -1 2 0", "f 3 1 -2 0", "f 4 -1 -2 0", "f 5 1 0", "f 6 0")},
		{name: "frat of another formula", log: frat + false2 +
			lines("o 1 1 0", "o 2 -1 0", "a 6 0", "f 1 1 0", "f 2 -1 0", "f 6 0"),
			want: []string{"6.5 proof 6 different"}},
	})
}

// TestProofsOfCosts: a proof for VeriPB is about the last solve and the cost that the client was told.
func TestProofsOfCosts(t *testing.T) {
	const begin = "option proof veripb = 0; hard 1 2 0; soft 1 3; soft 2 2; "
	proof := func(steps ...string) string {
		steps = append(append([]string{"pseudo-Boolean proof version 3.0"}, steps...), "end pseudo-Boolean proof ;")
		return strings.ReplaceAll(lines(steps...), ";", `\x3b`) // semicolons separate calls
	}
	refuted := func(solution, bounds string) string {
		return proof("soli "+solution+" ;", "rup >= 1 ;", "output NONE ;", "conclusion BOUNDS "+bounds+" ;")
	}
	none := proof("rup >= 1 ;", "output NONE ;", "conclusion BOUNDS INF INF ;")
	const optimal = begin + "solve = 30; model = -1 2; obj = 2; "
	runTable(t, "ipamir", []judged{
		{name: "right", log: optimal + refuted("~x1 x2", "2 2")},
		{name: "of the assumptions", log: begin + "assume -2; solve = 30; obj = 3; " + refuted("x1 ~x2", "3 3")},
		{name: "of an earlier solve", log: begin + "assume -2; solve = 30; solve = 30; " + refuted("x1 ~x2", "3 3"),
			want: []string{"6.4 proof 7 unjustified"}},
		{name: "with new costs", log: optimal + "soft 2 9; solve = 30; obj = 3; " + refuted("x1 ~x2", "3 3")},
		{name: "with old costs", log: optimal + "soft 2 9; solve = 30; obj = 3; " + refuted("~x1 x2", "2 2"),
			want: []string{"6.4 proof 10 unjustified"}},
		{name: "both literals", log: begin + "soft -1 5; soft 2 0; solve = 30; model = 1 2; obj = 3; " +
			refuted("x1 x2", "3 3")},
		{name: "declared twice", log: begin + "soft 1 4; soft 2 4; solve = 30; model = 1 -2; obj = 7; " +
			refuted("x1 ~x2", "6 6"), config: Config{Policies: map[string]string{"redeclare": "any"}}},
		{name: "great", log: begin + "soft 1 18446744073709551615; soft 2 18446744073709551615; solve = 30; " +
			refuted("x1 ~x2", "18446744073709551615 18446744073709551615")},
		{name: "no optimum", log: optimal + refuted("~x1 x2", "1 2"), want: []string{"6.5 proof 7 contradicting"}},
		{name: "one too low", log: optimal + proof("soli x1 ~x2 ;", "output NONE ;", "conclusion BOUNDS 2 2 ;"),
			want: []string{"6.4 proof 7 unjustified"}},
		{name: "no conclusion", log: optimal + proof("output NONE ;", "conclusion NONE ;"),
			want: []string{"6.5 proof 7 contradicting"}},
		{name: "no solution", log: begin + "assume -1; assume -2; solve = 20; " + none},
		{name: "a solution instead", log: begin + "solve = 30; " + none, want: []string{"6.4 proof 5 unjustified"}},
		{name: "SAT instead of no solution", log: begin + "assume -1; assume -2; solve = 20; " +
			proof("output NONE ;", "conclusion NONE ;"), want: []string{"6.5 proof 7 contradicting"}},
		{name: "empty", log: optimal + `proof = ""`, want: []string{"6.3 proof 7 truncated"}},
		{name: "words", log: optimal + `proof = "words"`, want: []string{"6.3 proof 7 malformed"}},
		{name: "steps that only VeriPB checks", log: optimal + proof("pol 1 2 + ;")},
		{name: "after another clause", log: optimal + `hard 7 0; proof = "words"`},
		{name: "after a soft literal", log: optimal + `soft 7 1; proof = "words"`},
		{name: "of nothing", log: begin + `proof = "words"`},
		{name: "an interrupted solve", log: begin + `terminate 1; solve = 0; proof = "words"`},
		{name: "of a life", log: optimal + "release; init; " + optimal + refuted("~x1 x2", "2 2")},
		{name: "none was asked for", log: "option proof none = 0; hard 1 0; solve = 30; " + `proof = "words"`},
	})
}

// TestProofsOfPrograms: a proof for VeriPB must agree with the lines o and v of its program.
func TestProofsOfPrograms(t *testing.T) {
	const (
		begin = "hard 1 2 0; soft 1 3; soft 2 2; "
		wcnf  = "h 1 2 0\n3 -1 0\n2 -2 0\n"
		opb   = "min: -3 x1 +2 x2 ;\n+1 x1 +1 x2 >= 1 ;\n" // the soft literals are -1 and 2, so the cost is 3 higher
		head  = "pseudo-Boolean proof version 3.0\nf 1 ;\n"
		tail  = " ;\nend pseudo-Boolean proof ;\n"
		right = head + "soli ~x1 x2 ;\nrup >= 1 ;\noutput NONE ;\nconclusion BOUNDS "
	)
	written := func(extension, formula, text string, offset uint64, stated ...trace.StatedCost) func(*trace.Run) {
		return func(run *trace.Run) {
			run.Proofs = []trace.Proof{{Call: 3, Format: trace.VeriPB, Text: []byte(text), Formula: []byte(formula),
				Extension: extension, Offset: offset, Stated: stated}}
		}
	}
	o := func(cost uint64) trace.StatedCost { return trace.StatedCost{Line: "o", Cost: cost} }
	v := func(cost uint64) trace.StatedCost { return trace.StatedCost{Line: "v", Cost: cost} }
	inOPB := head + "soli x1 ~x2 ;\nrup >= 1 ;\noutput NONE ;\nconclusion BOUNDS -3 -3" + tail
	runTable(t, "ipamir", []judged{
		{name: "right", log: begin + "solve = 30", edit: written(".wcnf", wcnf, right+"2 2"+tail, 0, o(2), v(2))},
		{name: "another line o", log: begin + "solve = 30", edit: written(".wcnf", wcnf, right+"2 2"+tail, 0, o(3), v(2)),
			want: []string{"6.5 proof 3 contradicting"}},
		{name: "another line v", log: begin + "solve = 30", edit: written(".wcnf", wcnf, right+"2 2"+tail, 0, o(2), v(5)),
			want: []string{"6.5 proof 3 contradicting"}},
		{name: "no optimum", log: begin + "solve = 30", edit: written(".wcnf", wcnf, right+"0 2"+tail, 0, o(2)),
			want: []string{"6.5 proof 3 contradicting"}},
		{name: "a solution proved to be none", log: begin + "solve = 30",
			edit: written(".wcnf", wcnf, head+"output NONE ;\nconclusion NONE"+tail, 0),
			want: []string{"6.5 proof 3 contradicting"}},
		{name: "not justified", log: begin + "solve = 30",
			edit: written(".wcnf", wcnf, head+"rup >= 1 ;\noutput NONE ;\nconclusion BOUNDS INF INF"+tail, 0),
			want: []string{"6.4 proof 3 unjustified"}},
		{name: "an answer that is wrong", log: begin + "solve = 30; obj = 3",
			edit: written(".wcnf", wcnf, right+"2 2"+tail, 0, o(3)),
			want: []string{"2.3 objective 4 objective is not the optimum"}},
		{name: "of a file with another cost", log: "hard 1 2 0; soft -1 3; soft 2 2; solve = 30",
			edit: written(".opb", opb, inOPB, 3, o(0), v(0))},
		{name: "without the constant", log: "hard 1 2 0; soft -1 3; soft 2 2; solve = 30",
			edit: written(".opb", opb, inOPB, 2, o(0)), want: []string{"6.5 proof 3 contradicting"}},
	})
}

// TestProofsOfImportedClauses: a program has imported clauses in its file. When a library asks for them is
// unknown.
func TestProofsOfImportedClauses(t *testing.T) {
	const asked = "add 1 0; import -1 0; solve = 20"
	runTable(t, "ipasir2", []judged{
		{name: "of a program", log: asked, edit: func(run *trace.Run) {
			run.Proofs = []trace.Proof{{Call: 2, Format: "drat", Text: []byte("0\n")}}
		}},
		{name: "of a library", log: "option proof idrup = 0; " + asked + "; " +
			lines("i 1 0", "i -1 0", "q 0", "l 0", "s UNSATISFIABLE", "u 0")},
	})
}
