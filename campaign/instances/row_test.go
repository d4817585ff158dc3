package instances

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestVerdictOfSolutions checks that a solution without a proof that it is optimal is not ok where an optimum is asked
// for.
func TestVerdictOfSolutions(t *testing.T) {
	for _, m := range apimodel.AllModels() {
		file := &trace.Trace{Model: m}
		file.Plain(0, apimodel.OpSolve)
		for status, want := range map[uint64]Verdict{0: GaveUp, 10: OK, 20: OK, 30: OK} {
			if status == 10 && (m == apimodel.IPAMIR || m == apimodel.WCNF) {
				want = Unproven
			}
			result := &trial.Replayed{Trace: file}
			result.Run.End = trace.Finished
			result.Run.Answers.Of = []trace.Answer{{Kind: trace.Answered, Num: status}}
			if got := new(Row).judge(result, new(replay.Target)); got != want {
				t.Errorf("%s, answer %d: %s, want %s", m.Name, status, got, want)
			}
		}
	}
}
