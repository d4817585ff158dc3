package campaign

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Conflicts that the reference solver may spend on one solve.
const (
	inPassing = 2_000   // some ten milliseconds: a campaign goes on with what is left open
	Thorough  = 200_000 // seconds: for a finding, and for a trace that a person is waiting for
)

// A Referee is a judge with a reference solver of its own. Not for concurrent use.
type Referee struct {
	judge  *oracle.Judge
	prover *ref.Prover
}

// NewReferee returns a referee, which must be closed. Without conflicts to spend
// it has no reference solver.
func NewReferee(config oracle.Config, conflicts uint64) *Referee {
	if conflicts == 0 {
		return &Referee{judge: oracle.New(config)}
	}
	prover := ref.NewProver()
	config.Reference = reference.New(prover, conflicts)
	return &Referee{oracle.New(config), prover}
}

// Close frees the reference solver.
func (r *Referee) Close() {
	if r.prover != nil {
		r.prover.Close()
	}
}

// Judge returns the faults of a run, the worst first, valid until the next call.
// An error is a DisagreementError.
func (r *Referee) Judge(t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	findings := r.judge.Judge(t, run)
	if err := r.judge.Disagreement(); err != nil {
		d := &DisagreementError{Err: err, Trace: t.Clone(), Run: *run}
		d.Run.Answers = run.Answers.Clone()
		return nil, d
	}
	return findings, nil
}

// What the judge knows of the last run, and of all.
func (r *Referee) Mismatches() []oracle.Mismatch { return r.judge.Mismatches() }
func (r *Referee) Solves() []oracle.Solve        { return r.judge.Solves() }
func (r *Referee) Decided() oracle.Tally         { return r.judge.Decided() }
func (r *Referee) Undecided() uint64             { return r.judge.Undecided() }

// A DisagreementError is a bug of ipafuzz: two of its checks have proven the
// contrary of each other. No verdict of this version can be relied on.
type DisagreementError struct {
	Err   error
	Trace *trace.Trace
	Run   trace.Run
	Dir   string // where the trace and the answers are, to be reported; "" when nowhere
}

func (e *DisagreementError) Error() string {
	report := "please report it with the trace"
	if e.Dir != "" {
		report = "please report it with what is in " + e.Dir
	}
	return fmt.Sprintf("ipafuzz contradicts itself, which is a bug of ipafuzz and not of the target (%s): %v", report, e.Err)
}

func (e *DisagreementError) Unwrap() error { return e.Err }
