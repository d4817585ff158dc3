package shrink

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestFix checks that a failure that depends on chance is reduced in surroundings in which it always shows,
// if there are any, and that the result names them.
func TestFix(t *testing.T) {
	for i, want := range []replay.Fixed{
		0,
		replay.FixedAddresses,
		replay.FixedAddresses | replay.FixedMemory,
		replay.FixedAddresses | replay.FixedMemory | replay.FixedProcessor,
	} {
		t.Run(fmt.Sprintf("needs %q", want), func(t *testing.T) {
			t.Parallel()
			flags := []string{"-DODDS=3"}
			if i > 0 {
				flags = append(flags, fmt.Sprintf("-DFIXED=%d", i))
			}
			if i == 3 && runtime.NumCPU() == 1 {
				t.Skip("there is only one processor")
			}
			m := reducerFor(t, buildAwkward(t, "CHANCE", flags...), "ipamir")
			m.Workers = 1
			given := testtrace.Parse(t, manyCalls)
			m.Key = keyOfAbort(t, m, given)
			result, err := m.Reduce(t.Context(), given)
			if err != nil {
				t.Fatal(err)
			}
			if result.Fixed != want {
				t.Errorf("fixed %q", result.Fixed)
			}
			if want == 0 {
				if result.Before.Always() {
					t.Errorf("failed in %s runs", result.Before)
				}
				return
			}
			if result.Before != (trial.Rate{Failed: fixedRuns, Runs: fixedRuns}) || !result.After.Always() {
				t.Errorf("failed in %s runs before and in %s after", result.Before, result.After)
			}
			result.NoteIn(result.Trace, "x.trace", "T", m.Limits, 9, 1)
			limits := notes.ResultOf(result.Trace.Notes).Limits
			if flag := "--fixed " + want.String(); !strings.HasSuffix(limits, flag) {
				t.Errorf("the notes say %q, want %q at the end", limits, flag)
			}
		})
	}
}

// TestFixLate checks that a failure that turns out to depend on chance only when its minimal trace is confirmed is
// reduced once more in surroundings in which it always shows.
func TestFixLate(t *testing.T) {
	library := buildAwkward(t, "CHANCE", "-DODDS=2", "-DFIXED=1")
	m := reducerFor(t, library, "ipamir")
	given := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nhard 3 4 0\nsoft 2 9\nsolve\n")
	m.Key, m.Workers = keyOfAbort(t, m, given), 1
	setChance(t, library, true, true, true)
	result, err := m.Reduce(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	if result.Before != (trial.Rate{Failed: firstRuns, Runs: firstRuns}) {
		t.Errorf("failed in %s runs before", result.Before)
	}
	if result.Fixed != replay.FixedAddresses || !result.After.Always() || !result.Minimal || len(result.Trace.Calls) != 2 {
		t.Errorf("fixed %q, failed in %s runs after, minimal %v:\n%s",
			result.Fixed, result.After, result.Minimal, result.Trace)
	}
}
