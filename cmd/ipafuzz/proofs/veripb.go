package proofs

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/oracle/proof"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// checkCost checks a proof about a problem in OPB, or about clauses.
func checkCost(source io.Reader, formula string, o proof.Options) (proof.Result, error) {
	problem := &proof.Problem{NoCosts: !strings.Contains(formula, ".wcnf")}
	if strings.HasSuffix(formula, ".opb") {
		file, err := userfile.Open(formula)
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
	item, err := sources.One(formula, sources.Options{Stdin: userfile.Stdin})
	if err != nil {
		return proof.Result{}, exit.Misuse(err)
	}
	if problem.Clauses, err = clausesOf(item.Trace); err != nil {
		return proof.Result{}, exit.Misusef("%s: %w", formula, err)
	}
	if format.Solves(item.Trace)[0].HasSoft() {
		return proof.Result{}, fmt.Errorf("%w: it is about a cost in a file other than OPB, which only VeriPB itself checks",
			proof.ErrUnsupported)
	}
	return proof.CheckCost(problem, source, o)
}

// mostTime is how long VeriPB may take.
const mostTime = time.Hour

// askVeriPB lets VeriPB check a proof, if it is installed.
func askVeriPB(out io.Writer, formula, name string, why error) error {
	said, err := proof.RunVeriPB(formula, name, mostTime)
	var rejection *proof.Rejection
	switch {
	case errors.Is(err, proof.ErrUnsupported):
		fmt.Fprintf(out, "%s: unchecked: %v; %v\n", name, why, err)
		return exit.ErrDoubt
	case err != nil && !errors.As(err, &rejection):
		return err
	case err == nil && !strings.Contains(said, "s VERIFIED "):
		fmt.Fprintf(out, "%s: unchecked: %v; VeriPB says neither that it verified the proof nor that it rejects it:\n%s",
			name, why, printable.Text(said))
		return exit.ErrDoubt
	}
	fmt.Fprintf(out, "%s: %v; VeriPB says:\n%s", name, why, printable.Text(said))
	if err != nil {
		return exit.ErrFindings
	}
	return nil
}
