package replay_test

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestSpan: a span reads back, and has a time for each hash.
func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"60s": "1m0s", "0.01s-0.5s": "10ms-500ms", "5m": "5m0s", "1s-1s": "1s",
		"": "", "0s": "", "2s-1s": "", "x": "", "1s-": "", "-1s": "", "1s-2s-3s": "",
	} {
		span, err := replay.ParseSpan(text)
		if (err == nil) != (want != "") || err == nil && span.String() != want {
			t.Errorf("%q: %v, %v, want %q", text, span, err, want)
		}
	}
	span := replay.Span{From: 10 * time.Millisecond, To: 500 * time.Millisecond}
	least, most := time.Hour, time.Duration(0)
	for hash := range uint64(1000) {
		after := span.Of(hash * 0x9e3779b97f4a7c15)
		least, most = min(least, after), max(most, after)
	}
	if least < span.From || most > span.To || most-least < 400*time.Millisecond {
		t.Errorf("times from %v to %v", least, most)
	}
}

// TestStopsAt: the targets file and the limits say when an anytime program is told to stop. All traces of a reduction
// stop when the given one does.
func TestStopsAt(t *testing.T) {
	t.Parallel()
	const script = "trap 'echo s UNKNOWN; exit 0' TERM; sleep 0.4 & wait; " + optimum
	one, other := parse(t, oneSolve), parse(t, "ipafuzz 1 ipamir\nhard 1 -2 0\nsoft 1 5\nsolve\nobj\nval -2\nmodel\n")
	for _, c := range []struct {
		entry string
		limit replay.Span
		want  string
	}{
		{"", replay.Span{From: 20 * time.Second, To: 20 * time.Second}, "30"},
		{"sigterm-after = '20s-30s'", replay.Span{}, "30"},
		{"sigterm-after = '20s'", replay.Span{From: time.Millisecond, To: time.Millisecond}, "0"},
	} {
		target := shell(t, script, "format = 'wcnf'\nkind = 'anytime'\n"+c.entry)
		limits := replay.DefaultLimits
		limits.Sigterm, limits.Wall = c.limit, 3*time.Second
		run := run(t, openRunner(t, target, replay.Fork, limits), one)
		if got := outcome(one, run); got[:len(c.want)] != c.want {
			t.Errorf("%q, %v: %s, want %s", c.entry, c.limit, got, c.want)
		}
		fixed := limits.FixStop(target, one)
		if again := fixed.FixStop(target, other); fixed.Sigterm.From != fixed.Sigterm.To || again.Sigterm != fixed.Sigterm {
			t.Errorf("%q: the given trace stops after %v, a candidate after %v", c.entry, fixed.Sigterm, again.Sigterm)
		}
	}
	if limits := replay.DefaultLimits.FixStop(shell(t, optimum, "format = 'wcnf'"), one); !limits.Sigterm.IsZero() {
		t.Errorf("an exact program is told to stop after %v", limits.Sigterm)
	}
}
