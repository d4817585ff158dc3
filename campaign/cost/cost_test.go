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
		c.Ran([]Sample{{Kind: hanging, Took: 30 * time.Microsecond}, {Kind: hanging, Took: knownHang, Cut: true}})
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
			c.Ran([]Sample{{Kind: plain, Took: knownHang, Cut: true}})
			for range 9 {
				c.Ran([]Sample{{Kind: plain, Took: 30 * time.Microsecond}})
			}
		}
		for range row.ended {
			c.Ran([]Sample{{Kind: kind, Took: 30 * time.Microsecond}})
		}
		for range row.cut {
			c.Ran([]Sample{{Kind: kind, Took: knownHang, Cut: true}})
		}
		if got := c.Postpone(kind, time.Hour); got != row.want {
			t.Errorf("%d of %d are set aside: postponed %v", row.cut, row.cut+row.ended, got)
		}
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
	if !cheap.IsQuick(5*time.Second) || slow.IsQuick(5*time.Second) || few.IsQuick(time.Hour) {
		t.Error("the wrong libraries are quick")
	}
	cheap.Ended(plain, time.Second)
	if got := cheap.Limit(0, false); got < 2*leastLimit {
		t.Errorf("after a trace that ended in the end: %v", got)
	}
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
