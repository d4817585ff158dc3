package trial

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Conflicts that the reference solver may spend on one solve.
const (
	InPassing = 2_000   // some ten milliseconds: a campaign goes on with what is left open
	Thorough  = 200_000 // seconds: for a finding, and for a trace that a person waits for
)

// A Judge checks answers and has a reference solver of its own. It is not for
// concurrent use.
type Judge struct {
	judge  *oracle.Judge
	prover *ref.Prover
}

// NewJudge returns a judge, which must be closed. The built-in reference solver
// may spend so many conflicts on a solve. It is not used with none, if the
// configuration has a reference of its own, or if MaxVars is negative, so that
// nothing is searched.
func NewJudge(config oracle.Config, conflicts uint64) *Judge {
	j := new(Judge)
	if conflicts > 0 && config.Reference == nil && config.MaxVars >= 0 {
		j.prover = ref.NewProver()
		config.Reference = reference.New(j.prover, conflicts)
	}
	j.judge = oracle.New(config)
	return j
}

// Close frees the reference solver.
func (j *Judge) Close() {
	if j.prover != nil {
		j.prover.Close()
	}
}

// Judge returns the faults of a run, the worst first. They are valid until the
// next call. The only error is a *DisagreementError.
func (j *Judge) Judge(t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	findings := j.judge.Judge(t, run)
	if err := j.judge.Disagreement(); err != nil {
		d := &DisagreementError{Err: err, Trace: t.Clone(), Run: *run}
		d.Run.Answers = run.Answers.Clone()
		return nil, d
	}
	return findings, nil
}

// Mismatches and Solves are about the last run, Decided and Undecided about all.
func (j *Judge) Mismatches() []oracle.Mismatch { return j.judge.Mismatches() }
func (j *Judge) Solves() []oracle.Solve        { return j.judge.Solves() }
func (j *Judge) Decided() oracle.Tally         { return j.judge.Decided() }
func (j *Judge) Undecided() uint64             { return j.judge.Undecided() }

// A DisagreementError is a bug of ipafuzz: two of its checks have proven opposite
// answers. No verdict of this version can be relied on.
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
	return fmt.Sprintf("ipafuzz contradicts itself, which is a bug of ipafuzz and not of the target (%s): %v", report,
		e.Err)
}

func (e *DisagreementError) Unwrap() error { return e.Err }
