package replay_test

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestForksOfWorkerFail: a worker whose forks fail for a while runs its traces all the same.
func TestForksOfWorkerFail(t *testing.T) {
	t.Setenv("LD_PRELOAD", library(t, "forkless"))
	runner := openRunner(t, resolve(t, "ref", "ipasir"), replay.Fork, tight)
	for range 3 {
		got := run(t, runner, parse(t, "ipafuzz 1 ipasir\nadd 1 0\nsolve\n"))
		if got.End != trace.Finished || got.Answers.At(1).Int() != 10 {
			t.Errorf("%+v, answers %v", got, got.Answers.Of)
		}
	}
}
