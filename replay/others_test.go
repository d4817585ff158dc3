package replay_test

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestCallbackOfAnother: a run tells which solves called a callback of another instance in the client's thread.
// A solve that calls its own callbacks, or works in a thread of the library or of the trace, does not count.
func TestCallbackOfAnother(t *testing.T) {
	t.Parallel()
	const head, second = "ipafuzz 2 ipasir\n", "@2 init\n@2 terminate 0\n@2 learn 3\n"
	path := library(t, "crosses", "-pthread")
	var runners []replay.Runner
	for _, way := range ways {
		runners = append(runners, openRunner(t, resolve(t, path, "ipasir"), way, replay.DefaultLimits))
	}
	runners = append(runners, openRunner(t, resolve(t, runnerSpec(servesPrefix+path), ""), replay.Persistent,
		replay.DefaultLimits))
	for k, runner := range runners {
		for _, c := range []struct {
			name, text      string
			polled, learned bool
		}{
			{"none given", "@1 init\n@2 init\n@1 solve\n@2 solve\n", false, false},
			{"given to another", "@1 init\n" + second + "@1 solve\n@2 solve\n@1 add 666 0\n@1 solve\n", true, true},
			{"terminate of another", "@1 init\n@2 init\n@2 terminate 1\n@1 solve\n", true, false},
			{"learn of another", "@1 init\n@2 init\n@1 terminate 0\n@1 learn 3\n@2 learn 3\n@1 solve\n", false, true},
			{"own", "@1 init\n@1 add 666 0\n@1 terminate 0\n@1 learn 3\n" + second + "@1 solve\n", false, false},
			{"one instance", "terminate 0\nlearn 3\nsolve\n", false, false},
			{"in a thread of the library", "@1 init\n@1 add 667 0\n" + second + "@1 solve\n", false, false},
			{"threads of the trace", "@1 init\n" + second + "option ipafuzz.threads 1\n@1 solve\n@2 solve\n", false, false},
		} {
			tr := parse(t, head+c.text)
			got := run(t, runner, tr)
			if got.End != trace.Finished {
				t.Fatalf("runner %d, %s: %+v", k, c.name, got)
			}
			first := true // later solves are right
			for i := range tr.Calls {
				if tr.Calls[i].Op != apimodel.OpSolve {
					continue
				}
				e := got.Answers.EffortOf(got.Answers.At(i))
				if e.OthersPolled != (first && c.polled) || e.OthersLearned != (first && c.learned) {
					t.Errorf("runner %d, %s, call %d: effort %+v", k, c.name, i, e)
				}
				first = false
			}
		}
	}
}
