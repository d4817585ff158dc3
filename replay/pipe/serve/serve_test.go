package serve_test

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/direct"
	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay/pipe/serve"
)

// TestServe: every line is answered by one line, also what nobody should send.
func TestServe(t *testing.T) {
	talk := []struct{ line, answer string }{
		{"ipafuzz 1 ipasir", "="},
		{"", "= ?"},
		{"solve", "= ?"}, // before init
		{"init", "="},
		{"@3 init", "="},
		{"add 1 2", "="},
		{"add -3 0\r", "="},
		{"add -1 0", "="},
		{"add -2 0", "="},
		{"assume 3", "="},
		{"solve", "= 20"},
		{"core", "= 3"},
		{"failed 3", "= 1"},
		{"solve", "= 10"},
		{"model", "= -1 -2 -3"},
		{"val", "= ?"},
		{"@3", "= ?"},
		{"@3 add 0", "="},
		{"@3 solve", "= 20"},
		{"signature", `= "ipafuzz-reference"`},
		{"option no-such 1", "= 1"},
		{"havoc 3", "= ?"},
		{"soft 1 2", "= ?"},
		{"obj", "= ?"},
		{"no-such-call", "= ?"},
		{"release", "="},
		{"release", "= ?"},
		{"@3 release", "="},
		{"end", "end"},
		{"ipafuzz 1 ipasir", "="},
		{"init", "="},
		{"add 1 2", "="}, // and the input ends
	}
	var in strings.Builder
	for _, turn := range talk {
		in.WriteString(turn.line + "\n")
	}
	var out strings.Builder
	r := serve.Runner{Library: direct.New(exec.Target(ref.Target(apimodel.IPASIR.ID))), Model: "ipasir"}
	if err := r.Serve(strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	// At the end of the input nobody waits for the answers that are not flushed.
	_, text, found := strings.Cut(out.String(), "ready\n")
	if !found {
		t.Fatalf("no ready:\n%s", out.String())
	}
	answers := strings.Split(text, "\n")
	for i, turn := range talk {
		if i >= len(answers) {
			t.Fatalf("%d answers to %d lines:\n%s", len(answers), len(talk), text)
		}
		if got, _, _ := strings.Cut(answers[i], " nanos="); got != turn.answer {
			t.Errorf("%q is answered %q, want %q", turn.line, got, turn.answer)
		}
	}
}
