package trial

import (
	"context"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// DiffersAlone runs the trace and each of its instances alone, and returns the first
// difference between their answers. It is found again and again: answers that change by
// chance differ whoever else is there.
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
		alone := t.Project(instance)
		first, err := s.differs(ctx, t, run, instance, alone)
		for n := 1; n < mixedRuns && first != nil && err == nil; n++ {
			if err = s.Answers(ctx, t, run); err != nil {
				break
			}
			var again *oracle.Finding
			if again, err = s.differs(ctx, t, run, instance, alone); again == nil || *again != *first {
				first = nil
			}
		}
		if first != nil || err != nil {
			return first, err
		}
	}
	return nil, nil
}

// differs runs an instance alone and compares its answers with those in a run of the trace.
func (s *Session) differs(
	ctx context.Context, t *trace.Trace, run *trace.Run, instance uint16, alone *trace.Trace,
) (*oracle.Finding, error) {
	var answers trace.Run
	if err := s.Answers(ctx, alone, &answers); err != nil {
		return nil, err
	}
	return compare.Alone(t, run, instance, &answers), nil
}
