package cost

import (
	"testing"
	"time"
)

// TestTooWide checks that traces with variables for which the memory does not suffice never run, and that
// others do.
func TestTooWide(t *testing.T) {
	c := New()
	for range expensive {
		c.Ran([]Sample{{Kind: Kind{Largest: 1 << 22}, Took: time.Millisecond}})
	}
	c.TooWide(1 << 21)
	for largest, want := range map[uint32]bool{1 << 20: false, 1 << 21: false, 1<<21 + 1: true} {
		if got := c.Postpone(Kind{Largest: largest}, time.Hour); got != want {
			t.Errorf("largest variable %d: postponed %v", largest, got)
		}
	}
}

// TestPostpone checks which traces wait for cheaper ones.
func TestPostpone(t *testing.T) {
	c := learned(1000)
	for _, row := range []struct {
		name  string
		kind  Kind
		quiet time.Duration
		want  bool
	}{
		{"usual", plain, 0, false},
		{"slower", gaps, 0, true},
		{"slower, but more than its share of the time", gaps, time.Hour, true},
		{"never seen, and large", widest, 0, true},
		{"never seen, and too large for the time so far", widest, time.Hour, true},
	} {
		if got := c.Postpone(row.kind, row.quiet); got != row.want {
			t.Errorf("%s: postponed %v", row.name, got)
		}
	}
	for range 20_000 { // half a second
		c.Ran([]Sample{{Kind: plain, Took: 30 * time.Microsecond}})
	}
	if c.Postpone(gaps, Quiet) {
		t.Error("traces with gaps never run")
	}
	if !c.Postpone(gaps, Quiet-1) {
		t.Error("traces with gaps run while others find something")
	}
	c.Found(gaps)
	if c.Postpone(gaps, 0) {
		t.Error("traces with gaps found something, and must wait")
	}
}

// TestShareOfExpensive checks that expensive traces get at most their share of the time.
func TestShareOfExpensive(t *testing.T) {
	c := learned(1000)
	var all, dear time.Duration
	for i := range 100_000 {
		s := Sample{Kind: plain, Took: 30 * time.Microsecond}
		if i%10 == 0 {
			s = Sample{Kind: gaps, Took: 700 * time.Microsecond}
			if c.Postpone(gaps, time.Minute) {
				continue
			}
			dear += s.Took
		}
		all += s.Took
		c.Ran([]Sample{s})
	}
	if got := dear.Seconds() / all.Seconds(); got < 0.05 || got > Share+0.01 {
		t.Errorf("expensive traces got %.3f of the time", got)
	}
}

// TestNotAllExpensive checks that traces of a kind are not expensive if all traces are of that kind, however many of
// them are set aside.
func TestNotAllExpensive(t *testing.T) {
	c := learned(20)
	for range 10 {
		c.Ran([]Sample{{Kind: plain, Took: 200 * time.Millisecond, Cut: true}})
	}
	if c.Postpone(plain, 0) {
		t.Error("the search stands still")
	}
}

// TestSetAsideOften checks that the traces of a kind that is set aside far more often than the others wait while such
// traces take much of the time, and run again later.
func TestSetAsideOften(t *testing.T) {
	c, hanging := learned(100), Kind{Profile: "tiny/1", Calls: 40, Largest: 9, Heaviest: 1 << 18}
	for range leastSetAside {
		if c.Postpone(hanging, 0) {
			t.Fatal("postponed before it was known to hang")
		}
		c.Ran([]Sample{{Kind: hanging, Took: 30 * time.Microsecond}, {Kind: hanging, Took: 2 * time.Millisecond, Cut: true}})
	}
	if !c.Postpone(hanging, time.Hour) {
		t.Error("traces that hang go on")
	}
	if c.Postpone(plain, 0) {
		t.Error("the other traces wait, too")
	}
	waited := 0
	for c.Postpone(hanging, 0) && waited <= mostInARow {
		waited++
	}
	if waited != mostInARow {
		t.Errorf("%d traces waited in a row", waited)
	}
	for range 20_000 {
		c.Ran([]Sample{{Kind: plain, Took: 30 * time.Microsecond}})
	}
	if c.Postpone(hanging, Quiet) {
		t.Error("traces that hang never run again")
	}
}

// TestSetAsideByChance checks that a kind does not wait because slightly more of its few traces hang than of the
// others.
func TestSetAsideByChance(t *testing.T) {
	for _, row := range []struct {
		ended, cut int // of the kind; one in ten of the others is set aside
		want       bool
	}{{1, 1, false}, {2, 2, true}, {8, 2, false}, {16, 4, false}, {30, 10, true}, {300, 60, false}} {
		c, kind := New(), Kind{Profile: "deep/1"}
		for range 1000 {
			c.Ran([]Sample{{Kind: plain, Took: 2 * time.Millisecond, Cut: true}})
			for range 9 {
				c.Ran([]Sample{{Kind: plain, Took: 30 * time.Microsecond}})
			}
		}
		for range row.ended {
			c.Ran([]Sample{{Kind: kind, Took: 30 * time.Microsecond}})
		}
		for range row.cut {
			c.Ran([]Sample{{Kind: kind, Took: 2 * time.Millisecond, Cut: true}})
		}
		if got := c.Postpone(kind, time.Hour); got != row.want {
			t.Errorf("%d of %d are set aside: postponed %v", row.cut, row.cut+row.ended, got)
		}
	}
}

// TestPostponePoor checks that a profile that finds less in its time runs less often, but not too seldom,
// and not if dropping its traces would save nothing.
func TestPostponePoor(t *testing.T) {
	rich, poor := Kind{Profile: "tiny/1"}, Kind{Profile: "small/1"}
	ran := func(took time.Duration, news int) *Costs {
		c := New()
		for range 10_000 {
			c.Ran([]Sample{{Kind: rich, Took: took}, {Kind: poor, Took: took}})
		}
		for range news {
			c.Found(rich)
		}
		return c
	}
	for _, row := range []struct {
		name       string
		took       time.Duration
		news, poor int // of 1000 poor traces, the number that run
	}{
		{"nothing was found", time.Millisecond, 0, 1000},
		{"one finding decides little", time.Millisecond, 1, 916},
		{"several findings", time.Millisecond, 20, 250},
		{"fast traces", 20 * time.Microsecond, 20, 1000},
	} {
		c, run := ran(row.took, row.news), 0
		for range 1000 {
			if c.Postpone(rich, 0) {
				t.Fatalf("%s: the profile that finds more was postponed", row.name)
			}
			if !c.Postpone(poor, 0) {
				run++
			}
		}
		if run != row.poor {
			t.Errorf("%s: %d of 1000 traces run, want %d", row.name, run, row.poor)
		}
	}
	c, run := ran(time.Millisecond, 20), 0
	c.FollowedUp(rich, 200*time.Second)
	for range 1000 {
		if !c.Postpone(poor, 0) {
			run++
		}
	}
	if run != 880 {
		t.Errorf("after follow-ups of 200 s on the profile that finds more, %d of 1000 traces run", run)
	}
}
