package campaign

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestTwoWorkers counts how much sooner two workers are through than one, when
// every test takes the same time and nothing else takes any: a clock that stands
// still while a machine works is the same on every machine.
func TestTwoWorkers(t *testing.T) {
	var alone, together time.Duration
	var traces, tests, vain int
	for _, d := range ref.Defects() {
		if d.Number%setting(t, "IPAFUZZ_DEFECTS", 6) != 0 || d.Class == "3.1" || d.Class == "3.2" || d.Class == "5.7" {
			continue
		}
		h := newHunter(t, d)
		for _, long := range h.joined(nil, setting(t, "IPAFUZZ_TRACES", 1)) {
			traces++
			p := long.m.newPool()
			p.wanted = wantedKey(long.m.Key, long.m.Target)
			took := func(workers int) (d time.Duration, result dd.Result) {
				test := newTimed(t, p)
				defer close(test.asked)
				synctest.Test(t, func(t *testing.T) {
					begun := time.Now()
					var err error
					if result, err = dd.Minimize(context.Background(), long.trace, test, dd.Config{Workers: workers, Description: long.m.Description}); err != nil {
						t.Fatal(err)
					}
					d = time.Since(begun)
				})
				return d, result
			}
			one, first := took(1)
			two, second := took(2)
			if callsOf(first.Trace) != callsOf(second.Trace) || first.Stats.Tests != second.Stats.Tests {
				t.Errorf("defect %d: one worker ends with\n%s\ntwo with\n%s", d.Number, first.Trace, second.Trace)
			}
			alone, together = alone+one, together+two
			tests, vain = tests+second.Stats.Tests, vain+second.Stats.Wasted
			p.close()
		}
		h.close()
	}
	faster := alone.Seconds() / together.Seconds()
	if faster < 1.5 {
		t.Errorf("two workers are %.2f times as fast as one", faster)
	}
	t.Logf("%d traces, %d tests, %d more in vain: two workers are %.2f times as fast as one", traces, tests, vain, faster)
}

// timed asks a pool outside of the bubble: its processes are not of that time.
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
