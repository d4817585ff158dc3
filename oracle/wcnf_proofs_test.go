package oracle

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestProofsOfFormulaFiles: a proof about a file with soft clauses of one literal is checked here. VeriPB checks the
// others, because it gives their clauses variables of its own. A proof about clauses alone that may be about the soft
// ones, too, is unchecked unless it is right.
func TestProofsOfFormulaFiles(t *testing.T) {
	const (
		head    = "pseudo-Boolean proof version 3.0\n"
		tail    = " ;\nend pseudo-Boolean proof ;\n"
		refuted = head + "soli ~x1 x2 ;\nrup >= 1 ;\noutput NONE ;\nconclusion BOUNDS "
		units   = "soft 1 -2 0; soft 3 -1 0; hard 1 2 0; soft 1 -2 0; solve = 30; obj = 2; model = -1 2"
		pair    = "hard 1 2 0; soft 2 -1 -2 0; soft 1 0; solve = 30; obj = 1; model = -1 2"
		none    = "hard 1 2 0; hard -1 2 0; hard 1 -2 0; hard -1 -2 0; "
		lrat    = "5 1 0 1 3 0\n6 0 5 2 4 0\n"
	)
	fake := t.TempDir() // a program in place of VeriPB
	script := "#!/bin/sh\ngrep -q _b2 \"$2\" && echo 's VERIFIED BOUNDS 1 <= obj <= 1'\n"
	if err := os.WriteFile(filepath.Join(fake, "veripb"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	noUnchecked := unchecked.Reason(255)
	for _, row := range []struct {
		name, log, format, text string
		path                    string
		want                    []string
		unchecked               unchecked.Reason
	}{
		{name: "units", log: units, text: refuted + "2 2" + tail, unchecked: noUnchecked},
		{name: "units, one replaces the other", log: units, text: refuted + "1 1" + tail, unchecked: noUnchecked,
			want: []string{"6.4 proof 4 unjustified"}},
		{name: "units, another cost", log: units, text: refuted + "0 2" + tail, unchecked: noUnchecked,
			want: []string{"6.5 proof 4 contradicting"}},
		{name: "a pair", log: pair, text: refuted + "1 1" + tail, unchecked: unchecked.NoChecker},
		{name: "a pair, for VeriPB", log: pair, text: head + "soli ~x1 x2 _b2 ;\n", path: fake, unchecked: noUnchecked},
		{name: "a pair, VeriPB fails", log: pair, text: head, path: fake, unchecked: unchecked.CheckerFails},

		{name: "lrat", log: none + "soft 1 1 0; solve = 20", format: "lrat", text: lrat, unchecked: noUnchecked},
		{name: "lrat, wrong", log: none + "soft 1 1 0; solve = 20", format: "lrat", text: "5 1 0 1 2 0\n6 0 5 2 4 0\n",
			want: []string{"6.4 proof 5 unjustified"}, unchecked: noUnchecked},
		{name: "lrat, a soft clause is first", log: "soft 1 1 0; " + none + "solve = 20", format: "lrat", text: lrat,
			unchecked: noUnchecked},
		{name: "lrat, a soft clause may be the first", log: "soft 1 1 0; " + none + "solve = 20", format: "lrat",
			text: "6 1 0 2 4 0\n7 0 6 3 5 0\n", unchecked: unchecked.ProofOutside},
		{name: "drat, a soft clause may be a clause", log: "hard 1 2 3 0; " + none + "soft 1 1 2 0; solve = 20",
			format: "drat", text: "1 0\n0\n", unchecked: noUnchecked},
		{name: "frat, with a soft clause", log: none + "soft 1 1 2 0; solve = 20", format: "frat",
			text: "o 1 1 2 3 0\n", unchecked: unchecked.ProofOutside},
		{name: "frat, no proof", log: none + "soft 1 1 2 0; solve = 20", format: "frat", text: "words\n",
			want: []string{"6.3 proof 5 malformed"}, unchecked: noUnchecked},
	} {
		t.Run(row.name, func(t *testing.T) {
			if t.Setenv("PATH", t.TempDir()); row.path != "" {
				t.Setenv("PATH", row.path+":/usr/bin:/bin")
			}
			tr := parseLog(t, apimodel.WCNF.Name, row.log)
			run := &trace.Run{Answers: tr.Want.Clone()}
			tr.Want.Reset()
			solve := slices.IndexFunc(tr.Calls, func(c trace.Call) bool { return c.Op == apimodel.OpSolve })
			run.Proofs = []trace.Proof{{Call: solve, Format: trace.VeriPB, Text: []byte(row.text), Extension: ".wcnf",
				Formula: []byte("h 1 2 0\n")}}
			if row.format != "" {
				run.Proofs[0].Format = row.format
			}
			j := New(Config{})
			var got []string
			for _, f := range j.Judge(tr, run) {
				got = append(got, line(f))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
			counts, want := j.Unchecked(), unchecked.Counts{}
			if row.unchecked != noUnchecked {
				want[row.unchecked] = 1
			}
			if counts != want {
				t.Errorf("unchecked %v, want %v; %v", counts, want, j.Notes())
			}
		})
	}
}
