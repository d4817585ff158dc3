package conversation

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestCommands: a finding about a proof names a public checker and its files, for every format. With -v,
// frat-rs checks the proof and prints VERIFIED.
func TestCommands(t *testing.T) {
	for _, row := range []struct {
		proof Proof
		want  string
	}{
		{Proof{Format: "drat", Formula: []int32{}}, "drat-trim proof.cnf proof.drat"},
		{Proof{Format: "lrat", Formula: []int32{}}, "lrat-check proof.cnf proof.lrat"},
		{Proof{Format: "frat", Formula: []int32{}}, "frat-rs elab proof.frat proof.cnf -v"},
		{Proof{Format: "idrup"}, "idrup-check proof.icnf proof.idrup"},
		{Proof{Format: "lidrup"}, "lidrup-check proof.icnf proof.lidrup"},
		{Proof{Format: "veripb", Problem: &proof.Problem{}}, "veripb proof.opb proof.veripb"},
	} {
		ours, public, _ := strings.Cut(row.proof.Commands(), ", or ")
		if public != row.want || !strings.HasPrefix(ours, "ipafuzz check-proof ") {
			t.Errorf("%s: %q", row.proof.Format, row.proof.Commands())
		}
	}
	got := CommandsOf(&trace.Proof{Format: "veripb", Extension: ".wcnf"})
	if !strings.HasSuffix(got, ", or veripb proof.wcnf proof.veripb") {
		t.Errorf("of a program: %q", got)
	}
}
