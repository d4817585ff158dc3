package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestProofs: the checkers accept the proofs that CaDiCaL hands over between solves, in six formats.
func TestProofs(t *testing.T) {
	for _, name := range []string{"cadical-2.2.1", "cadical-3.0.1"} {
		t.Run(name, func(t *testing.T) {
			target := open(t, name)
			target.Model = apimodel.IPASIR
			config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 1000, Out: filepath.Join(t.TempDir(), "out")}
			summary := suite.Fuzz(t, target, gen.Config{Profile: "proofs"}, config, func(f *store.Finding, _ func()) {
				if strings.Contains(f.Detail, "External::check_failing") {
					return // a fault of CaDiCaL 3.0.1 without a proof: docs/bugs-found.md, check with a terminator
				}
				t.Errorf("%s: %s\n%s", f.Key, f.Observed, f.Minimal)
			})
			if checked := summary.Tally.Of("proof"); checked < 100 {
				t.Errorf("%d proofs were checked in %d traces", checked, summary.Traces)
			}
		})
	}
}

// TestProofsOfSearches: a search that is not a solve leaves nothing in the proof of the next solve.
func TestProofsOfSearches(t *testing.T) {
	for _, name := range []string{"cadical-2.2.1", "cadical-3.0.1"} {
		target := open(t, name)
		target.Model = apimodel.IPASIR
		description, err := trial.Describe(target, suite.Limits)
		if err != nil {
			t.Fatal(err)
		}
		session := trial.NewExamination(target, description, suite.Limits, true)
		defer session.Close()
		for format := range strings.FieldsSeq("drat lrat frat idrup lidrup veripb") {
			for _, option := range []string{"propagate true", "slice 2"} {
				var run trace.Run
				findings, err := session.Run(t.Context(), testtrace.Parse(t, "ipafuzz 1 ipasir\noption proof "+format+
					"\noption "+option+"\nadd 1 2 3 0\nadd 1 -3 4 0\nadd -1 2 4 0\nadd 2 3 0\nadd 2 -3 -4 0\n"+
					"add -2 3 4 0\nadd -2 3 -4 0\nadd -2 -3 0\nsolve\nproof\n"), &run)
				if err != nil || len(findings) > 0 || run.Answers.TextOf(run.Answers.At(11)) == "" {
					t.Errorf("%s, %s, %s: %v, %v", name, format, option, findings, err)
				}
			}
		}
	}
}
