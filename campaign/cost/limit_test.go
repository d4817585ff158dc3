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
		if limit := c.Limit(0, true); limit != firstLimit || c.IsQuick(time.Second) {
			t.Errorf("after %d traces with answers, the limit is %v, quick: %v", i, limit, c.IsQuick(time.Second))
		}
		c.Ran([]Sample{hang})
	}
	if limit := c.Limit(0, true); limit != knownHang || !c.IsQuick(2*time.Millisecond) || c.IsQuick(time.Millisecond) {
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
	if !quick.IsSilent() || quick.IsQuick(time.Hour) {
		t.Error("new costs know something")
	}
	quick.Tried(10 * time.Microsecond)
	if quick.IsSilent() || !quick.IsNew() || !quick.IsQuick(time.Millisecond) || quick.IsQuick(time.Microsecond) ||
		quick.Limit(0, true) != firstLimit {
		t.Errorf("a quick call: the limit is %v", quick.Limit(0, true))
	}
	slow.Tried(2 * time.Second)
	if slow.IsQuick(5*time.Second) || slow.Limit(0, true) != 20*time.Second {
		t.Errorf("a slow call: the limit is %v", slow.Limit(0, true))
	}
	for range firstTraces {
		slow.Ran([]Sample{{Kind: plain, Took: time.Microsecond}})
	}
	if slow.IsNew() || !slow.IsQuick(time.Millisecond) || slow.Limit(0, false) != leastLimit {
		t.Errorf("after other traces, the limit is %v", slow.Limit(0, false))
	}
}
