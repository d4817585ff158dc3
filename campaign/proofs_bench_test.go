package campaign

import (
	"path"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
)

// proofLibraries are libraries that hand over proofs, by model.
var proofLibraries = map[string][]string{
	"ipasir": {"ref", "cadical", "../current/cadical-2.2.1", "../current/cadical-3.0.1"},
	"ipamir": {"ref"},
}

// BenchmarkProofs compares campaigns that ask for proofs with the same without proofs: plain ones, which ask in
// every 15th trace, and those of the profiles small-proofs and proofs, which always ask. The CPU time of all
// processes for a trace counts.
func BenchmarkProofs(b *testing.B) {
	for _, m := range apimodel.Models()[:2] {
		for _, library := range proofLibraries[m.Name] {
			b.Run(m.Name+"/"+path.Base(library), func(b *testing.B) {
				for _, kind := range []struct {
					name, profile string
					traces        int
				}{{"plain", "", 6000}, {"small", "small-proofs", 2000}, {"proofs", "proofs", 300}} {
					var ratio, rate []float64
					without := append(slices.Clone(expensiveFeatures), "proofs")
					for range 3 {
						ask := proofRun(b, m, library, gen.Config{Profile: kind.profile, Without: expensiveFeatures}, kind.traces)
						not := proofRun(b, m, library, gen.Config{Profile: kind.profile, Without: without}, kind.traces)
						ratio = append(ratio, ask.each(ask.parent+ask.worker)/not.each(not.parent+not.worker))
						rate = append(rate, 1e6/ask.each(ask.parent+ask.worker))
					}
					b.ReportMetric(median(ratio), kind.name+"-cpu-ratio")
					b.ReportMetric(median(rate), kind.name+"-traces/cpu-s")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func proofRun(b *testing.B, m *apimodel.Model, library string, kind gen.Config, traces int) spending {
	target := benchTarget(b, m, library)
	t := &throughput{target: target, cell: source.Cell{Target: target, Generate: kind}, traces: traces}
	return t.run(b, 1, false)
}
