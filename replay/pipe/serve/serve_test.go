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
type turn struct{ line, answer string }

func TestServe(t *testing.T) {
	converse(t, apimodel.IPASIR, []turn{
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
	})
}

func TestServeQBF(t *testing.T) {
	converse(t, apimodel.QBF, []turn{
		{"ipafuzz 1 qbf", "="},
		{"exists 1 0", "= ?"}, // before init
		{"init", "="},
		{"exists 1 0", "="},
		{"forall 2 0", "="},
		{"exists 0", "="},
		{"extend 3 3 0", "="},
		{"clause 1 2", "="},
		{"clause 3 0", "="},
		{"clause 1 -3 0", "="},
		{"push", "="},
		{"clause -1 0", "="},
		{"solve", "= 20"},
		{"pop", "="},
		{"solve", "= 10"},
		{"model", "= 1"},
		{"assume -1", "="},
		{"solve", "= 20"},
		{"core", "= -1"},
		{"add 1 0", "= ?"},
		{"extend 1", "= ?"},
		{"open", "= ?"},
		{"@1 init", "="},
		{"@1 open 4", "="},
		{"@1 clause 0", "="},
		{"@1 close 4", "="},
		{"@1 solve", "= 20"},
		{"@1 deactivate 4", "="},
		{"@1 solve", "= 10"},
		{"@1 activate 4", "="},
		{"@1 delete 4", "="},
		{"@1 solve", "= 10"},
		{"learn 3", "= ?"},
		{"release", "="},
		{"@1 release", "="},
		{"end", "end"},
	})
}

// converse sends lines to a runner of the built-in library and compares its answers.
func converse(t *testing.T, m *apimodel.Model, talk []turn) {
	t.Helper()
	var in strings.Builder
	for _, turn := range talk {
		in.WriteString(turn.line + "\n")
	}
	var out strings.Builder
	r := serve.Runner{Library: direct.New(exec.Target(ref.Target(m.ID))), Model: m.Name}
	if err := r.Serve(strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	// The runner need not flush its last answers, because nobody waits for them when the input ends.
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
