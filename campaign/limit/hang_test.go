package limit

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestHangLimits checks with which limits a hang is suspected and confirmed.
func TestHangLimits(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		cpu, wall    time.Duration // of the user
		small, quick bool
		first, short time.Duration // for the first run and for candidates
		longCPU, all time.Duration // for the confirmation
	}{
		{5 * time.Second, 20 * time.Second, false, false, 400 * ms, 400 * ms, 50 * time.Second, 200 * time.Second},
		{5 * time.Second, 20 * time.Second, true, true, 1200 * ms, 400 * ms, 5 * time.Second, 20 * time.Second},
		{5 * time.Second, 20 * time.Second, true, false, 400 * ms, 400 * ms, 5 * time.Second, 20 * time.Second},
		{time.Minute, time.Minute, true, true, 1200 * ms, 400 * ms, time.Minute, time.Minute},
		{100 * ms, time.Second, true, true, 100 * ms, 100 * ms, time.Second, 10 * time.Second},
		{0, 0, true, true, 1200 * ms, 400 * ms, smallLongest, smallLongestWall},
	} {
		h := Hang{User: replay.Limits{CPU: row.cpu, Wall: row.wall}, Candidate: 400 * ms, Small: row.small, Quick: row.quick}
		first, short, long := h.First(), h.Shorter(), h.Longer()
		if first.CPU != row.first || short.CPU != row.short || long.CPU != row.longCPU || long.Wall != row.all {
			t.Errorf("%+v: first %v, short %v, long %v and %v", row, first.CPU, short.CPU, long.CPU, long.Wall)
		}
	}
	for _, row := range []struct {
		cpu, wall, longCPU, longWall time.Duration
	}{
		{5 * time.Second, 20 * time.Second, newLongest, newAsleep},
		{100 * ms, time.Second, time.Second, 10 * time.Second},
		{time.Minute, time.Minute, time.Minute, time.Minute + newAsleep - newLongest},
		{5 * time.Second, time.Minute, newLongest, 30 * time.Second},
		{0, 0, newLongest, newAsleep},
	} {
		h := Hang{User: replay.Limits{CPU: row.cpu, Wall: row.wall}, Candidate: 400 * ms, Small: true, New: true}
		if long := h.Longer(); long.CPU != row.longCPU || long.Wall != row.longWall {
			t.Errorf("nothing is known, %+v: long %v and %v", row, long.CPU, long.Wall)
		}
	}
	for _, row := range []struct {
		name             string
		short, unhurried time.Duration // limits of candidates
		first, sample    time.Duration
	}{
		{"a search that loses much time", 10 * ms, 400 * ms, 400 * ms, 1200 * ms},
		{"a search that loses none", 400 * ms, 400 * ms, 1200 * ms, 1200 * ms},
		{"very quick traces", 10 * ms, 40 * ms, smallLongest / 20, smallLongest / 5},
	} {
		h := Hang{Candidate: row.short, Calm: row.unhurried, Small: true, Quick: true}
		first, sample, short := h.First(), h.Sample(), h.Shorter()
		if first.CPU != row.first || first.Wall != 4*row.first || sample.CPU != row.sample || short.CPU != row.short {
			t.Errorf("%s: first %v, sample %v, short %v", row.name, first.CPU, sample.CPU, short.CPU)
		}
	}
}
