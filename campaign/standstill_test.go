package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

const (
	sampleTime     = 20 * time.Millisecond
	standstillFrom = 100 * time.Millisecond // a shorter time without a judged trace is none
	adapterSeconds = 60
)

// A standstill is the time in which a campaign judged no new trace, seen from outside.
type standstill struct {
	begun, last time.Time // of the campaign; at which the number of traces changed
	traces      uint64
	longest     time.Duration
	total       time.Duration
	ended       time.Time
	overrun     time.Duration // from the limit to the end of the campaign
}

// sample notes the number of traces judged so far.
func (s *standstill) sample(now time.Time, traces uint64) {
	if traces == s.traces {
		return
	}
	s.gap(now)
	s.traces = traces
}

func (s *standstill) gap(now time.Time) {
	if gap := now.Sub(s.last); gap > standstillFrom {
		s.total += gap
		s.longest = max(s.longest, gap)
	}
	s.last = now
}

func (s *standstill) end(now time.Time) {
	s.gap(now)
	s.ended = now
}

// share is the part of the time without a new trace.
func (s *standstill) share() float64 { return s.total.Seconds() / s.ended.Sub(s.begun).Seconds() }

// BenchmarkStandstill measures how long campaigns on real libraries judge no new trace:
// on every target of cexternal/adapters that is built, with default settings and one
// worker, a minute each. IPAFUZZ_SECONDS sets another time, IPAFUZZ_SEED another seed.
func BenchmarkStandstill(b *testing.B) {
	file, err := targets.ReadFile("../cexternal/adapters/targets.toml")
	if err != nil {
		b.Fatal(err)
	}
	seconds := time.Duration(benchSetting(b, "IPAFUZZ_SECONDS", adapterSeconds)) * time.Second
	never := func(map[oracle.Key]time.Duration, time.Duration) bool { return false }
	for _, name := range file.Names() {
		b.Run(name, func(b *testing.B) {
			if _, err := targets.Resolve(name, "", file); err != nil {
				b.Skipf("'make adapters' builds it: %v", err)
			}
			for b.Loop() {
				of := timedCampaign(b, name, "", testseed.Of(b, 1), seconds, never)
				b.ReportMetric(float64(of.traces)/seconds.Seconds(), "traces/s")
				b.ReportMetric(float64(len(of.at)), "findings")
				b.ReportMetric(100*of.still.share(), "standstill-%")
				b.ReportMetric(of.still.longest.Seconds(), "longest-gap-s")
				b.ReportMetric(of.still.overrun.Seconds(), "overrun-s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
