package doctor

import (
	"context"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A target that hangs now and then takes the wall limit for each case. So when a case has run for patience, the next
// one begins beside it, up to mostRunners at a time.
var patience = 2 * time.Second

const mostRunners = 4

// runCases runs the cases and calls each with every result, in their order.
func runCases(ctx context.Context, open func() (replay.Runner, error), cases []*conform.Case,
	each func(*conform.Result)) error {
	ctx, stop := context.WithCancel(ctx)
	idle := make(chan replay.Runner, mostRunners)
	var running sync.WaitGroup
	defer func() {
		stop()
		running.Wait()
		close(idle)
		for runner := range idle {
			runner.Close()
		}
	}()
	type outcome struct {
		results []conform.Result
		err     error
	}
	outcomes := make([]chan outcome, len(cases))
	shown := 0
	show := func(to int, wait bool) error { // the results up to a case, or those that are there
		for ; shown < to; shown++ {
			if !wait && len(outcomes[shown]) == 0 {
				return nil
			}
			o := <-outcomes[shown]
			if o.err != nil {
				return o.err
			}
			each(&o.results[0])
		}
		return nil
	}
	opened := 0
	for i := range cases {
		if opened < mostRunners && len(idle) == 0 {
			runner, err := open()
			if err != nil {
				return err
			}
			opened++
			idle <- runner
		}
		runner := <-idle
		outcomes[i] = make(chan outcome, 1)
		ended := make(chan struct{})
		running.Go(func() {
			defer close(ended)
			suite := conform.Suite{Runner: runner}
			results, err := suite.Run(ctx, cases[i:i+1])
			idle <- runner
			outcomes[i] <- outcome{results, err}
		})
		select {
		case <-ended:
		case <-time.After(patience):
		}
		if err := show(i+1, false); err != nil {
			return err
		}
	}
	return show(len(cases), true)
}
