package proofs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// checkCost checks a proof about a problem in OPB, or about clauses.
func checkCost(source io.Reader, formula string, o proof.Options) (proof.Result, error) {
	problem := &proof.Problem{}
	if strings.HasSuffix(formula, ".opb") {
		file, err := os.Open(formula)
		if err != nil {
			return proof.Result{}, exit.Misusef("the formula cannot be read: %w", err)
		}
		defer file.Close()
		problem, err = proof.ReadOPB(file)
		if err != nil {
			return proof.Result{}, exit.Misusef("%s: %w", formula, err)
		}
		return proof.CheckCost(problem, source, o)
	}
	item, err := sources.One(formula, sources.Options{Stdin: os.Stdin})
	if err != nil {
		return proof.Result{}, exit.Misuse(err)
	}
	if problem.Clauses, err = clausesOf(item.Trace); err != nil {
		return proof.Result{}, exit.Misusef("%s: %w", formula, err)
	}
	if len(format.Solves(item.Trace)[0].Softs) > 0 {
		return proof.Result{}, exit.Misusef("%s: with a cost, ipafuzz checks proofs for VeriPB of OPB files alone", formula)
	}
	return proof.CheckCost(problem, source, o)
}

// mostTime is how long VeriPB may take.
const mostTime = time.Hour

// askVeriPB has a proof checked by VeriPB, if it is installed.
func askVeriPB(formula, name string, why error) error {
	program, err := exec.LookPath("veripb")
	if err != nil {
		return exit.Misusef("%s: %w; 'cargo install veripb' installs it, and check-proof runs it if it is in PATH", name, why)
	}
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, formula, name).CombinedOutput()
	fmt.Printf("%s: %v; VeriPB says:\n%s", name, why, out)
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: VeriPB took longer than %v", name, mostTime)
	case errors.As(err, &failed) && failed.Exited():
		return exit.ErrFindings
	}
	return err
}
