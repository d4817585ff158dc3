package doctor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A meeting is a runner whose first trace waits until another one has begun.
type meeting struct {
	replay.Runner
	began *sync.WaitGroup
}

func (m *meeting) Run(ctx context.Context, t *trace.Trace, run *trace.Run) error {
	if m.began != nil {
		m.began.Done()
		m.began.Wait()
		m.began = nil
	}
	return m.Runner.Run(ctx, t, run)
}

// TestCasesBeside: a case that takes long does not hold up the next ones, and the results keep their order.
func TestCasesBeside(t *testing.T) {
	target, err := targets.Resolve("ref", "ipasir", nil)
	if err != nil {
		t.Fatal(err)
	}
	usual := patience
	patience = time.Millisecond
	t.Cleanup(func() { patience = usual })
	var began sync.WaitGroup
	began.Add(mostRunners) // all of them must run at the same time
	opened := 0
	open := func() (replay.Runner, error) {
		opened++
		runner, err := replay.Open(target, replay.Fork, replay.DefaultLimits)
		return &meeting{runner, &began}, err
	}
	cases := conform.Smoke(apimodel.IPASIR)
	var seen []*conform.Case
	err = runCases(t.Context(), open, cases, func(r *conform.Result) {
		if seen = append(seen, r.Case); r.Outcome == conform.Fail {
			t.Errorf("%s: %s", r.Case.Name, r.Reason)
		}
	})
	if err != nil || !slices.Equal(seen, cases) || opened != mostRunners {
		t.Errorf("%v; %d of %d results, not in their order; %d runners", err, len(seen), len(cases), opened)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = runCases(ctx, func() (replay.Runner, error) { return replay.Open(target, replay.Fork, replay.DefaultLimits) },
		cases, func(*conform.Result) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
