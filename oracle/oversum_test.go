package oracle

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// The policies leave open what weights are worth whose sum is 2^64 or more, so
// neither a refusal nor two different objectives prove anything.
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
