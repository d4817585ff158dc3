package trial

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHangVerdicts checks what Confirm says about hangs and other slow traces.
func TestHangVerdicts(t *testing.T) {
	const endless = "ref:defect=complementary-loop"
	limits := replay.Limits{CPU: 100 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	seen := oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: "in solve", Weight: oracle.SmallWeights, Call: 3}
	short := limits
	short.CPU = 100 * time.Nanosecond // the library solves nothing in a thousandth of it
	for _, row := range []struct {
		name, target string
		limits       replay.Limits
		why          string // its beginning; "" if the hang is confirmed
	}{
		{"a hang", endless, limits, ""},
		{"no hang", "ref", limits, "it met a time limit, and ended after "},
		{"hard", endless, short, "slow, but not a proven hang: the built-in reference library needs "},
	} {
		target := targetOf(t, row.target)
		h := &Hang{Target: target, Key: seen.Key(target.Name), Hang: limit.Hang{User: row.limits, Traces: 1},
			NewJudge: func() *Judge { return NewJudge(oracle.Config{}, 0) }}
		v, err := h.Confirm(t.Context(),
			testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft -1 3\nsolve\n"), seen)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if (v.Why == "") != (row.why == "") || !strings.HasPrefix(v.Why, row.why) {
			t.Errorf("%s: %q, want %q", row.name, v.Why, row.why)
		}
		if row.why != "" {
			continue
		}
		const observed, known = "no answer in solve within 1s", "less than a thousandth of 100ms"
		if v.Finding.Observed != observed || !strings.HasSuffix(v.Finding.Known, known) || v.Finding.Call != 3 {
			t.Errorf("%s: observed %q, known by %q", row.name, v.Finding.Observed, v.Finding.Known)
		}
	}
}

// TestLateEnds checks what a trace shows that runs longer than its limit and then ends: it gave no answer in time, but
// a forbidden call is worse.
func TestLateEnds(t *testing.T) {
	library := filepath.Join(t.TempDir(), "libtrespasser.so")
	if said, err := exec.Command("cc", "-shared", "-fPIC", "-O1", "-o", library, "testdata/trespasser.c").
		CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, said)
	}
	if missing := process.Contain(true); missing != "" {
		t.Skip(missing)
	}
	defer process.Contain(false)
	target, err := targets.Resolve(library, "ipasir", nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := replay.Limits{CPU: 100 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	seen := oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: "in ipasir_solve", Call: 1}
	h := &Hang{Target: target, Key: seen.Key(target.Name), Hang: limit.Hang{User: limits, Traces: 1},
		NewJudge: func() *Judge { return NewJudge(oracle.Config{}, 0) }}
	for literal, want := range map[string]oracle.Class{"1": oracle.TooSlow, "2": oracle.Trespass} {
		v, err := h.Confirm(t.Context(), testtrace.Parse(t, "ipafuzz 1 ipasir\nadd "+literal+" 0\nsolve\n"), seen)
		if err != nil {
			t.Fatal(err)
		}
		class := v.Finding.Class
		if len(v.Others) > 0 {
			class = v.Others[0].Class
		}
		if (v.Why == "") != (want == oracle.TooSlow) || class != want {
			t.Errorf("literal %s: %+v", literal, v)
		}
	}
}

// TestWithinLimits checks which runs that ended early took less time than the user allows.
func TestWithinLimits(t *testing.T) {
	h := limit.Hang{User: replay.Limits{CPU: 5 * time.Second, Wall: 20 * time.Second}}
	for _, row := range []struct {
		used, took time.Duration
		want       bool
	}{
		{time.Second, 2 * time.Second, true},
		{time.Second, 30 * time.Second, true}, // it waited for a processor
		{6 * time.Second, 7 * time.Second, false},
		{0, 4 * time.Second, true},
		{0, 6 * time.Second, false},
	} {
		run := trace.Run{Usage: trace.Usage{CPUNanos: uint64(row.used)}}
		if got := h.Permits(&run, row.took); got != row.want {
			t.Errorf("used %v, took %v: %v", row.used, row.took, got)
		}
	}
}

// TestUnclearHang checks which runs leave open whether the trace hangs.
func TestUnclearHang(t *testing.T) {
	const limit = time.Second
	asleep, stopped := trace.Death{Asleep: true}, trace.Death{Asleep: true, Stopped: true}
	for _, row := range []struct {
		end   trace.End
		wall  time.Duration
		death trace.Death
		want  bool
	}{
		{trace.OutOfCPU, limit, trace.Death{}, false},
		{trace.OutOfCPU, limit / 2, trace.Death{}, true}, // two threads
		{trace.OutOfTime, limit, asleep, false},
		{trace.OutOfTime, limit, stopped, true},
		{trace.OutOfTime, limit, trace.Death{}, true},
		{trace.Finished, limit, trace.Death{}, false},
		{trace.Killed, limit, trace.Death{}, false},
	} {
		run := trace.Run{End: row.end, Death: row.death, Usage: trace.Usage{WallNanos: uint64(row.wall)}}
		if got := isUnclear(&run, limit); got != row.want {
			t.Errorf("%+v: %t", row, got)
		}
	}
}

// TestUnclearHangRunsLonger checks that such a trace has tenfold the limit.
func TestUnclearHangRunsLonger(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for hangs: many seconds")
	}
	t.Parallel()
	target := targetOf(t, "ref:defect=complementary-loop")
	own := replay.Limits{CPU: time.Second, Wall: time.Minute, Memory: 256 << 20, Output: 1 << 20}
	h := &Hang{Target: target, Hang: limit.Hang{User: own, Small: true, New: true},
		NewJudge: func() *Judge { return NewJudge(oracle.Config{}, 0) }}
	hang := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft -1 3\nsolve\n")
	var run trace.Run
	for _, call := range []int{3, 30} { // a longer trace was reduced to this one
		if limits, _, _, err := h.runLong(t.Context(), hang, call, &run); err != nil || limits.CPU != 8*time.Second {
			t.Errorf("quick calls before the hang: %v, %v", limits.CPU, err)
		}
	}
	twice := trace.Concat(hang, hang) // the call before the last hangs, too
	if limits, _, _, err := h.runLong(t.Context(), twice, len(twice.Calls)-1, &run); err != nil ||
		limits.CPU != 10*time.Second {
		t.Errorf("slow calls before the hang: %v, %v", limits.CPU, err)
	}
}
