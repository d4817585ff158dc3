package cost

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/gen/feature"
)

// TestUses checks what is told of the kinds of traces, and which of them are to blame if a trace waits.
func TestUses(t *testing.T) {
	const ms = time.Millisecond
	const cut, followed = 300 * ms, 103 * ms
	c := New()
	usual := Kind{Profile: "tiny/1", Family: "tiny", Calls: 20, Largest: 5}
	wide := Kind{Profile: "tiny/1", Family: "tiny", Calls: 20, Largest: 1<<31 - 1,
		Features: 1 << feature.Gaps}
	for range 97 {
		c.Ran([]Sample{{Kind: usual, Took: ms}})
	}
	for range 3 {
		c.Ran([]Sample{{Kind: wide, Took: 100 * ms, Cut: true}})
	}
	c.Found(wide)
	c.FollowedUp(wide, 103*ms)
	c.FollowedUp(Kind{}, 0) // such as a check of the exit
	c.Confirmed(usual)
	c.Ended(usual, ms)
	if c.Postpone(usual, 0) || !c.Postpone(wide, 0) || !c.Postpone(wide, 0) {
		t.Error("the wrong traces wait")
	}
	rows := make(map[string]stats.KindUse)
	for _, k := range stats.JoinKinds(c.Uses("lib")) {
		if k.Target != "lib" || k.Traces == 0 {
			t.Errorf("%+v", k)
		}
		rows[k.By+" "+k.Kind] = k
	}
	for name, want := range map[string]stats.KindUse{
		" ": {Traces: 100, SetAside: 3, PutOff: 2, Library: 97*ms + cut, FollowUps: followed, News: 1,
			Findings: 1},
		"profile tiny/1": {Traces: 100, SetAside: 3, Library: 97*ms + cut, FollowUps: followed, News: 1,
			Findings: 1},
		"largest variable 2^27 or more": {Traces: 3, SetAside: 3, PutOff: 2, Library: cut, FollowUps: followed, News: 1,
			Why: oftenCut},
		"largest variable 0 to 7": {Traces: 97, Library: 97 * ms, Findings: 1},
		"feature gaps": {Traces: 3, SetAside: 3, PutOff: 2, Library: cut, FollowUps: followed, News: 1,
			Why: oftenCut},
	} {
		got := rows[name]
		if got.Library.Round(ms) != want.Library || got.FollowUps != want.FollowUps {
			t.Errorf("%s: library %v, follow-ups %v, want %v, %v", name, got.Library, got.FollowUps, want.Library,
				want.FollowUps)
		}
		got.Target, got.By, got.Kind, got.TimeShare, got.Library, got.FollowUps = "", "", "", 0, 0, 0
		want.Library, want.FollowUps = 0, 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if share := rows["largest variable 2^27 or more"].TimeShare; share < 0.8 || share > 0.81 {
		t.Errorf("large variables take %v of the time", share)
	}
}

// TestWhyPutOff checks the reasons, and the kinds that have them.
func TestWhyPutOff(t *testing.T) {
	usual := Kind{Profile: "tiny/1", Calls: 20}
	for name, row := range map[string]struct {
		kind  Kind
		teach func(c *Costs)
		quiet time.Duration
		by    string
		why   string
	}{
		"presumed": {Kind{Profile: "tiny/1", Largest: 1 << 30}, func(*Costs) {}, 0, "largest variable", waitsFor},
		"too wide": {Kind{Profile: "tiny/1", Largest: 1 << 30}, func(c *Costs) { c.TooWide(1000) }, 0,
			"largest variable", tooWide},
		"had a share": {Kind{Profile: "slow/1"}, func(c *Costs) {}, time.Hour, "profile", hadShare},
		"waits":       {Kind{Profile: "slow/1"}, func(c *Costs) {}, 0, "profile", waitsFor},
		"poor": {Kind{Profile: "poor/1"}, func(c *Costs) {
			for range 50 {
				c.Found(usual)
			}
		}, 0, "profile", poorYield},
	} {
		c := New()
		for range 1000 {
			c.Ran([]Sample{{Kind: usual, Took: 100 * time.Microsecond}})
		}
		c.Ran([]Sample{{Kind: Kind{Profile: "slow/1", Calls: 20}, Took: time.Second}})
		for range 20 {
			c.Ran([]Sample{{Kind: Kind{Profile: "poor/1", Calls: 20}, Took: 300 * time.Microsecond}})
		}
		c.FollowedUp(Kind{Profile: "poor/1", Calls: 20}, 20*time.Second)
		row.teach(c)
		row.kind.Calls = 20
		if !c.Postpone(row.kind, row.quiet) {
			t.Errorf("%s: it does not wait", name)
		}
		n := 0
		for _, k := range c.Uses("lib") {
			if k.Why != "" {
				n++
				if k.By != row.by || k.Why != row.why || k.PutOff != 1 {
					t.Errorf("%s: %+v", name, k)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d kinds are to blame", name, n)
		}
	}
}

// TestClassText checks the limits of the classes.
func TestClassText(t *testing.T) {
	for _, row := range []struct {
		number uint64
		want   string
	}{
		{0, "0 to 7"}, {7, "0 to 7"}, {8, "8 to 127"}, {127, "8 to 127"}, {128, "128 to 2047"}, {1 << 11, "2^11 to 2^15"},
		{1<<15 - 1, "2^11 to 2^15"}, {1 << 62, "2^59 to 2^63"}, {1 << 63, "2^63 or more"},
	} {
		if got := classText(classOfWeight(row.number), weightClasses-1); got != row.want {
			t.Errorf("%d: %s, want %s", row.number, got, row.want)
		}
	}
	if got := classText(classOf(uint32(1<<27)), classes-1); got != "2^27 or more" {
		t.Error(got)
	}
}
