package trial

import (
	"bytes"
	"context"
	"slices"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// judged is a run of a trace and the findings of its judge.
type judged struct {
	trace    *trace.Trace
	run      trace.Run
	findings []oracle.Finding
}

// Repeat tells the session whether the next runs repeat one trace. If so, the session judges only the first
// run with the same answers: judging a large problem takes longer than running it.
func (s *Session) Repeat(again bool) {
	s.judged = nil
	if again {
		s.judged = &judged{}
	}
}

func (s *Session) judge(ctx context.Context, t *trace.Trace, run *trace.Run) ([]oracle.Finding, error) {
	known := s.judged
	if known != nil && known.trace == t && alike(&known.run, run) {
		return slices.Clone(known.findings), nil
	}
	findings, err := s.Judge.judgeUntil(ctx, t, run)
	if known != nil && err == nil && known.trace == nil {
		known.trace, known.run, known.findings = t, *run, slices.Clone(findings)
		known.run.Answers = run.Answers.Clone()
	}
	return findings, err
}

// alike reports whether a judge sees no difference between two runs of a trace. Runs that did not finish or
// wrote something count as different.
func alike(a, b *trace.Run) bool {
	plain := func(r *trace.Run) bool {
		return r.End == trace.Finished && r.Output.Text == "" && len(r.Proofs) == 0 &&
			r.FailedAllocation == 0 && !r.FailedEarlier && len(r.Answers.Of) > 0
	}
	if !plain(a) || !plain(b) || !slices.Equal(a.Answers.Of, b.Answers.Of) ||
		!slices.Equal(a.Answers.Lits, b.Answers.Lits) || !bytes.Equal(a.Answers.Text, b.Answers.Text) {
		return false
	}
	for i := range a.Answers.Of {
		before, after := a.Answers.EffortOf(&a.Answers.Of[i]), b.Answers.EffortOf(&b.Answers.Of[i])
		before.Nanos, after.Nanos = min(before.Nanos, 1), min(after.Nanos, 1)
		if before != after {
			return false
		}
	}
	return true
}
