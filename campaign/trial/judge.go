package trial

import (
	"context"
	"fmt"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// The number of conflicts that the reference solver may spend on one solve.
const (
	InPassing = 2_000   // some ten milliseconds, for a campaign: it leaves hard answers undecided
	Thorough  = 200_000 // seconds, for findings and for traces that a user replays
)

// ofTrace bounds the conflicts that a judge with InPassing spends on all solves of a trace. Dozens of hard
// solves would otherwise keep a campaign from new traces for tenths of a second.
const ofTrace = 8 * InPassing

// A Judge checks answers with an oracle and its own reference solver. It is not safe for concurrent use.
type Judge struct {
	judge   *oracle.Judge
	prover  *ref.Prover
	another func() *Judge // returns a new judge of the same kind
}

// NewJudge returns a judge that the caller must close. The built-in reference solver may spend the given
// number of conflicts on a solve. The configuration may name another reference solver instead. There is
// none if conflicts is 0 or if a negative MaxVars turns off all searching.
func NewJudge(config oracle.Config, conflicts uint64) *Judge {
	j := &Judge{another: func() *Judge { return NewJudge(config, conflicts) }}
	if conflicts > 0 && config.Reference == nil && config.MaxVars >= 0 {
		j.prover = ref.NewProver()
		config.Reference = reference.New(j.prover, conflicts)
		if conflicts == InPassing {
			config.Reference.Limit(ofTrace)
		}
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

// Judge returns the findings of a run, the worst first. They are valid until the next
// call. The only error is a *DisagreementError.
func (j *Judge) Judge(t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	findings := j.judge.Judge(t, run)
	if err := j.judge.Disagreement(); err != nil {
		d := &DisagreementError{Err: err, Trace: t.Clone(), Run: *run}
		d.Run.Answers = run.Answers.Clone()
		return nil, d
	}
	return findings, nil
}

// judgeUntil is Judge, but gives up soon after ctx ends, with the error of ctx: judging a hard trace can
// take minutes.
func (j *Judge) judgeUntil(ctx context.Context, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	if j.prover == nil {
		return j.Judge(t, run)
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		j.prover.Interrupt(true)
		close(stopped)
	})
	findings, err := j.Judge(t, run)
	if stop() {
		return findings, err
	}
	<-stopped
	j.prover.Interrupt(false)
	if err == nil {
		err = ctx.Err()
	}
	return nil, err
}

// Mismatches returns the expectations that the last run did not meet.
func (j *Judge) Mismatches() []oracle.Mismatch { return j.judge.Mismatches() }

// Suggest names a solution that may be cheaper than what the target finds (oracle.Judge.Suggest).
func (j *Judge) Suggest(solution []int32) { j.judge.Suggest(solution) }

// Cheaper returns a solution of the last run that is cheaper than the target's, or nil.
func (j *Judge) Cheaper() []int32 { return j.judge.Cheaper() }

// Solves returns the solves of the last run.
func (j *Judge) Solves() []oracle.Solve { return j.judge.Solves() }

// Decided returns which checks decided the answers of all runs so far.
func (j *Judge) Decided() oracle.Tally { return j.judge.Decided() }

// Unchecked counts what stayed unchecked in all runs so far.
func (j *Judge) Unchecked() unchecked.Counts { return j.judge.Unchecked() }

// Notes says why proofs of the last run stayed unchecked.
func (j *Judge) Notes() []unchecked.Note { return j.judge.Notes() }

// A DisagreementError reports a bug in ipafuzz: two of its checks proved opposite answers. No verdict of
// this version is reliable.
type DisagreementError struct {
	Err   error
	Trace *trace.Trace
	Run   trace.Run
	Dir   string // the directory with the trace and the answers for a bug report; "" if there is none
}

// Error returns the message.
func (e *DisagreementError) Error() string {
	report := "please report it with the trace"
	if e.Dir != "" {
		report = "please report it with the files in " + e.Dir
	}
	return fmt.Sprintf("ipafuzz contradicts itself, which is a bug in ipafuzz and not in the target (%s): %v", report,
		e.Err)
}

// Unwrap returns the cause.
func (e *DisagreementError) Unwrap() error { return e.Err }
