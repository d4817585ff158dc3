package replay_test

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestContainedPrograms checks that contained programs can start others, whatever signals
// come meanwhile, but not without end.
func TestContainedPrograms(t *testing.T) {
	contain(t)
	one := parse(t, oneSolve)
	const pipes = "for i in 1 2 3 4 5 6 7 8 9 10; do cat \"$1\" | grep -v x | cat > /dev/null; done; "
	for range 10 { // a fork that a signal interrupts does not fail every time
		got := run(t, openRunner(t, shell(t, pipes+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
		if got.End != trace.Finished {
			t.Fatalf("a program of pipes: %v in call %d: %q", got.End, got.Call, got.Death.Output)
		}
	}
	const bomb = "f() { f & f & wait; }; f; "
	got := run(t, openRunner(t, shell(t, bomb+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
	if got.End != trace.Trespassed || !strings.HasPrefix(got.Death.Output, "fork of more than ") {
		t.Errorf("a program that forks without end: %v in call %d: %q", got.End, got.Call, got.Death.Output)
	}
}
