package store

import (
	"maps"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestProofFiles checks that a finding about a proof stores the proof, and the formula with its
// assumptions.
func TestProofFiles(t *testing.T) {
	f := &Finding{Finding: oracle.Finding{Class: oracle.ProofWrong, Call: 3},
		Minimal: testtrace.Parse(t, "ipafuzz 2 ipasir\ninit\nadd 1 -12 0\nassume -1\nsolve\n"),
		Run:     trace.Run{Proofs: []trace.Proof{{Call: 1, Format: "lrat"}, {Call: 3, Format: "drat", Text: []byte("0\n")}}}}
	want := map[string]string{"proof.cnf": "p cnf 12 2\n1 -12 0\n-1 0\n", "proof.drat": "0\n"}
	got := map[string]string{}
	for name, text := range proofFiles(f) {
		got[name] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	f.Run.Proofs[1].IsMissing = true
	if names := slices.Collect(maps.Keys(proofFiles(f))); !slices.Equal(names, []string{"proof.cnf"}) {
		t.Errorf("without a proof: %q", names)
	}
	f.Run.Proofs[1] = trace.Proof{Call: 3, Format: trace.VeriPB, Text: []byte("p"), Formula: []byte("f"),
		Extension: ".opb"}
	files := proofFiles(f)
	if string(files["proof.opb"]) != "f" || string(files["proof.veripb"]) != "p" || len(files) != 2 {
		t.Errorf("for VeriPB: %q", files)
	}
	f.Class = oracle.WrongCore
	if files := proofFiles(f); len(files) > 0 {
		t.Errorf("of another class: %v", files)
	}
}
