package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHang checks that no answer within ten times the limit is a finding, without rivals,
// if the problem is easy for the reference library.
func TestHang(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	t.Parallel()
	config := testConfig(t, "ref:defect=complementary-loop", "ipamir")
	config.Limits.CPU, config.Traces, config.Findings = 100*time.Millisecond, 2000, 1
	summary := runCampaign(t, context.Background(), config)
	if len(summary.Found) != 1 {
		t.Fatalf("%d findings, want 1; unconfirmed %+v", len(summary.Found), summary.Unconfirmed)
	}
	f := summary.Found[0]
	if f.Class != oracle.TooSlow || !strings.Contains(f.Observed, "no answer in solve within 1s") ||
		!strings.Contains(f.Known, "built-in reference library") || f.Run.End != trace.OutOfCPU {
		t.Errorf("%s ended by %v: observed %s, known by %s", f.Key, f.Run.End, f.Observed, f.Known)
	}
	if last := f.Minimal.Calls[len(f.Minimal.Calls)-1]; last.Op != apimodel.OpSolve {
		t.Errorf("the trace goes on after the call that hangs:\n%s", f.Minimal)
	}
	if f.Cause() != "both-polarities" {
		t.Errorf("cause %q", f.Cause())
	}
	if !f.IsMinimal || f.NotMinimal != "" || len(f.Minimal.Calls) > 4 || f.Tests == 0 {
		t.Errorf("after %d tests (%v), %q:\n%s", f.Tests, f.Reducing, f.NotMinimal, f.Minimal)
	}
}

// TestHangKeptAtTheEnd checks that a confirmed hang stays a finding if the campaign ends
// during its reduction.
func TestHangKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=complementary-loop", "ipamir")
	config.Limits.CPU, config.Out = 100*time.Millisecond, t.TempDir()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.store.Close()
	f := c.newFollower(0)
	x := hangingTrace(t, c, "ipamir", "hard 1 2 0\nsoft 1 3\nsoft -1 3\nsolve\nsolve\n", 3, "in solve")
	defer f.group.Close()
	f.job = new(pace.Job)
	h, found := f.newHang(x), x.found
	h.Small = false
	if confirmed, err := f.confirmLong(t.Context(), h, x); err != nil || !confirmed {
		t.Fatalf("not confirmed: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if confirmed, err := f.reduceHang(ended, h, x); !confirmed || err != nil || found.NotMinimal != store.RunEnded ||
		len(found.Minimal.Calls) != 4 {
		t.Errorf("%v, %q:\n%s", err, found.NotMinimal, found.Minimal)
	}
}

// hangingTrace returns a trace that a lane has seen hang in the given call.
func hangingTrace(t *testing.T, c *Campaign, model, calls string, call int, detail string) *failure {
	found := &store.Finding{Target: c.target(0).Name, Minimal: testtrace.Parse(t, "ipafuzz 1 "+model+"\n"+calls)}
	found.Finding = oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: detail, Weight: oracle.SmallWeights,
		Call: call}
	found.Original, found.Key = found.Minimal, found.Finding.Key(found.Target)
	return &failure{found: found}
}

// TestHangYields: the search comes before the follow-up of a trace that may hang, unless that takes only seconds.
func TestHangYields(t *testing.T) {
	c := newCampaign(t, testConfig(t, "ref", "ipamir"))
	f := c.newFollower(0)
	defer f.group.Close()
	x := hangingTrace(t, c, "ipamir", "solve\n", 0, "in solve")
	ran := func(took time.Duration) {
		for range 50 {
			c.costs[0].Ran([]cost.Sample{{Took: took}})
		}
	}
	for _, row := range []struct {
		took          time.Duration // by the last traces; 0: none has run
		quick, yields bool
	}{{0, false, false}, {time.Second, false, true}, {time.Microsecond, true, false}} {
		if row.took > 0 {
			ran(row.took)
		}
		h := f.newHang(x)
		for _, limits := range []replay.Limits{h.First(), h.Shorter(), h.Longer()} {
			if h.Quick != row.quick || limits.Yields != row.yields {
				t.Errorf("%+v: quick %t, yields %t", row, h.Quick, limits.Yields)
			}
		}
	}
	for _, slow := range []bool{true, false} {
		job := &followUp{Job: pace.Job{Slow: slow}, do: func(_ context.Context, f *follower) error {
			if yields := f.group.Session("ref").Limits().Yields; yields != slow {
				t.Errorf("slow %t: a follow-up yields: %t", slow, yields)
			}
			return nil
		}}
		c.followUps.ctx = t.Context()
		if err := c.followUps.run(job); err != nil {
			t.Fatal(err)
		}
	}
	c.followUps.wait()
}

