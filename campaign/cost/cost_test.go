package cost

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/gen/feature"
	"github.com/ipafuzz/ipafuzz/trace"
)

var (
	plain  = Kind{Profile: "tiny/1", Calls: 40, Largest: 9}
	gaps   = Kind{Profile: "tiny/1", Calls: 40, Largest: 3000, Features: 1 << feature.Gaps}
	widest = Kind{Profile: "tiny/1", Calls: 40, Largest: 1 << 31, Features: 1 << feature.MaxVariable}
)

// learned returns costs after n plain traces of 30 µs and some with gaps, 23 times slower.
func learned(n int) *Costs {
	c := New()
	for i := range n {
		samples := []Sample{{Kind: plain, Took: 30 * time.Microsecond}}
		if i%25 == 24 {
			samples = append(samples, Sample{Kind: gaps, Took: 700 * time.Microsecond})
		}
		c.Ran(samples)
	}
	return c
}

// TestUsualOfAll checks that the usual time is that of traces that ended, and that a single one does not
// decide it.
func TestUsualOfAll(t *testing.T) {
	c := learned(1000)
	most := func(k Kind) time.Duration { return c.UsualOfAll([]Kind{plain, k}) }
	within := func(what string, got, want time.Duration) {
		t.Helper()
		if got < want/2 || got > want*2 {
			t.Errorf("%s: %v, want about %v", what, got, want)
		}
	}
	within("slower", most(gaps), 700*time.Microsecond)
	hanging := Kind{Profile: "deep/1"}
	for range 50 {
		c.Ran([]Sample{{Kind: hanging, Took: time.Second, Cut: true}})
	}
	within("all traces were cut", most(hanging), 30*time.Microsecond)
	rare := Kind{Profile: "wide/1"}
	within("never seen", most(rare), 30*time.Microsecond)
	c.Ran([]Sample{{Kind: rare, Took: time.Second}})
	within("one slow trace", most(rare), 250*time.Microsecond)
	for range 50 {
		c.Ran([]Sample{{Kind: rare, Took: time.Second}, {Kind: rare, Took: time.Minute, Cut: true}})
	}
	within("slow traces, half of them cut", most(rare), 450*time.Millisecond)
}

// TestMemoryCosts checks that traces that fill the memory are expensive although they take no longer than
// others, and that traces with little memory are not.
func TestMemoryCosts(t *testing.T) {
	for _, row := range []struct {
		grew uint64 // KiB
		want bool
	}{{32 << 10, false}, {1 << 20, true}} {
		c, options := learned(1000), Kind{Profile: "tiny/1", Calls: 40, Largest: 9, Features: 1 << feature.Options}
		c.Ran([]Sample{{Kind: options, Took: 30 * time.Microsecond, Grew: row.grew}})
		if got := c.Postpone(options, 0); got != row.want {
			t.Errorf("a trace that needs %d KiB is postponed: %v", row.grew, got)
		}
	}
}

// TestDearFamilies checks that traces of an expensive family wait, and others of its profile do not.
func TestDearFamilies(t *testing.T) {
	quick, dear := Kind{Profile: "tiny/1", Family: "tiny"}, Kind{Profile: "tiny/1", Family: "hard"}
	c := New()
	for range 100 {
		c.Ran([]Sample{{Kind: quick, Took: time.Millisecond}})
	}
	c.Ran([]Sample{{Kind: dear, Took: time.Second}})
	if c.Postpone(quick, 0) || !c.Postpone(dear, 0) {
		t.Error("the traces of the expensive family must wait, and the others must not")
	}
}

// TestHeavyWeights checks that the cost of a trace is learned from its largest weight.
func TestHeavyWeights(t *testing.T) {
	light, heavy := Kind{Profile: "tiny/1", Heaviest: 9}, Kind{Profile: "tiny/1", Heaviest: 1 << 30}
	c := New()
	for range 100 {
		c.Ran([]Sample{{Kind: light, Took: time.Millisecond}})
	}
	c.Ran([]Sample{{Kind: heavy, Took: time.Second}})
	if c.Postpone(light, 0) || !c.Postpone(heavy, 0) {
		t.Error("the heavy trace must wait, and the light one must not")
	}
}

