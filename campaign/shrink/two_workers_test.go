package shrink

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestTwoWorkers measures how much sooner two workers finish than one if every test takes
// the same time and nothing else takes any. A fake clock makes the result the same on
// every machine.
func TestTwoWorkers(t *testing.T) {
	var alone, together time.Duration
	var traces, tests, vain int
	eachLong(t, func(long longFailure) {
		traces++
		p := newPool(long.m.Target, long.m.Description, long.m.Limits, long.m.Workers)
		defer p.close()
		p.wanted.Key = long.m.Key
		took := func(workers int) (d time.Duration, result dd.Result) {
			test := newTimed(t, p)
			defer close(test.asked)
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var err error
				if result, err = dd.Minimize(context.Background(), long.trace, test,
					dd.Config{Workers: workers, Description: long.m.Description}); err != nil {
					t.Fatal(err)
				}
				d = time.Since(begun)
			})
			return d, result
		}
		one, first := took(1)
		two, second := took(2)
		if testtrace.Calls(first.Trace) != testtrace.Calls(second.Trace) || first.Stats.Tests != second.Stats.Tests {
			t.Errorf("%s: one worker ends with\n%s\ntwo with\n%s", long.m.Key, first.Trace, second.Trace)
		}
		alone, together = alone+one, together+two
		tests, vain = tests+second.Stats.Tests, vain+second.Stats.Wasted
	})
	faster := alone.Seconds() / together.Seconds()
	if faster < 1.25 {
		t.Errorf("two workers are %.2f times as fast as one", faster)
	}
	t.Logf("%d traces, %d tests, %d more in vain: two workers are %.2f times as fast as one", traces, tests, vain, faster)
}

// eachLong calls with for long traces of every sixth defect.
func eachLong(t testing.TB, with func(longFailure)) {
	for _, d := range ref.PropositionalDefects() {
		if d.Number%setting(t, "IPAFUZZ_DEFECTS", 6) != 0 || d.Class == "3.1" || d.Class == "3.2" || d.Class == "5.7" {
			continue
		}
		h := newHunter(t, d)
		for _, long := range h.joined(nil, setting(t, "IPAFUZZ_TRACES", 1)) {
			with(long)
		}
		h.close()
	}
}

// BenchmarkTwoWorkers measures by the clock how much sooner two workers finish than one. The built-in
// library is too fast for that, so each test also spins for IPAFUZZ_SPIN milliseconds, as long as a real
// solver would run. The benchmark needs two idle processors.
func BenchmarkTwoWorkers(b *testing.B) {
	spin := time.Duration(setting(b, "IPAFUZZ_SPIN", 20)) * time.Millisecond
	for b.Loop() {
		var took [2]time.Duration
		traces, tests := 0, 0
		eachLong(b, func(long longFailure) {
			traces++
			long.m.Workers = 2
			p := newPool(long.m.Target, long.m.Description, long.m.Limits, long.m.Workers)
			defer p.close()
			p.wanted.Key = long.m.Key
			test := dd.TestFunc(func(ctx context.Context, worker int, candidate *trace.Trace) (dd.Verdict, error) {
				for begun := time.Now(); time.Since(begun) < spin; {
					continue
				}
				return p.Test(ctx, worker, candidate)
			})
			for i := range took {
				begun := time.Now()
				result, err := dd.Minimize(context.Background(), long.trace, test,
					dd.Config{Workers: i + 1, Description: long.m.Description})
				if err != nil {
					b.Fatal(err)
				}
				took[i] += time.Since(begun)
				tests += result.Stats.Tests
			}
		})
		fmt.Printf("\n%d traces, %d tests of %v and what the library takes: one worker %.1f s, two %.1f s, %.2f times as "+
			"fast\n", traces, tests/2, spin,
			took[0].Seconds(), took[1].Seconds(), took[0].Seconds()/took[1].Seconds())
	}
	b.ReportMetric(0, "ns/op")
}

// A timed tester runs a pool outside the bubble of the fake clock, because the pool's processes do not run
// on that clock.
type timed struct {
	asked    chan *trace.Trace
	answered chan dd.Verdict
	mu       sync.Mutex
}

func newTimed(t *testing.T, p *pool) *timed {
	s := &timed{asked: make(chan *trace.Trace), answered: make(chan dd.Verdict)}
	go func() {
		for candidate := range s.asked {
			v, err := p.Test(context.Background(), 0, candidate)
			if err != nil {
				t.Error(err)
			}
			s.answered <- v
		}
	}()
	return s
}

func (s *timed) Test(_ context.Context, _ int, candidate *trace.Trace) (dd.Verdict, error) {
	s.mu.Lock()
	s.asked <- candidate
	v := <-s.answered
	s.mu.Unlock()
	time.Sleep(time.Second)
	return v, nil
}
