package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/caught"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A liar claims, with a false proof, that nothing has a solution.
type liar struct{}

func (liar) Solve([]int32, uint64) (reference.Result, error) {
	return reference.Result{Status: 20, Proof: []byte("3 0 1 2 0\n")}, nil
}

// TestDisagreementEndsTheRun checks that a contradiction between checks of ipafuzz ends the
// campaign with an error and without a finding, and that the files for a bug report are kept.
func TestDisagreementEndsTheRun(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Traces, config.Out = 5000, t.TempDir()
	c := newCampaign(t, config, unsearched, askedOf(liar{}))
	summary, err := c.Run(context.Background())
	var disagreement *trial.DisagreementError
	if !errors.As(err, &disagreement) {
		t.Fatalf("the run ended with %v", err)
	}
	dir := filepath.Join(config.Out, "internal-error")
	if !strings.Contains(err.Error(), dir) {
		t.Errorf("%q does not say where it is kept", err)
	}
	if len(summary.Found) != 0 {
		t.Errorf("a finding: %+v", summary.Found[0])
	}
	text, err := os.ReadFile(filepath.Join(dir, "disagreement.trace"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trace.ParseString(string(text)); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"disagreement.log", "error.txt"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(text) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
}

// A stumbler panics.
type stumbler struct{}

func (stumbler) Solve([]int32, uint64) (reference.Result, error) { panic("as the test asked") }

// TestPanicEndsTheRun checks that a panic in a worker ends the campaign in order, with an error.
func TestPanicEndsTheRun(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Traces, config.Out = 5000, t.TempDir()
	c := newCampaign(t, config, unsearched, askedOf(stumbler{}))
	_, err := c.Run(context.Background())
	var bug *caught.Panic
	if !errors.As(err, &bug) || !strings.Contains(string(bug.Stack), "stumbler") {
		t.Fatalf("the run ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(config.Out, "campaign.json")); err != nil {
		t.Error(err)
	}
}

// askedOf replaces the reference solver by another prover.
func askedOf(prover reference.Prover) tweak {
	return func(c *Campaign) { c.lineup.Judging.Reference = reference.New(prover, trial.InPassing) }
}
