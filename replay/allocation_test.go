package replay_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestFailedAllocations: every function that allocates can fail, once, in a library, in its
// C++ and in the built-in one; a process that cannot do it says so.
func TestFailedAllocations(t *testing.T) {
	t.Parallel()
	path := library(t, "allocates")
	const option = "option ipafuzz.fail-allocation "
	for _, way := range isolated {
		runner := openRunner(t, resolve(t, path, "ipasir"), way, tight)
		for lit := 1; lit <= 7; lit++ {
			at := 1
			if lit == 3 {
				at = 2 // its realloc
			}
			got := run(t, runner, parse(t, fmt.Sprintf("ipafuzz 1 ipasir\ninit\n%s%d\nadd %d 0\nsolve\nadd %d 0\nsolve\n",
				option, at, lit, lit)))
			if got.End != trace.Finished || got.Answers.At(3).Int() != 0 || got.Answers.At(5).Int() != 10 ||
				got.FailedAllocation != 3 || got.Answers.At(1).Kind != trace.Answered || got.Answers.At(1).Num != 0 {
				t.Errorf("%s: function %d: %+v, answers %v", way, lit, got, got.Answers.Of)
			}
		}
		// Nothing fails in the next trace, nor if there are fewer allocations.
		for _, text := range []string{"add 1 0\nsolve\n", option + "9\nadd 1 0\nsolve\n", option + "0\nadd 1 0\nsolve\n"} {
			tr := parse(t, "ipafuzz 1 ipasir\n"+text)
			if got := run(t, runner, tr); got.FailedAllocation != 0 || got.Answers.At(len(tr.Calls)-1).Int() != 10 ||
				got.FailedEarlier != (way == replay.Persistent) {
				t.Errorf("%s: %s: %+v", way, text, got)
			}
		}
		// With threads it may have failed in any of their calls, here in the last one.
		if got := run(t, runner, parse(t, "ipafuzz 2 ipasir\ninit\n@1 init\n"+option+"1\noption ipafuzz.threads 1\n"+
			"add 8 0\nsolve\n@1 add 8 0\n@1 solve\n@1 add 1 0\n@1 solve\n")); got.FailedAllocation != 5 ||
			got.Answers.At(9).Int() != 0 {
			t.Errorf("%s: threads: %+v", way, got)
		}
		// Without a solver no call is made, until there is one.
		got := run(t, runner, parse(t, "ipafuzz 1 ipasir\n"+option+"1\nadd 1 0\nsolve\nrelease\ninit\nadd 1 0\nsolve\n"))
		if got.End != trace.Finished || got.FailedAllocation != 2 || got.Answers.At(2).Kind != trace.Withheld ||
			got.Answers.At(6).Int() != 10 {
			t.Errorf("%s: init returns NULL: %+v, answers %v", way, got, got.Answers.Of)
		}
		got = run(t, runner, parse(t, "ipafuzz 1 ipasir\ninit\n"+option+"1\nadd 9 0\nsolve\n"))
		if got.End != trace.Killed || got.Death.Signal != 11 || got.Call != 2 || got.FailedAllocation != 3 {
			t.Errorf("%s: unchecked: %+v", way, got)
		}
		got = run(t, openRunner(t, resolve(t, "ref", "ipasir"), way, tight),
			parse(t, "ipafuzz 1 ipasir\n"+option+"1\nadd 1 0\nsolve\n"))
		if got.End != trace.Finished || got.FailedAllocation != 2 || got.Answers.At(2).Int() != 10 {
			t.Errorf("%s: built in: %+v", way, got)
		}
	}
	// A library with an allocator of its own keeps it.
	got := run(t, openRunner(t, resolve(t, library(t, "allocator"), "ipamir"), replay.Persistent, tight),
		parse(t, "ipafuzz 1 ipamir\n"+option+"1\nhard 1 0\nsolve\nval 1\n"))
	if got.End != trace.Finished || got.FailedAllocation != 0 {
		t.Errorf("an allocator of its own: %+v", got)
	}
	got = run(t, openRunner(t, resolve(t, path, "ipasir"), replay.InProcess, tight),
		parse(t, "ipafuzz 1 ipasir\n"+option+"1\nadd 1 0\nsolve\n"))
	if got.FailedAllocation != 0 || got.Answers.At(0).Num != 1 || got.Answers.At(2).Int() != 10 {
		t.Errorf("in this process: %+v, answers %v", got, got.Answers.Of)
	}
}

// TestFailedNew: operator new throws, and what leaves the library ends the process.
func TestFailedNew(t *testing.T) {
	t.Parallel()
	needTool(t, "c++")
	path := filepath.Join(t.TempDir(), "libthrows.so")
	if said, err := exec.Command("c++", "-shared", "-fPIC", "-O1", "-o", path, "testdata/throws.cc").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, way := range isolated {
		runner := openRunner(t, resolve(t, path, "ipasir"), way, tight)
		got := run(t, runner, parse(t, "ipafuzz 1 ipasir\ninit\noption ipafuzz.fail-allocation 1\nadd 1 0\nsolve\n"))
		if got.End != trace.Finished || got.Answers.At(3).Int() != 0 || got.FailedAllocation != 3 {
			t.Errorf("%s: caught: %+v", way, got)
		}
		got = run(t, runner, parse(t, "ipafuzz 1 ipasir\ninit\noption ipafuzz.fail-allocation 1\nadd 2 0\nsolve\n"))
		if got.End != trace.Killed || got.Death.Signal != 6 || got.Call != 2 || got.FailedAllocation != 3 {
			t.Errorf("%s: not caught: %+v", way, got)
		}
	}
}
