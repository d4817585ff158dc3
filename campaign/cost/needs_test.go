package cost

import (
	"cmp"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
)

// TestUsualIfMostHang checks that traces which were set aside tell what is usual as long as few have ended.
func TestUsualIfMostHang(t *testing.T) {
	c := New()
	hang := Sample{Kind: plain, Took: 500 * time.Millisecond, Cut: true}
	for range 2 * firstTraces { // no solve ended
		c.Ran([]Sample{hang})
	}
	hang.Answered = 20 * time.Microsecond
	for i := range firstTraces {
		if known := c.Expect(); known.Basis > limit.Nothing {
			t.Errorf("after %d traces with answers, %v is usual", i, known.Usual)
		}
		c.Ran([]Sample{hang})
	}
	if known := c.Expect(); !known.Hangs(2*time.Millisecond) || known.Hangs(time.Millisecond) {
		t.Errorf("%v is usual", known.Usual)
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
	if quick.Expect().Basis > limit.Nothing || quick.Expect().Hangs(time.Hour) {
		t.Error("new costs know something")
	}
	quick.Tried(10 * time.Microsecond)
	known := quick.Expect()
	if known.Basis != limit.OneCall || !known.Hangs(time.Millisecond) || known.Hangs(time.Microsecond) {
		t.Errorf("after a quick call, %v is usual", known.Usual)
	}
	slow.Tried(2 * time.Second)
	if slow.Expect().Hangs(5 * time.Second) {
		t.Errorf("after a slow call, %v is usual", slow.Expect().Usual)
	}
	for range firstTraces {
		slow.Ran([]Sample{{Kind: plain, Took: time.Microsecond}})
	}
	if known := slow.Expect(); known.Basis < limit.Traces || !known.Hangs(time.Millisecond) {
		t.Errorf("after other traces, %v is usual", known.Usual)
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

// TestEnded checks that traces which were set aside and ended when they ran alone tell what is usual, too.
func TestEnded(t *testing.T) {
	c := New()
	for range firstTraces {
		c.Ended(plain, 20*time.Millisecond)
	}
	if usual := c.Usual().Round(time.Millisecond); usual != 20*time.Millisecond || c.Expect().Basis < limit.Traces {
		t.Errorf("the usual time is %v, known from %d", usual, c.Expect().Basis)
	}
}

// TestNeeds checks what is known of a target that loses time to traces that are set aside. A limit holds for each run
// of a program, of which a trace may have several.
func TestNeeds(t *testing.T) {
	for _, longest := range []time.Duration{0, 4 * time.Millisecond} {
		c := New()
		for range 100 {
			c.Ran([]Sample{{Kind: plain, Took: 10 * time.Millisecond, Longest: longest}})
		}
		c.Ran([]Sample{{Kind: widest, Took: 250 * time.Millisecond, Cut: true}})
		want := cmp.Or(longest, 10*time.Millisecond)
		n := c.NeedsOf(20 * time.Millisecond)
		all, kind := n.All.Round(time.Millisecond), n.Kind.Round(time.Millisecond)
		if all != want || kind != 2*want || n.Lost < 0.19 || n.Lost > 0.21 {
			t.Errorf("the longest run takes %v: %+v", longest, n)
		}
		if c.Ended(plain, time.Second); c.NeedsOf(0).Patience != 1 {
			t.Error("a trace that was set aside ended, and patience does not grow")
		}
	}
}
