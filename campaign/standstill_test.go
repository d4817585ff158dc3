package campaign

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

const adapterSeconds = 60

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
				b.ReportMetric(seconds.Seconds(), "seconds")
				b.ReportMetric(float64(of.traces)/seconds.Seconds(), "traces/s")
				b.ReportMetric(float64(len(of.announced)), "findings")
				b.ReportMetric(100*of.standstill, "standstill-%")
				b.ReportMetric(of.longest.Seconds(), "longest-gap-s")
				b.ReportMetric(of.overrun.Seconds(), "overrun-s")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
