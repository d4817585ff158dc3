package proof

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle/proof/drat"
	"github.com/ipafuzz/ipafuzz/oracle/proof/frat"
	"github.com/ipafuzz/ipafuzz/oracle/proof/idrup"
	"github.com/ipafuzz/ipafuzz/oracle/proof/lrat"
	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
	"github.com/ipafuzz/ipafuzz/oracle/proof/veripb"
)

// A Rejection says why a proof is not accepted, and where.
type Rejection = read.Rejection

// The kinds of rejections of proofs that can be read.
const (
	Unjustified   = read.Unjustified
	Different     = read.Different
	Contradicting = read.Contradicting
)

// Event is something that the client asked or that the solver answered.
type Event = idrup.Event

// Problem is what a proof for VeriPB is about.
type Problem = veripb.Problem

// Cost is the cost of one literal in a Problem.
type Cost = veripb.Cost

// Conclusion is what a proof for VeriPB establishes.
type Conclusion = veripb.Conclusion

// ReadOPB reads a problem from a file.
func ReadOPB(in io.Reader) (*Problem, error) { return veripb.ReadOPB(in) }

// ErrUnsupported is the error for proofs that may be right and that this package cannot check.
var ErrUnsupported = read.ErrUnsupported

// Options say how to check.
type Options struct {
	Format Format
	// Forward checks each lemma of DRAT as it comes.
	Forward bool
}

// A Result tells what was checked.
type Result struct {
	Format Format
	Steps  int64
	Lemmas int64
	DRAT   *drat.Result // of a proof in DRAT
	// OtherReading is set if the proof deletes reasons of units and could be read a second
	// time. It says whether the proof is also valid for a checker that obeys these
	// deletions.
	OtherReading *Reading
	Incremental  *idrup.Result
	Conclusion   *Conclusion // of a proof for VeriPB
}

// A Reading is the verdict on a proof in one reading of DRAT.
type Reading struct{ Err error }

// Check checks a proof that no assignment satisfies all clauses of the formula, each of
// which ends with a 0. If the two readings of DRAT differ for the proof, it checks both,
// unless it checks forward and proof is not an io.Seeker.
func Check(formula []int32, proof io.Reader, o Options) (Result, error) {
	result := Result{Format: o.Format}
	switch o.Format.Name {
	case "drat":
		options := drat.Options{Binary: o.Format.Binary, Forward: o.Forward}
		proof, remove, err := twice(proof, o)
		if err != nil {
			return result, err
		}
		defer remove()
		r, err := drat.Check(formula, proof, options)
		result.DRAT, result.Steps, result.Lemmas = &r, r.Lemmas+r.Deletions, r.Lemmas
		if err == nil && r.Units > 0 {
			result.OtherReading = checkAgain(formula, proof, options)
		}
		return result, err
	case "lrat":
		var c lrat.Checker
		err := c.CheckStream(formula, proof, o.Format.Binary)
		result.Steps, result.Lemmas = c.Steps, c.Lemmas
		return result, err
	case "frat":
		r, err := frat.Check(formula, proof, o.Format.Binary)
		result.Steps, result.Lemmas = r.Steps, r.Lemmas
		return result, err
	}
	return result, fmt.Errorf("proofs in %v are about a trace, not about a formula", o.Format)
}

// twice returns a proof that can be read twice, if the check needs that. It copies a proof
// that is not an io.Seeker into a temporary file.
func twice(proof io.Reader, o Options) (io.Reader, func(), error) {
	if seeker, ok := proof.(io.Seeker); ok {
		if _, err := seeker.Seek(0, io.SeekCurrent); err == nil {
			return proof, func() {}, nil
		}
	}
	if o.Forward {
		return proof, func() {}, nil
	}
	file, err := os.CreateTemp("", "ipafuzz-proof-*")
	if err != nil {
		return nil, nil, fmt.Errorf("copying the proof to read it twice: %w", err)
	}
	os.Remove(file.Name())
	remove := func() { file.Close() }
	if _, err = io.Copy(file, proof); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		remove()
		return nil, nil, fmt.Errorf("copying the proof to read it twice: %w", err)
	}
	return file, remove, nil
}

func checkAgain(formula []int32, proof io.Reader, options drat.Options) *Reading {
	seeker, ok := proof.(io.Seeker)
	if !ok {
		return nil
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return nil
	}
	options.ObeyUnits = true
	_, err := drat.Check(formula, proof, options)
	var rejection *Rejection
	if err != nil && !errors.As(err, &rejection) {
		return nil
	}
	return &Reading{err}
}

// CheckScript checks a proof of incremental solving, and whether it is about the events. If
// events is nil, it takes them from the proof.
func CheckScript(events []Event, proof io.Reader, o Options) (Result, error) {
	result := Result{Format: o.Format}
	if !o.Format.IsIncremental() {
		return result, fmt.Errorf("proofs in %v are about one formula, not about a trace", o.Format)
	}
	r, err := idrup.Check(proof, idrup.Options{Linear: o.Format.Name == "lidrup", Binary: o.Format.Binary,
		Events: events, HasEvents: events != nil})
	result.Incremental, result.Steps, result.Lemmas = &r, r.Steps, r.Lemmas
	return result, err
}

// CheckCost checks a proof for VeriPB. Result says what it concludes.
func CheckCost(p *Problem, proof io.Reader, o Options) (Result, error) {
	result := Result{Format: o.Format}
	if !o.Format.IsAboutCosts() {
		return result, fmt.Errorf("proofs in %v are about clauses, not about a cost", o.Format)
	}
	r, err := veripb.Check(p, proof)
	result.Steps, result.Lemmas, result.Conclusion = r.Steps, r.Lemmas, &r.Conclusion
	return result, err
}

// mostTimeOfVeriPB is how long VeriPB may take for a proof of a trace.
const mostTimeOfVeriPB = 20 * time.Second

// CheckFile checks a proof for VeriPB about a file, with extension .cnf, .wcnf or .opb,
// that states the problem. If CheckCost does not support the proof, CheckFile runs the
// program veripb, which must be in PATH.
func CheckFile(p *Problem, formula []byte, extension string, text []byte, o Options) (Result, error) {
	result, err := CheckCost(p, bytes.NewReader(text), o)
	if !errors.Is(err, ErrUnsupported) {
		return result, err
	}
	conclusion, err := veripb.Ask(p, formula, extension, text, mostTimeOfVeriPB)
	return Result{Format: o.Format, Conclusion: &conclusion}, err
}

// RunVeriPB runs the program veripb on files and returns what it prints.
func RunVeriPB(formula, proof string, most time.Duration) (string, error) {
	return veripb.Run(formula, proof, most)
}