func TestExtremes(t *testing.T) {
	tr, err := trace.ParseString("ipafuzz 1 ipamir\nsoft 3 17\nassume 3\nassume 4\nsoft 4 123456789012345\nassume 5\n" +
		"solve\nassume 1\nassume 2\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	var k Kind
	if k.Extremes(tr); k.Heaviest != 123456789012345 || k.Assumed != 3 {
		t.Errorf("the heaviest weight is %d, the most assumptions are %d", k.Heaviest, k.Assumed)
	}
	if tr, err = trace.ParseString("ipafuzz 1 wcnf\nsoft 3 1 2 0\nsoft 17 0\nsoft 5 1 0\nsolve\n"); err != nil {
		t.Fatal(err)
	}
	if k.Extremes(tr); k.Heaviest != 17 || k.Assumed != 0 {
		t.Errorf("the heaviest weight of a file is %d, the most assumptions are %d", k.Heaviest, k.Assumed)
	}
}

// TestLargerTraces checks that traces of larger profiles get their share of the time, including the time
// for generating them, and more once they have found something.
func TestLargerTraces(t *testing.T) {
	larger := Kind{Profile: "wide/1", Extra: Extra{"wide", 1}}
	shareOf := func(c *Costs) float64 {
		var all, spent time.Duration
		for i := range 20_000 {
			if i%10 != 0 || c.PostponeExtra(larger.Extra) {
				c.Ran([]Sample{{Kind: plain, Took: 50 * time.Microsecond}})
				all += 50 * time.Microsecond
				continue
			}
			c.SpentOnExtra(larger.Extra, 200*time.Microsecond)
			c.Ran([]Sample{{Kind: larger, Took: 300 * time.Microsecond}})
			spent += 500 * time.Microsecond
		}
		return spent.Seconds() / (all + spent).Seconds()
	}
	if got := shareOf(New()); got < Share-0.02 || got > Share+0.02 {
		t.Errorf("larger traces got %.3f of the time", got)
	}
	proven := New()
	proven.Found(larger)
	if got := shareOf(proven); got < provenShare-0.03 || got > provenShare+0.03 {
		t.Errorf("larger traces got %.3f of the time after one found something", got)
	}
}

// TestParts: a larger profile with long traces takes no time from another one, and neither waits for the expensive
// traces of the lane.
func TestParts(t *testing.T) {
	quick := Kind{Profile: "wide/1", Extra: Extra{"wide", 0.5}}
	long := Kind{Profile: "search/1", Extra: Extra{"search", 0.5}}
	dear := Kind{Profile: "tiny/1", Largest: 1 << 22}
	c, spent, total := New(), make(map[string]time.Duration), time.Duration(0)
	run := func(k Kind, took time.Duration) {
		c.Ran([]Sample{{Kind: k, Took: took}})
		spent[k.Profile] += took
		total += took
	}
	for range 20_000 {
		for range 20 {
			run(plain, 50*time.Microsecond)
		}
		if !c.Postpone(dear, time.Hour) {
			run(dear, 2*time.Millisecond)
		}
		for _, k := range []Kind{quick, long} {
			if c.PostponeExtra(k.Extra) || c.Postpone(k, time.Hour) {
				continue
			}
			took := 200 * time.Microsecond
			if k == long {
				took = 20 * time.Millisecond
			}
			run(k, took)
		}
	}
	for _, k := range []Kind{quick, long} {
		if got := spent[k.Profile].Seconds() / total.Seconds(); got < Share/2-0.015 || got > Share/2+0.015 {
			t.Errorf("%s got %.3f of the time", k.Profile, got)
		}
	}
}

// TestLargeVariablesOfExtraProfiles: traces of an extra profile with large variables wait until the search is quiet.
func TestLargeVariablesOfExtraProfiles(t *testing.T) {
	c, wide := New(), Kind{Profile: "wide/1", Extra: Extra{"wide", 1}, Largest: 1<<31 - 1}
	for range 1000 {
		c.Ran([]Sample{{Kind: plain, Took: 10 * time.Millisecond}})
	}
	if !c.Postpone(wide, 0) {
		t.Error("a trace of an extra profile with a large variable runs at once")
	}
	if c.Postpone(wide, time.Hour) {
		t.Error("it does not run once the search is quiet")
	}
}

func TestLargestVariable(t *testing.T) {
	tr, err := trace.ParseString("ipafuzz 1 ipasir\nadd 3 -2147483647 0\nassume 7\nsolve\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := LargestVariable(tr); got != 1<<31-1 {
		t.Errorf("%d", got)
	}
}
