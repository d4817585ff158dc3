package e2e

import (
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
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestVeriPB: VeriPB and our checker have the same verdict on proofs of optimality, of a healthy library and
// of planted defects.
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

// TestVeriPBOfCaDiCaL: VeriPB accepts the proofs of CaDiCaL's library, with the numbers and first lines that
// the adapter adds.
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
	dir := t.TempDir()
	formula, proof := filepath.Join(dir, "proof.opb"), filepath.Join(dir, "proof.veripb")
	eachProof(t, target, "proofs", trace.VeriPB, traces, func(h handed) bool {
		write(t, formula, h.proof.Problem.OPB())
		write(t, proof, h.proof.Text)
		out, err := exec.Command(checker, formula, proof).CombinedOutput()
		isWrong := h.fault != nil && h.fault.Detail != "contradicting" // a right proof of something else
		if (err == nil) == isWrong || err == nil != strings.Contains(string(out), verified) {
			t.Fatalf("we say %v, VeriPB %v: %s\n%s\n%s", h.fault, err, out, h.proof.Problem.OPB(), h.proof.Text)
		}
		if err == nil {
			accepted++
		} else {
			rejected++
		}
		return true
	})
	return accepted, rejected
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestExact: VeriPB accepts the proofs of Exact in version 3.0 of the format. Our checker does not know the
// rules of that version.
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
