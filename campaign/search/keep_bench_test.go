package search

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// BenchmarkKeep measures what keeping a trace costs, without anything else that a campaign does. It compares a lane
// that makes traces and keeps them with one that only makes them, in turns.
func BenchmarkKeep(b *testing.B) {
	for _, profile := range []string{"tiny", "mixed"} {
		for _, m := range apimodel.Models() {
			b.Run(profile+"/"+m.Name, func(b *testing.B) {
				const rounds = 15
				turns := keepTurns
				if profile != "tiny" {
					turns /= 16
				}
				keeping, making := newKeeping(b, m, profile, true), newKeeping(b, m, profile, false)
				var kept, made, allocations []float64
				for b.Loop() {
					for range rounds {
						cpu, least := making.run(b, turns)
						made = append(made, cpu)
						cpu, all := keeping.run(b, turns)
						kept, allocations = append(kept, cpu), append(allocations, all-least)
					}
				}
				if err := keeping.s.Archivist.Finish(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(slices.Min(made), "making-cpu-ns")
				b.ReportMetric(slices.Min(kept)-slices.Min(made), "keeping-cpu-ns")
				b.ReportMetric(slices.Sorted(slices.Values(allocations))[len(allocations)/2], "allocs/trace")
				b.ReportMetric(keeping.size(b), "bytes/trace")
			})
		}
	}
}

const (
	keepBatch = 64
	keepTurns = 512 // batches between two flushes, of tiny traces: about what a campaign runs in a second
)

// A keeping is a lane without a process.
type keeping struct {
	lane
	dir     string
	batches []*numbered
	next    uint64
}

func newKeeping(b *testing.B, m *apimodel.Model, profile string, keep bool) *keeping {
	k := &keeping{dir: b.TempDir()}
	of := source.Cell{Target: &replay.Target{Name: "ref", Model: m}, Generate: gen.Config{Profile: profile}}
	k.s = New(Config{Stop: func(err error) { b.Error(err) }})
	if keep {
		k.s.Archivist = store.NewArchivist(k.dir)
	}
	in := &book.Cell{Stream: source.NewStream(&of, 0, 1, 0, nil)}
	for range replay.DefaultQueue.Ahead {
		batch := &numbered{cell: in, made: make([]string, keepBatch), headers: make([]notes.Header, keepBatch)}
		for range keepBatch {
			batch.Traces = append(batch.Traces, new(trace.Trace))
		}
		batch.Seeds = make([]uint64, keepBatch)
		k.batches = append(k.batches, batch)
	}
	return k
}

// run makes traces and perhaps keeps them. It returns the CPU time and the allocations of a trace.
func (k *keeping) run(b *testing.B, turns int) (cpuNanos, allocations float64) {
	traces := float64(turns * keepBatch)
	before, begun := mallocs(), processorTime(b)
	for turn := range turns {
		batch := k.batches[turn%len(k.batches)]
		if turn >= len(k.batches) && k.s.Archivist != nil {
			k.keep(batch, 0, keepBatch)
		}
		batch.first, k.next = k.next, k.next+keepBatch
		for i := range keepBatch {
			from := batch.origin(i)
			batch.Seeds[i] = from.Seed()
			maker, err := k.makers.Open(from.Stream, source.Choice{})
			if err != nil {
				b.Fatal(err)
			}
			if batch.made[i], err = from.Make(context.Background(), maker, batch.Traces[i]); err != nil {
				b.Fatal(err)
			}
			if k.s.Archivist != nil {
				batch.headers[i] = k.header(batch, i, source.Choice{})
			}
		}
	}
	if k.s.Archivist != nil {
		for _, batch := range k.batches {
			k.keep(batch, 0, keepBatch)
		}
		if err := k.s.Archivist.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(processorTime(b)-begun) / traces, float64(mallocs()-before) / traces
}

// size returns the bytes of the archives for each trace.
func (k *keeping) size(b *testing.B) float64 {
	all := int64(0)
	paths, err := filepath.Glob(filepath.Join(k.dir, "archive", "*"))
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		all += info.Size()
	}
	return float64(all) / float64(k.next)
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

func processorTime(b *testing.B) int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
