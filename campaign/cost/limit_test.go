package cost

import (
	"testing"
	"time"
)

// TestUsualIfMostHang checks that traces which were set aside tell what is usual as long as few have ended.
func TestUsualIfMostHang(t *testing.T) {
	c := New()
	hang := Sample{Kind: plain, Took: firstLimit, Cut: true}
	for range 2 * firstTraces { // no solve ended
		c.Ran([]Sample{hang})
	}
	hang.Answered = 20 * time.Microsecond
	for i := range firstTraces {
		if limit := c.Limit(0, true); limit != firstLimit || c.Expect().Hangs(time.Second) {
			t.Errorf("after %d traces with answers, the limit is %v, quick: %v", i, limit, c.Expect().Hangs(time.Second))
		}
		c.Ran([]Sample{hang})
	}
	if limit, known := c.Limit(0, true), c.Expect(); limit != knownHang || !known.Hangs(2*time.Millisecond) ||
		known.Hangs(time.Millisecond) {
		t.Errorf("the limit is %v, and the usual time %v", limit, c.Usual())
	}
	for range firstTraces { // these know better
		c.Ran([]Sample{{Kind: plain, Took: 20 * time.Millisecond}})
	}
	if usual := c.Usual().Round(time.Millisecond); usual != 20*time.Millisecond {
		t.Errorf("the usual time is %v", usual)
	}
}

// TestTried checks that a call which ran alone tells something while few traces have ended.
func TestTried(t *testing.T) {
	quick, slow := New(), New()
	if quick.Expect().Basis > Nothing || quick.Expect().Hangs(time.Hour) {
		t.Error("new costs know something")
	}
	quick.Tried(10 * time.Microsecond)
	known := quick.Expect()
	if known.Basis != OneCall || !known.Hangs(time.Millisecond) || known.Hangs(time.Microsecond) ||
		quick.Limit(0, true) != firstLimit {
		t.Errorf("a quick call: the limit is %v", quick.Limit(0, true))
	}
	slow.Tried(2 * time.Second)
	if slow.Expect().Hangs(5*time.Second) || slow.Limit(0, true) != 20*time.Second {
		t.Errorf("a slow call: the limit is %v", slow.Limit(0, true))
	}
	for range firstTraces {
		slow.Ran([]Sample{{Kind: plain, Took: time.Microsecond}})
	}
	if slow.Expect().Basis < Traces || !slow.Expect().Hangs(time.Millisecond) || slow.Limit(0, false) != leastLimit {
		t.Errorf("after other traces, the limit is %v", slow.Limit(0, false))
	}
}

// TestWarmup checks how much longer the first trace of a process may take.
func TestWarmup(t *testing.T) {
	for _, row := range []struct {
		first, others, want time.Duration
	}{
		{7 * time.Second, time.Millisecond, 14 * time.Second},
		{7 * time.Second, time.Second, 0}, // a slow library
		{20 * time.Millisecond, 20 * time.Microsecond, 0},
	} {
		c := New()
		for range 3 {
			c.Ran([]Sample{{Kind: plain, Took: row.first, First: true}})
			for range 100 {
				c.Ran([]Sample{{Kind: plain, Took: row.others}})
			}
		}
		if got := c.Warmup(); got < row.want*99/100 || got > row.want*101/100 {
			t.Errorf("first traces take %v, others %v: a first one may take %v longer, want %v", row.first, row.others,
				got, row.want)
		}
	}
}

// TestLimit checks when a trace is set aside.
func TestLimit(t *testing.T) {
	cheap, few, slow := learned(1000), learned(3), New()
	for range 100 {
		slow.Ran([]Sample{{Kind: plain, Took: 300 * time.Millisecond}})
	}
	for _, row := range []struct {
		name  string
		costs *Costs
		price time.Duration
		hangs bool
		want  time.Duration
	}{
		{"usual", cheap, 0, false, leastLimit},
		{"a millisecond", cheap, time.Millisecond, false, mostLimit},
		{"dear", cheap, time.Second, false, dearLimit},
		{"at the beginning", few, 0, false, firstLimit},
		{"a slow library", slow, 0, false, 3 * time.Second},
		{"hangs", cheap, 0, true, knownHang},
	} {
		got := row.costs.Limit(row.price, row.hangs)
		if got < row.want*9/10 || got > row.want*11/10 {
			t.Errorf("%s: set aside after %v, want %v", row.name, got, row.want)
		}
	}
	lost := learned(1000)
	lost.Ran([]Sample{{Kind: plain, Took: leastLimit, Cut: true}})
	if got := lost.Limit(0, false); got > 2*hurriedLeast {
		t.Errorf("most of the time goes to traces that are set aside: %v", got)
	}
	if got := lost.Unhurried(0); got != leastLimit {
		t.Errorf("unhurried: set aside after %v, want %v", got, leastLimit)
	}
	for name, row := range map[string]struct{ longest, cuts, want time.Duration }{
		"a fifth of the time":                    {0, 1, hurried * 10 * time.Millisecond / 2},
		"nine tenths of the time":                {0, 36, tenfold * 10 * time.Millisecond},
		"nine tenths of the time, in three runs": {4 * time.Millisecond, 36, tenfold * 4 * time.Millisecond},
	} {
		c := New()
		for range 100 {
			c.Ran([]Sample{{Kind: plain, Took: 10 * time.Millisecond, Longest: row.longest}})
		}
		c.Ran([]Sample{{Kind: widest, Took: row.cuts * 250 * time.Millisecond, Cut: true}})
		if got := c.Limit(0, false); got < row.want*9/10 || got > row.want*11/10 {
			t.Errorf("%s goes to traces that are set aside: the next after %v, want %v", name, got, row.want)
		}
	}
	if !cheap.Expect().Hangs(5*time.Second) || slow.Expect().Hangs(5*time.Second) || few.Expect().Hangs(time.Hour) {
		t.Error("the wrong libraries are quick")
	}
	cheap.Ended(plain, time.Second)
	if got := cheap.Limit(0, false); got < 2*leastLimit {
		t.Errorf("after a trace that ended in the end: %v", got)
	}
}

// TestEnded checks that traces which were set aside and ended when they ran alone tell what is usual, too.
func TestEnded(t *testing.T) {
	c := New()
	for range firstTraces {
		c.Ended(plain, 20*time.Millisecond)
	}
	if usual := c.Usual().Round(time.Millisecond); usual != 20*time.Millisecond || c.Expect().Basis < Traces {
		t.Errorf("the usual time is %v, known from %d", usual, c.Expect().Basis)
	}
}
