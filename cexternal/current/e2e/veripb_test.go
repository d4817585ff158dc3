package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestVeriPB: VeriPB itself says of proofs of optimality what our checker says, of a healthy library
// and of planted defects.
func TestVeriPB(t *testing.T) {
	checker := filepath.Join(built, "veripb", "bin", "veripb")
	if _, err := os.Stat(checker); err != nil {
		t.Skip("VeriPB is not in build/current ('make current' makes it)")
	}
	traces := 100
	if testing.Short() {
		traces = 20
	}
	for _, spec := range []string{"ref", "ref:defect=proof-stronger-step", "ref:defect=proof-old-solution",
		"ref:defect=proof-bound-too-high"} {
		t.Run(spec, func(t *testing.T) {
			target, err := targets.Resolve(spec, apimodel.IPAMIR.Name, nil)
			if err != nil {
				t.Fatal(err)
			}
			accepted, rejected := compareWithVeriPB(t, checker, target, "s VERIFIED BOUNDS", uint64(traces))
			t.Logf("VeriPB accepted %d proofs and rejected %d, as we did", accepted, rejected)
			if accepted+rejected < traces/2 || spec == "ref" && rejected > 0 || spec != "ref" && rejected == 0 {
				t.Error("that cannot be")
			}
		})
	}
}

// TestVeriPBOfCaDiCaL: VeriPB accepts what CaDiCaL's library hands over, with the numbers and the first
// lines that the adapter writes.
func TestVeriPBOfCaDiCaL(t *testing.T) {
	checker := filepath.Join(built, "veripb", "bin", "veripb")
	if _, err := os.Stat(checker); err != nil {
		t.Skip("VeriPB is not in build/current ('make current' makes it)")
	}
	for _, name := range []string{"cadical-2.2.1", "cadical-3.0.1"} {
		t.Run(name, func(t *testing.T) {
			target := open(t, name)
			target.Model = apimodel.IPASIR
			accepted, rejected := compareWithVeriPB(t, checker, target, "s VERIFIED UNSATISFIABLE", 2000)
			t.Logf("VeriPB accepted %d proofs and rejected %d, as we did", accepted, rejected)
			if accepted < 10 || rejected > 0 {
				t.Error("that cannot be")
			}
		})
	}
}

// compareWithVeriPB checks the proofs for VeriPB that a target hands over in that many traces.
func compareWithVeriPB(t *testing.T, checker string, target *replay.Target, verified string, traces uint64) (
	accepted, rejected int,
) {
	t.Helper()
	runner, err := replay.Open(target, replay.Fork, suite.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	description, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	generator, err := gen.New(gen.Config{Model: target.Model, Description: description, Profile: "proofs"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	judge, seed := oracle.New(oracle.Config{Policies: description.Policies}), testseed.Of(t, 1)
	for number := range traces {
		tr, run := new(trace.Trace), new(trace.Run)
		generator.Generate(gen.Seed(seed, 0, number), tr)
		if err := runner.Run(context.Background(), tr, run); err != nil {
			t.Fatal(err)
		}
		found := make(map[int]oracle.Finding)
		for _, f := range judge.Judge(tr, run) {
			found[f.Call] = f
		}
		for i := range run.Answers.Of {
			if tr.Calls[i].Op != apimodel.OpProof {
				continue
			}
			p, ok := conversation.ProofAt(tr, &run.Answers, i)
			if !ok || p.Format != trace.VeriPB {
				continue
			}
			formula, proof := filepath.Join(dir, "proof.opb"), filepath.Join(dir, "proof.veripb")
			write(t, formula, p.Problem.OPB())
			write(t, proof, p.Text)
			out, err := exec.Command(checker, formula, proof).CombinedOutput()
			f, isFound := found[i]
			if isFound && f.Detail == "contradicting" { // the proof is right, and proves something else
				isFound = false
			}
			if (err == nil) == isFound || err == nil != strings.Contains(string(out), verified) {
				t.Fatalf("we say %q, VeriPB %v: %s\n%s\n%s", f.Observed, err, out, p.Problem.OPB(), p.Text)
			}
			if err == nil {
				accepted++
			} else {
				rejected++
			}
		}
	}
	return accepted, rejected
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExact: VeriPB accepts the proofs of Exact, as version 3.0 of the format. Our checker does not know their rules.
func TestExact(t *testing.T) {
	checker, err := filepath.Abs(filepath.Join(built, "veripb", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(checker, "veripb")); err != nil {
		t.Skip("VeriPB is not in build/current ('make current' makes it)")
	}
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+checker)
	target := open(t, "exact-max-current")
	config := campaign.Config{Seed: testseed.Of(t, 1), Traces: 60, Out: filepath.Join(t.TempDir(), "out")}
	summary := suite.Fuzz(t, target, gen.Config{Profile: "small-proofs"}, config, func(f *store.Finding, _ func()) {
		if strings.HasPrefix(string(f.Class), "6") {
			t.Errorf("%s: %s\n%s", f.Key, f.Observed, f.Minimal)
		}
	})
	if checked := summary.Tally.Of("proof"); checked < 20 {
		t.Errorf("%d proofs were checked in %d traces", checked, summary.Traces)
	}
}