// TestVersionsHurry: in a target that hangs in some traces, versions of other failures have less time.
func TestVersionsHurry(t *testing.T) {
	c := newCampaign(t, testConfig(t, "ref", "ipamir"))
	f := c.newFollower(0)
	defer f.group.Close()
	found := &store.Finding{Target: "ref"}
	if least := f.leastCPU(found); least != trial.LeastCPU {
		t.Errorf("no hang is known: %v", least)
	}
	c.registry.Wants(hangingTrace(t, c, "ipamir", "solve\n", 0, "in solve").found.Key, true)
	if least := f.leastCPU(found); least != trial.HangingCPU {
		t.Errorf("a hang is known: %v", least)
	}
}

// TestHangThatEnds checks what a trace is that met a short time limit, and gives no answer with more time, but dies or
// fills the memory: a hang only if that happens beyond the limit of the user.
func TestHangThatEnds(t *testing.T) {
	t.Parallel()
	const long = 10 * time.Minute // filling the memory takes minutes on a busy machine
	for _, row := range []struct {
		target, calls string
		call          int
		detail        string
		cpu           time.Duration // the limit
		want          oracle.Class
	}{
		{"ref:defect=memory-blow-up", "hard 1 2 0\nassume 1\nassume 1\nsolve\n", 2, "in assume", 100 * time.Millisecond,
			oracle.TooSlow},
		{buildLibrary(t, "stumbler.c"), "solve\nsolve\n", 0, "in solve", 500 * time.Millisecond, oracle.Abort},
		{"ref:defect=memory-blow-up", "hard 1 2 0\nassume 1\nassume 1\nsolve\n", 2, "in assume", long,
			oracle.TooMuchMemory},
		{"ref:burden=memory", strings.TrimPrefix(heavyTrace, "ipafuzz 1 ipamir\n"), 10, "in solve", long,
			oracle.Abort},
	} {
		model := "ipamir"
		if strings.HasSuffix(row.target, ".so") {
			model = "ipasir"
		}
		config := testConfig(t, row.target, model)
		config.Limits.CPU, config.Limits.Wall, config.Limits.Memory = row.cpu, long, 4<<30
		c, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		f, x := c.newFollower(0), hangingTrace(t, c, model, row.calls, row.call, row.detail)
		h := f.newHang(x)
		h.Small, h.Limits.Yields = false, false
		v, err := h.Confirm(t.Context(), x.found.Minimal, x.found.Finding)
		f.group.Close()
		got := v.Finding.Class
		if v.Why != "" && len(v.Others) > 0 {
			got = v.Others[0].Class
		}
		if err != nil || got != row.want {
			t.Errorf("%s with %v: %q, %v; %v %s", row.target, row.cpu, v.Why, err, v.Others, v.Finding.Observed)
		}
	}
}

// TestKnownHangHidesNothing checks that a trace that seems to have a known hang, but fails otherwise some time later,
// shows that failure.
func TestKnownHangHidesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for slow solves: some seconds")
	}
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "stumbler.c"), "ipasir")
	config.Limits.CPU, config.Limits.Wall = time.Minute, time.Minute
	c := newCampaign(t, config, unreduced)
	for range 10 { // so that the sample has two seconds
		c.costs[0].Ran([]cost.Sample{{Took: 100 * time.Millisecond}})
	}
	l, err := c.newLane(t.Context(), 0, streamSize(config.Way))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	x := hangingTrace(t, c, "ipasir", "solve\nsolve\n", 0, "in solve")
	c.hangs.free = time.Minute
	l.judged = new(trace.Run)
	hang, from := *x.found, source.Origin{Stream: c.book.Cells[0].Stream}
	c.registry.Wants(hang.Key, true)
	l.report(0, x.found.Original, x.found.Finding, from, 0)
	if _, waiting := c.followUps.waits(); waiting > 0 {
		t.Error("a sample delays the hang that is being confirmed")
	}
	c.registry.Settled(hang.Key, true)
	c.registry.Restore(&hang) // from now on, it is known
	l.report(0, x.found.Original, x.found.Finding, from, 0)
	c.followUps.begin(t.Context())
	c.followUps.wait()
	found := c.summary().Found
	aborts := func(f *store.Finding) bool { return f.Class == oracle.Abort }
	if len(found) != 2 || !slices.ContainsFunc(found, aborts) {
		t.Errorf("found %+v", found)
	}
}

