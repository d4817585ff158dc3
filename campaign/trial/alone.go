package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// DiffersAlone runs the trace and each of its instances alone, and compares their answers mixedRuns times.
// It returns the first difference that all comparisons show: answers that change by chance do not differ in
// the same way again and again.
func (s *Session) DiffersAlone(ctx context.Context, t *trace.Trace, run *trace.Run) (*oracle.Finding, error) {
	if err := s.Answers(ctx, t, run); err != nil {
		return nil, err
	}
	seen := make(map[uint16]bool)
	for i := range t.Calls {
		instance := t.Calls[i].Instance
		if seen[instance] {
			continue
		}
		seen[instance] = true
		if differs, err := s.keepsDiffering(ctx, t, run, instance); differs != nil || err != nil {
			return differs, err
		}
	}
	return nil, nil
}

// keepsDiffering returns the difference between an instance's answers in a run of the trace and alone, if
// further runs of both show the same one.
func (s *Session) keepsDiffering(
	ctx context.Context, t *trace.Trace, run *trace.Run, instance uint16,
) (*oracle.Finding, error) {
	alone := t.Project(instance)
	first, err := s.differs(ctx, t, run, instance, alone)
	if first == nil || err != nil {
		return nil, err
	}
	for range mixedRuns - 1 {
		if err := s.Answers(ctx, t, run); err != nil {
			return nil, err
		}
		again, err := s.differs(ctx, t, run, instance, alone)
		if again == nil || *again != *first || err != nil {
			return nil, err
		}
	}
	return first, nil
}

// differs runs an instance alone and compares its answers with those in a run of the whole trace.
func (s *Session) differs(
	ctx context.Context, t *trace.Trace, run *trace.Run, instance uint16, alone *trace.Trace,
) (*oracle.Finding, error) {
	var answers trace.Run
	if err := s.Answers(ctx, alone, &answers); err != nil {
		return nil, err
	}
	return compare.Alone(t, run, instance, &answers), nil
}
