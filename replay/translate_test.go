package replay_test

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// TestFilesOnLibraries: a library gets the calls that ask the same as a formula file, and its answers are those of
// the file.
func TestFilesOnLibraries(t *testing.T) {
	t.Parallel()
	target, err := targets.Resolve("ref", apimodel.WCNF.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	runner := openRunner(t, target, replay.Fork, replay.DefaultLimits)
	for _, c := range []struct{ file, want string }{
		{"h 1 2 0\n3 1 -2 0\nh -1 0\n5 0\n2 3 -3 0\n3 1 -2 0\n", "30 11"},
		{"h 1 0\nh -1 0\n3 1 2 0\n", "20"},
		{"4 0\n", "30 4"},
		{"c nothing\n", "30 0"},
		{"9223372036854775807 1 2 0\n1 -1 -2 0\nh -1 0\nh -2 0\n", "30 9223372036854775807"},
	} {
		tr, err := format.ReadFile(strings.NewReader(c.file), "x.wcnf", format.WCNF, trace.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		run := run(t, runner, tr)
		got := outcome(tr, run)
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %s, want %s", c.file, got, c.want)
		}
		model := run.Answers.At(len(tr.Calls) - 1)
		for _, lit := range run.Answers.ListOf(model) {
			if trace.Var(lit) > 3 {
				t.Errorf("%q: the model has variable %d, which the file has not", c.file, trace.Var(lit))
			}
		}
	}
}
