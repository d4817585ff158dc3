package e2e

import (
	"bytes"
	"context"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/proof/conversation"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

var publicProofs = flag.Int("public-proofs", 20, "how many proofs of each library and format TestPublicCheckers takes")

// A handed proof is one that a library handed over, with the verdict of our checker.
type handed struct {
	trace *trace.Trace
	run   *trace.Run
	call  int
	proof *conversation.Proof
	fault *oracle.Finding
}

// eachProof runs traces of a profile and calls f for every proof in the format that our checker accepts or
// rejects, until f returns false. It skips the test if the target has no such proofs.
func eachProof(t *testing.T, target *replay.Target, profile, format string, traces uint64, f func(handed) bool) {
	t.Helper()
	runner, err := replay.Open(target, replay.Persistent, suite.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	description, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(description.ProofFormats(target.Model), format) {
		t.Skipf("it has no proofs in %s", format)
	}
	description.Option(apimodel.ProofOption).Choices = []string{apimodel.NoProof, format}
	generator, err := gen.New(gen.Config{Model: target.Model, Description: description, Profile: profile,
		Without: []string{"max-variable", "gaps"}}) // some public checkers cannot read large numbers, or take long
	if err != nil {
		t.Fatal(err)
	}
	judge, seed := oracle.New(oracle.Config{Policies: description.Policies}), testseed.Of(t, 1)
	tr, run := new(trace.Trace), new(trace.Run)
	for number := range traces {
		generator.Generate(gen.Seed(seed, 0, number), tr)
		if err := runner.Run(context.Background(), tr, run); err != nil {
			t.Fatal(err)
		}
		found := judge.Judge(tr, run)
		for i := range run.Answers.Of {
			if tr.Calls[i].Op != apimodel.OpProof {
				continue
			}
			p, ok := conversation.ProofAt(tr, &run.Answers, i)
			if !ok {
				continue
			}
			h := handed{trace: tr, run: run, call: i, proof: p}
			if at := slices.IndexFunc(found, func(f oracle.Finding) bool { return f.Call == i }); at >= 0 {
				h.fault = &found[at]
			}
			if !f(h) {
				return
			}
		}
	}
}

// verified has what public checkers print when they accept a proof. A checker without an entry ends with exit
// code 0.
var verified = map[string]string{"drat-trim": "s VERIFIED", "lrat-check": "VERIFIED", "frat-rs": "VERIFIED"}

// difference returns the reason why a public checker may reject a right proof.
func difference(p *conversation.Proof, checker *os.ProcessState) string {
	switch {
	case checker != nil && checker.ExitCode() < 0:
		return "the checker crashes"
	case bytes.Contains(conversation.DIMACS(p.Formula), []byte("\n0\n")):
		return "the formula has an empty clause"
	case bytes.Contains(p.Text, []byte("\ne ")):
		return "it has a line e"
	}
	return ""
}

// TestPublicCheckers: the public checkers in PATH, called as findings say, accept the proofs of healthy
// libraries that our checkers accept.
func TestPublicCheckers(t *testing.T) {
	for _, name := range []string{"ref", "cadical-2.2.1", "cadical-3.0.1"} {
		for _, format := range []string{"drat", "lrat", "frat", "idrup", "lidrup"} {
			t.Run(name+"/"+format, func(t *testing.T) {
				_, public, _ := strings.Cut((&conversation.Proof{Format: format, Formula: []int32{}}).Commands(), ", or ")
				if program, _, _ := strings.Cut(public, " "); !isInPath(program) {
					t.Skipf("%s is not in PATH", program)
				}
				target, err := targets.Resolve("ref", apimodel.IPASIR.Name, nil)
				if name != "ref" {
					target = open(t, name)
					target.Model = apimodel.IPASIR
				} else if err != nil {
					t.Fatal(err)
				}
				accepted, differs := comparePublic(t, target, format)
				t.Logf("both accept %d proofs, and we alone %v", accepted, differs)
			})
		}
	}
}

func isInPath(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

func comparePublic(t *testing.T, target *replay.Target, format string) (accepted int, differs map[string]int) {
	dir := t.TempDir()
	differs = make(map[string]int)
	eachProof(t, target, "small-proofs", format, math.MaxUint64, func(h handed) bool {
		if h.fault != nil {
			t.Errorf("we reject a proof: %s\n%s", h.fault.Observed, h.trace)
			return false
		}
		write(t, filepath.Join(dir, "proof."+format), h.proof.Text)
		if h.proof.Formula != nil {
			write(t, filepath.Join(dir, "proof.cnf"), conversation.DIMACS(h.proof.Formula))
		} else {
			_, interactions := h.proof.Conversation(h.trace, &h.run.Answers, h.call)
			write(t, filepath.Join(dir, "proof.icnf"), interactions)
		}
		_, public, _ := strings.Cut(h.proof.Commands(), ", or ")
		words := strings.Fields(public)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = dir
		output, err := cmd.CombinedOutput()
		if sign := verified[words[0]]; sign != "" && bytes.Contains(output, []byte(sign)) || sign == "" && err == nil {
			accepted++
		} else if why := difference(h.proof, cmd.ProcessState); why != "" {
			differs[why]++
		} else {
			kept, _ := os.MkdirTemp("", "public-")
			_ = os.CopyFS(kept, os.DirFS(dir))
			t.Errorf("%s rejects a proof that we accept (%v; files in %s): %s", words[0], err, kept, output)
		}
		return accepted < *publicProofs && !t.Failed()
	})
	return accepted, differs
}
