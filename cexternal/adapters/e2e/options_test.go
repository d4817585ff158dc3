package e2e

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestOptionsOfOthers: with --against, a target also gets the options of its rivals. It refuses unknown
// options and values without a crash.
func TestOptionsOfOthers(t *testing.T) {
	foreign := []string{"flush 1", "no-such-option 1", "verbosity 5",
		"restart-int-base -7", "random-freq nonsense", "decision nonsense"}
	for _, k := range solvers {
		t.Run(k.target, func(t *testing.T) {
			target := suite.Open(t, k.target, k.pkg)
			for _, option := range foreign {
				if option == "flush 1" && strings.Contains(k.target, "cadical") {
					continue // the target has this option
				}
				tr, err := trace.ParseString("ipafuzz 1 " + target.Model.Name + "\noption " + option + "\nsolve\n")
				if err != nil {
					t.Fatal(err)
				}
				run, _ := suite.Run(t, target, tr)
				if log := string(tr.AppendLog(nil, run)); !strings.Contains(log, option+" = 1\n") {
					t.Errorf("not refused:\n%s", log)
				}
			}
		})
	}
}
