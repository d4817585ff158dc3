package repro

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
)

func TestReplayCommandHasUnusualLimits(t *testing.T) {
	for _, c := range []struct {
		change func(*replay.Limits)
		want   string
	}{
		{func(*replay.Limits) {}, "ipafuzz replay a.trace --target ref"},
		{func(l *replay.Limits) { *l = replay.Limits{} }, "ipafuzz replay a.trace --target ref"},
		{func(l *replay.Limits) { l.Memory = 300 << 20 }, "ipafuzz replay a.trace --memory 300M --target ref"},
		{func(l *replay.Limits) {
			l.CPU, l.Wall = time.Minute, 1500*time.Millisecond
		}, "ipafuzz replay a.trace --cpu 1m0s --wall 1.5s --target ref"},
		{func(l *replay.Limits) {
			l.Memory, l.Output = 4<<40, 1000
		}, "ipafuzz replay a.trace --memory 4096G --output 1000 --target ref"},
	} {
		limits := replay.DefaultLimits
		c.change(&limits)
		if got := ReplayCommand("ipafuzz", "", limits, "a.trace", "ref"); got != c.want {
			t.Errorf("with %+v: got %q, want %q", limits, got, c.want)
		}
	}
}
