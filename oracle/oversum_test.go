package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestSumsBeyondTheWeights: if the weights add up to 2^64 or more, the policies leave open what they are
// worth. A refusal, or two different objectives, proves nothing then.
func TestSumsBeyondTheWeights(t *testing.T) {
	const heavy = "hard 1 0; hard 2 0; soft 1 18446744073709551615; soft 2 18446744073709551615; "
	for name, log := range map[string]string{
		"refused":        heavy + "solve = 40",
		"two objectives": heavy + "solve = 30; obj = 3; solve = 30; obj = 5",
	} {
		t.Run(name, func(t *testing.T) {
			tr := parseLog(t, "ipamir", log)
			for _, f := range New(Config{}).Judge(tr, &trace.Run{Answers: tr.Want}) {
				t.Errorf("false alarm: %s %s, observed %s", f.Class, f.Detail, f.Observed)
			}
		})
	}
}