// TestSlowIsNoHang checks that a trace that the search sets aside is not a failure if it ends within the
// user's limit, as slowly as before. A trace that now ends at once, or beyond the limit, is an unconfirmed
// failure.
func TestSlowIsNoHang(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for slow solves: some seconds")
	}
	t.Parallel()
	library := buildLibrary(t, "sleeper.c")
	for _, row := range []struct {
		limit, short time.Duration
		why          string
	}{
		{30 * time.Second, time.Second, ""},
		{30 * time.Second, 20 * time.Second, "it met a time limit, and ended after 1."},
		{400 * time.Millisecond, time.Second, "but ended within 4s"},
	} {
		config := testConfig(t, library, "ipasir")
		config.Limits.CPU, config.Limits.Wall = row.limit, row.limit
		c, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		f, x := c.newFollower(0), hangingTrace(t, c, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
		h := f.newHang(x)
		h.Short = row.short
		if err := f.hangs(t.Context(), h, x); err != nil {
			t.Fatal(err)
		}
		f.group.Close()
		var why []string
		for _, u := range c.summary().Unconfirmed {
			why = append(why, u.Why)
		}
		if got := strings.Join(why, "; "); !strings.Contains(got, row.why) || (got == "") != (row.why == "") {
			t.Errorf("limit %v, set aside after %v: unconfirmed because %q, want %q", row.limit, row.short, got, row.why)
		}
	}
}

func TestReferenceTime(t *testing.T) {
	parse := func(text string) *trace.Trace {
		tr, err := trace.ParseString("ipafuzz 1 ipasir\n" + text)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	easy := parse("terminate 1\nadd 1 2 0\nsolve\n")
	if took, why, err := trial.ReferenceTime(context.Background(), easy, 20*time.Second); err != nil || why != "" ||
		took <= 0 {
		t.Errorf("an easy trace: %v, %q, %v", took, why, err)
	}
	if took, why, err := trial.ReferenceTime(context.Background(), easy, 100*time.Nanosecond); err != nil ||
		!strings.Contains(why, "more than a thousandth") {
		t.Errorf("a limit that the reference library cannot be a thousandth of: %v, %q, %v", took, why, err)
	}
	steered := parse("option a b\nlearn 3\nterminate 1\nadd 1 2 0\nhavoc 7\nsolve\nval 1\n")
	if got := trial.WithoutSteering(steered).String(); got != "ipafuzz 1 ipasir\nadd 1 2 0\nsolve\nval 1\n" {
		t.Errorf("without steering:\n%s", got)
	}
}

// TestSlowBesideOthers checks that a target that is slow beside two rivals is found.
func TestSlowBesideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for slow targets: many seconds")
	}
	sleeper := buildLibrary(t, "sleeper.c")
	config := comparedConfig(t, "ipasir", "ref", "ref:defect=none", sleeper)
	config.Traces = 1
	found := findingOf(t, config, oracle.TooSlow, "resources")
	if found == nil || found.Target != sleeper || found.Check != "resources" ||
		!strings.Contains(found.Known, "the median of the 2 other targets") {
		t.Errorf("found %+v", found)
	}
}

// TestLargeBesideOthers is TestSlowBesideOthers for memory.
func TestLargeBesideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	hoarder := buildLibrary(t, "hoarder.c")
	config := comparedConfig(t, "ipasir", "ref", "ref:defect=none", hoarder)
	config.Traces, config.Limits.Memory = 8, 2<<30
	found := findingOf(t, config, oracle.TooMuchMemory, "resources")
	if found == nil || found.Target != hoarder || found.Check != "resources" {
		t.Errorf("found %+v", found)
	}
}

func findingOf(t *testing.T, config Config, class oracle.Class, check string) *store.Finding {
	t.Helper()
	for _, f := range runCampaign(t, context.Background(), config, unsearched, unreduced).Found {
		if f.Class == class && f.Check == check {
			return f
		}
	}
	return nil
}

// TestInstancesAlone checks that undecided answers are compared with those of the instance
// alone.
func TestInstancesAlone(t *testing.T) {
	t.Parallel()
	config := testConfig(t, buildLibrary(t, "mixer.c"), "ipasir")
	config.Traces = 1000
	config.Cells[0].Generate.Without = []string{"contradictory-assumptions", "empty-clause"}
	found := findingOf(t, config, oracle.InstancesMix, "alone")
	if found == nil || found.Check != "alone" || !strings.Contains(found.Detail, "with other instances only: status") {
		t.Fatalf("found %+v", found)
	}
	if found.Minimal.Instances() < 2 || len(found.Run.Answers.Of) == 0 {
		t.Errorf("the trace has %d instances, and its run %d answers", found.Minimal.Instances(), len(found.Run.Answers.Of))
	}
}
