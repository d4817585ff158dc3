package campaign

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

const throughputRounds = 7

// BenchmarkKeepTraces compares campaigns that keep every trace with campaigns that keep none: their rates,
// and the CPU time of all their processes per trace.
func BenchmarkKeepTraces(b *testing.B) {
	for _, m := range apimodel.Models() {
		for _, library := range benchLibraries[m.Name] {
			b.Run(m.Name+"/"+library, func(b *testing.B) {
				t := newThroughput(b, m, library)
				var rate, cpu, usual []float64
				for b.Loop() {
					for range throughputRounds {
						without, with := t.run(b, 1, false), t.run(b, 1, true)
						rate = append(rate, without.wall.Seconds()/with.wall.Seconds())
						usual = append(usual, without.each(without.parent+without.worker))
						cpu = append(cpu, with.each(with.parent+with.worker))
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(rate), "kept/usual")
				b.ReportMetric(median(usual), "usual-cpu-us")
				b.ReportMetric(median(cpu), "kept-cpu-us")
				b.ReportMetric(median(usual)/median(cpu), "kept/usual-cpu")
			})
		}
	}
}

// slowLibraries take nearly all of the time of a campaign, so that a second worker can nearly double the
// rate.
var slowLibraries = map[string][]string{"ipasir": {"cvc5"}, "ipamir": {"maxsat-over-cryptominisat"}}

// BenchmarkWorkers measures how campaigns scale. The column two-cores/one-core compares one worker on one
// core with two workers on two.
//
// The column two/one compares one worker with two, both on all cores. A worker consists of a process that
// runs the library and a goroutine that generates and judges; each may have a core. On two cores, two
// workers can be faster than one only by a bounded factor: twice the time of the slower part divided by the
// time of both parts. The CPU times of the campaigns with one worker give that bound.
//
// The column two-loops/one-loop is what the machine and the library allow: processes that share caches and memory
// slow one another down, and so do threads of one process on two cores. It compares one plain C loop that calls the
// library on one core with two on two.
func BenchmarkWorkers(b *testing.B) {
	for _, m := range apimodel.Models() {
		for _, library := range append(slices.Clone(benchLibraries[m.Name]), slowLibraries[m.Name]...) {
			b.Run(m.Name+"/"+library, func(b *testing.B) {
				t, loop := newThroughput(b, m, library), newWays(b, m, library)
				var scale, ratio, bound, most, loops []float64
				for b.Loop() {
					for range throughputRounds {
						oneCore, twoCores := t.runOn(b, 1), t.runOn(b, 2)
						scale = append(scale, oneCore.wall.Seconds()/twoCores.wall.Seconds())
						one, two := t.run(b, 1, false), t.run(b, 2, false)
						ratio = append(ratio, one.wall.Seconds()/two.wall.Seconds())
						slower, both := max(one.parent, one.worker), one.parent+one.worker
						bound = append(bound, 2*slower.Seconds()/both.Seconds())
						most = append(most, one.worker.Seconds()/both.Seconds())
						loops = append(loops, loop.twoLoops(b))
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(scale), "two-cores/one-core")
				b.ReportMetric(median(loops), "two-loops/one-loop")
				b.ReportMetric(median(ratio), "two/one")
				b.ReportMetric(median(bound), "two-cores-bound")
				b.ReportMetric(median(most), "library-share")
			})
		}
	}
}

// twoLoops returns the rate of two C loops on two cores, divided by that of one on one core.
func (w *ways) twoLoops(b *testing.B) float64 {
	rounds := 4 * w.rounds
	var one time.Duration
	on(b, 1, func() { one = w.loop(rounds).wall })
	var walls [2]time.Duration
	on(b, len(walls), func() {
		var loops sync.WaitGroup
		for i := range walls {
			loops.Go(func() { walls[i] = w.loop(rounds).wall })
		}
		loops.Wait()
	})
	return 2 * one.Seconds() / max(walls[0], walls[1]).Seconds()
}

type throughput struct {
	target *replay.Target
	cell   source.Cell
	traces int
}

// newThroughput determines how many traces a campaign with one worker runs in about a second.
func newThroughput(b *testing.B, m *apimodel.Model, library string) *throughput {
	t := &throughput{target: benchTarget(b, m, library), traces: 1 << 8}
	t.cell = source.Cell{Target: t.target, Generate: gen.Config{Profile: "tiny"}}
	if library != "ref" {
		t.cell.Generate.Without = expensiveFeatures
	}
	for t.traces < 1<<17 && t.run(b, 1, false).wall < 4*benchTurn {
		t.traces *= 2
	}
	return t
}

func (t *throughput) run(b *testing.B, workers int, keep bool) spending {
	c, err := New(Config{Cells: []source.Cell{t.cell}, Seed: 1, Workers: workers, Way: replay.Persistent,
		Limits: replay.DefaultLimits, Traces: uint64(t.traces), Out: b.TempDir(), Archive: keep, Program: "ipafuzz"})
	if err != nil {
		b.Fatal(err)
	}
	begin, parent, worker := time.Now(), cpuOf(b, unix.RUSAGE_SELF), cpuOf(b, unix.RUSAGE_CHILDREN)
	if _, err := c.Run(context.Background()); err != nil {
		b.Fatal(err)
	}
	return spending{traces: t.traces, wall: time.Since(begin), parent: cpuOf(b, unix.RUSAGE_SELF) - parent,
		worker: cpuOf(b, unix.RUSAGE_CHILDREN) - worker}
}

// runOn runs a campaign with as many workers as cores.
func (t *throughput) runOn(b *testing.B, cores int) (spent spending) {
	on(b, cores, func() { spent = t.run(b, cores, false) })
	return spent
}

// on calls f with this process, and all processes that it starts, on that many cores.
func on(b *testing.B, cores int, f func()) {
	var all, some unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		b.Fatal(err)
	}
	if all.Count() < cores {
		b.Skipf("needs %d cores", cores)
	}
	for core := 0; some.Count() < cores; core++ {
		if all.IsSet(core) {
			some.Set(core)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores)) // as in a process that starts with these cores
	defer confine(b, &all)
	confine(b, &some)
	f()
}

// confine lets all threads of this process run on the given cores only. Threads and processes that they
// start inherit that.
func confine(b *testing.B, cores *unix.CPUSet) {
	const tasks = "/proc/self/task"
	for range 2 { // a thread may start another in between
		threads, err := os.ReadDir(tasks)
		if err != nil {
			b.Fatal(err)
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				b.Fatal(err)
			}
			if err := unix.SchedSetaffinity(id, cores); err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
				b.Fatal(err)
			}
		}
	}
}

// benchTarget finds a library of benchLibraries.
func benchTarget(b *testing.B, m *apimodel.Model, library string) *replay.Target {
	target, err := targets.Resolve(benchPath(b, library), m.Name, nil)
	if err != nil {
		b.Fatal(err)
	}
	return target
}
