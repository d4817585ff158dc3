package store

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHandedOverProofFiles checks that a finding about a proof of several solves stores the proof, and the
// life of its solver alone.
func TestHandedOverProofFiles(t *testing.T) {
	minimal := testtrace.Parse(t, strings.Join([]string{"ipafuzz 2 ipasir", "add 5 0", "@1 option proof idrup = 0",
		"@1 add 1 -12 0", "@1 assume -1", "@1 solve = 10", "@1 model = -1 -12", `@1 proof = "q -1 0\x0a"`, ""}, "\n"))
	f := &Finding{Finding: oracle.Finding{Class: oracle.ProofWrong, Call: 6}, Minimal: minimal,
		Run: trace.Run{Answers: minimal.Got}}
	want := map[string]string{
		"proof.idrup": "q -1 0\n",
		"proof.icnf":  "p icnf\ni 1 -12 0\nq -1 0\ns SATISFIABLE\nv 0\n",
		"proof.trace": "ipafuzz 2 ipasir\noption proof idrup = 0\nadd 1 -12 0\nassume -1\nsolve = 10\nmodel = -1 -12\n",
	}
	got := map[string]string{}
	for name, text := range proofFiles(f) {
		got[name] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	f.Minimal = testtrace.Parse(t, "ipafuzz 2 ipasir\noption proof lrat = 0\nadd 0\nsolve = 20\nproof = \"2 0 1 0\"\n")
	f.Run.Answers, f.Call = f.Minimal.Got, 3
	if names := slices.Sorted(maps.Keys(proofFiles(f))); !slices.Equal(names, []string{"proof.cnf", "proof.lrat"}) {
		t.Errorf("of one formula: %q", names)
	}
}
