package trial

import (
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestHangVerdicts checks what Confirm says of hangs and of other slow traces.
func TestHangVerdicts(t *testing.T) {
	const endless = "ref:defect=complementary-loop"
	limits := replay.Limits{CPU: 100 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	seen := oracle.Finding{Class: oracle.TooSlow, Check: "end", Detail: "in solve", Weight: oracle.SmallWeights, Call: 3}
	short := limits
	short.CPU = 100 * time.Nanosecond // nothing is solved in a thousandth of it
	for _, row := range []struct {
		name, target string
		limits       replay.Limits
		left         string // why no time is left
		why          string // the beginning; "" if the hang is confirmed
		quick        bool
	}{
		{"a hang", endless, limits, "", "", false},
		{"no hang", "ref", limits, "",
			"the trace met the limit of 100ms but ended within ten times that limit, after ", true},
		{"no time left", endless, limits, "the time is used up", "the time is used up", false},
		{"hard", endless, short, "", "slow, but not a proven hang: the built-in reference library needs ", false},
	} {
		target := targetOf(t, row.target)
		var reserved time.Duration
		h := &Hang{Target: target, Key: seen.Key(target.Name), Limits: row.limits,
			NewJudge: func() *Judge { return NewJudge(oracle.Config{}, 0) },
			Spend:    func(most time.Duration) string { reserved = most; return row.left }}
		v, err := h.Confirm(t.Context(),
			testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft -1 3\nsolve\n"), seen)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if (v.Why == "") != (row.why == "") || !strings.HasPrefix(v.Why, row.why) || v.Quick != row.quick {
			t.Errorf("%s: %q, quick %v; want %q, quick %v", row.name, v.Why, v.Quick, row.why, row.quick)
		}
		if want := time.Second; row.name != "hard" && reserved != want {
			t.Errorf("%s: reserved %v, want %v", row.name, reserved, want)
		}
		if row.why != "" {
			continue
		}
		const observed, known = "no answer in solve within 100ms, nor within 1s", "less than a thousandth of 100ms"
		if v.Finding.Observed != observed || !strings.HasSuffix(v.Finding.Known, known) || v.Finding.Call != 3 {
			t.Errorf("%s: observed %q, known by %q", row.name, v.Finding.Observed, v.Finding.Known)
		}
	}
}
