package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// TestPythonExample checks that the runner that people copy follows the protocol, passes the suite, and has
// no finding in 500 traces.
func TestPythonExample(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fuzzes a runner in Python: many seconds")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal("python3 is not installed")
		}
		t.Skip("python3 is not installed")
	}
	path, err := filepath.Abs("../../examples/python/runner.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range apimodel.Models() {
		target, err := targets.Resolve("pipe:python3 "+path, m.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		checks, err := pipe.CheckRunner(target, replay.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range checks {
			if check.Wrong != "" {
				t.Errorf("%s: protocol: %s: %s", m.Name, check.Name, check.Wrong)
			}
		}
		runner, err := replay.Open(target, replay.Persistent, replay.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		suite := conform.Suite{Runner: runner}
		results, err := suite.Run(context.Background(), conform.Cases(m))
		runner.Close()
		if err != nil {
			t.Fatal(err)
		}
		passed := 0
		for _, result := range results {
			switch result.Outcome {
			case conform.Fail:
				t.Errorf("%s: %s", result.Case.Name, result.Reason)
			case conform.Pass:
				passed++
			}
		}
		if passed < len(results)/2 {
			t.Errorf("%s: %d of %d cases passed", m.Name, passed, len(results))
		}
		const traces = 500
		c, err := campaign.New(campaign.Config{Cells: source.Cells([]*replay.Target{target}), Seed: 1, Way: replay.Persistent,
			Limits: replay.DefaultLimits, Traces: traces, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		summary, err := c.Run(context.Background())
		if err != nil || summary.Stats.Traces != traces || len(summary.Found) > 0 || len(summary.Unconfirmed) > 0 {
			t.Errorf("%s: %v: %+v", m.Name, err, summary)
		}
	}
}
