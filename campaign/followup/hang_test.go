package followup

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/campaign/testlineup"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestHangKeptAtTheEnd checks that a confirmed hang stays a finding if the campaign ends
// during its reduction.
func TestHangKeptAtTheEnd(t *testing.T) {
	t.Parallel()
	limits := testlineup.Limits
	limits.CPU = 100 * time.Millisecond
	u := newFollowUps(t, "ref:defect=complementary-loop", "ipamir", limits)
	f := openFollower(t, u)
	x := hangingTrace(t, u, "ipamir", "hard 1 2 0\nsoft 1 3\nsoft -1 3\nsolve\nsolve\n", 3, "in solve")
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

// TestHangYields: the search comes before the follow-up of a trace that may hang, unless that takes only seconds.
func TestHangYields(t *testing.T) {
	u := newFollowUps(t, "ref", "ipamir", testlineup.Limits)
	f := openFollower(t, u)
	x := hangingTrace(t, u, "ipamir", "solve\n", 0, "in solve")
	ran := func(took time.Duration) {
		for range 50 {
			u.All[0].Costs.Ran([]cost.Sample{{Took: took}})
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
		u.add(&task{Job: pace.Job{Slow: slow}, from: first(u), do: func(_ context.Context, f *follower) (*task, error) {
			if yields := f.group.Session("ref").Limits().Yields; yields != slow {
				t.Errorf("slow %t: a follow-up yields: %t", slow, yields)
			}
			return nil, nil
		}})
	}
	u.Wait()
}

// TestVersionsHurry: in a target that hangs in some traces, versions of other failures have less time.
func TestVersionsHurry(t *testing.T) {
	u := newFollowUps(t, "ref", "ipamir", testlineup.Limits)
	f := openFollower(t, u)
	found := &store.Finding{Target: "ref"}
	if least := f.leastCPU(found); least != limit.LeastCPU {
		t.Errorf("no hang is known: %v", least)
	}
	u.Registry.Wants(hangingTrace(t, u, "ipamir", "solve\n", 0, "in solve").found.Key, true)
	if least := f.leastCPU(found); least != limit.HangingCPU {
		t.Errorf("a hang is known: %v", least)
	}
}

// TestHangThatEnds checks what a trace is that met a short time limit, and gives no answer with more time, but dies or
// fills the memory: a hang only if that happens beyond the limit of the user.
func TestHangThatEnds(t *testing.T) {
	t.Parallel()
	stumbler := testlineup.Build(t, "../testdata/stumbler.c")
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
		{stumbler, "solve\nsolve\n", 0, "in solve", 500 * time.Millisecond, oracle.Abort},
		{"ref:defect=memory-blow-up", "hard 1 2 0\nassume 1\nassume 1\nsolve\n", 2, "in assume", long,
			oracle.TooMuchMemory},
		{"ref:burden=memory", heavyCalls, 10, "in solve", long,
			oracle.Abort},
	} {
		model := "ipamir"
		if strings.HasSuffix(row.target, ".so") {
			model = "ipasir"
		}
		limits := testlineup.Limits
		limits.CPU, limits.Wall, limits.Memory = row.cpu, long, 4<<30
		u := newFollowUps(t, row.target, model, limits)
		f, x := openFollower(t, u), hangingTrace(t, u, model, row.calls, row.call, row.detail)
		h := f.newHang(x)
		h.Small, h.User.Yields = false, false
		v, err := h.Confirm(t.Context(), x.found.Minimal, x.found.Finding)
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
	limits := testlineup.Limits
	limits.CPU, limits.Wall = time.Minute, time.Minute
	u := newFollowUps(t, testlineup.Build(t, "../testdata/stumbler.c"), "ipasir", limits)
	u.Reduction = dd.Budget{}
	for range 10 { // so that the sample has two seconds
		u.All[0].Costs.Ran([]cost.Sample{{Took: 100 * time.Millisecond}})
	}
	x := hangingTrace(t, u, "ipasir", "solve\nsolve\n", 0, "in solve")
	u.Registry.Examining(x.found.Key, 0)
	u.Take(&suspect.Suspect{Kind: suspect.Hung, From: first(u), Found: x.found})
	u.Wait()
	found := u.Registry.Found()
	aborts := func(f *store.Finding) bool { return f.Class == oracle.Abort }
	if len(found) != 1 || !slices.ContainsFunc(found, aborts) {
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
	library := testlineup.Build(t, "../testdata/sleeper.c")
	for _, row := range []struct {
		limit, short time.Duration
		why          string
	}{
		{30 * time.Second, time.Second, ""},
		{30 * time.Second, 20 * time.Second, "it met a time limit, and ended after 1."},
		{400 * time.Millisecond, time.Second, "but ended within 4s"},
	} {
		limits := testlineup.Limits
		limits.CPU, limits.Wall = row.limit, row.limit
		u := newFollowUps(t, library, "ipasir", limits)
		f, x := openFollower(t, u), hangingTrace(t, u, "ipasir", "add 1 2 0\nsolve\n", 1, "in solve")
		h := f.newHang(x)
		h.Candidate = row.short
		if err := f.hangs(t.Context(), h, x); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(unconfirmed(u), "; "); !strings.Contains(got, row.why) || (got == "") != (row.why == "") {
			t.Errorf("limit %v, set aside after %v: unconfirmed because %q, want %q", row.limit, row.short, got, row.why)
		}
	}
}

// heavyCalls make the library with the burden 'memory' take 1,920 MiB and abort, in their second solve.
const heavyCalls = "hard 1 2 0\nsolve\n" +
	"assume 1\nassume 2\nassume 3\nassume 4\nassume 5\nassume 6\nassume 7\nassume 8\nsolve\n"
