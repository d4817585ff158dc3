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

// A Rejection says why a proof is wrong, and where.
type Rejection = read.Rejection

// The kinds of rejections of proofs that can be read.
const (
	Unjustified   = read.Unjustified
	Different     = read.Different
	Contradicting = read.Contradicting
)

// Event is something that the client asked or the solver answered.
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

// ErrNoChecker and ErrCheckerFails are ErrUnsupported if the program veripb is needed, and missing or failing.
var (
	ErrNoChecker    = read.ErrNoChecker
	ErrCheckerFails = read.ErrCheckerFails
)

// Options say how to check.
type Options struct {
	Format Format
	// Forward checks each lemma of DRAT as it comes.
	Forward bool
}

// A Result says what a check has checked.
type Result struct {
	Format Format
	Steps  int64
	Lemmas int64
	DRAT   *drat.Result // of a proof in DRAT
	// OtherReading says whether the proof is also valid for a checker that obeys deletions of reasons of
	// units. It is nil if there are none, or Check cannot read the proof a second time.
	OtherReading *Reading
	Incremental  *idrup.Result // of a proof in IDRUP or LIDRUP
	Conclusion   *Conclusion   // of a proof for VeriPB
}

// A Reading is the verdict on a proof in one reading of DRAT.
type Reading struct{ Err error }

// Check checks a proof that no assignment satisfies all clauses of the formula, each of which ends with a 0. If
// the two readings of DRAT may differ for the proof, it checks both, unless o.Forward is set and proof is not an
// io.Seeker.
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
		start := startOf(proof)
		r, err := drat.Check(formula, proof, options)
		result.DRAT, result.Steps, result.Lemmas = &r, r.Lemmas+r.Deletions, r.Lemmas
		if err == nil && r.Units > 0 && start >= 0 {
			result.OtherReading = checkAgain(formula, proof.(io.ReadSeeker), start, options)
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

// twice returns a proof that Check can read twice, if it needs to. It copies a proof that is not an io.Seeker into
// a temporary file. The caller must call the function that twice returns at the end.
func twice(proof io.Reader, o Options) (io.Reader, func(), error) {
	if o.Forward || startOf(proof) >= 0 {
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

// startOf returns the offset at which the proof begins, or -1 if it cannot be read again.
func startOf(proof io.Reader) int64 {
	seeker, ok := proof.(io.ReadSeeker)
	if !ok {
		return -1
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return -1
	}
	return start
}

func checkAgain(formula []int32, proof io.ReadSeeker, start int64, options drat.Options) *Reading {
	if _, err := proof.Seek(start, io.SeekStart); err != nil {
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

// CheckScript checks a proof of several solves, and whether it is about the events. If events is nil, it takes them
// from the proof.
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

// mostTimeOfVeriPB bounds the time that VeriPB takes for a proof in a trace.
const mostTimeOfVeriPB = 20 * time.Second

// CheckFile checks a proof for VeriPB about a problem. formula is the text of a file that states the problem, and
// extension is .cnf, .wcnf or .opb. If CheckCost does not support the proof, CheckFile runs the program veripb, which
// must be in PATH.
func CheckFile(p *Problem, formula []byte, extension string, text []byte, o Options) (Result, error) {
	result, err := CheckCost(p, bytes.NewReader(text), o)
	if !errors.Is(err, ErrUnsupported) {
		return result, err
	}
	conclusion, err := veripb.Ask(p, formula, extension, text, mostTimeOfVeriPB)
	return Result{Format: o.Format, Conclusion: &conclusion}, err
}

// RunVeriPB runs the program veripb on two files, for at most the time most, and returns what it prints.
func RunVeriPB(formula, proof string, most time.Duration) (string, error) {
	return veripb.Run(formula, proof, most)
}
