package campaign

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// So few traces stay in the processor's caches in every way of running them, as traces do that a
	// campaign has just made.
	benchTraces = 256
	benchRounds = 11
	benchTurn   = 250 * time.Millisecond
)

// benchLibraries are the libraries that BenchmarkWays runs, by model: the built-in one, which is so fast
// that everything else weighs most, and those in build/adapters that are built.
var benchLibraries = map[string][]string{
	"ipasir": {"ref", "minisat", "picosat", "cadical", "cryptominisat"},
	"ipamir": {"ref", "maxsat-over-minisat", "maxsat-over-picosat", "maxsat-over-cadical"},
	"qbf":    {"ref"},
}

// BenchmarkWays compares ways of running the same traces on the same library with a plain C loop. The ways
// take turns of a quarter of a second. A ratio is the median over the turns, so that it holds on a machine
// whose speed drifts. All ways but the loop have every answer checked.
//
// The loop needs one core and the others two. If the machine does something else as well, put "nice -n -20"
// before the command, and use the metrics with cpu in their names: the CPU times that the worker and the
// parent take for a trace, and the loop's time divided by the larger of the two, which is the most that two
// cores can reach.
func BenchmarkWays(b *testing.B) {
	for _, m := range apimodel.Libraries() {
		for _, library := range benchLibraries[m.Name] {
			b.Run(m.Name+"/"+library, func(b *testing.B) {
				w := newWays(b, m, library)
				for b.Loop() {
					w.measure(b)
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// expensiveFeatures are left out: many libraries would spend most of the time on tables as long as the
// largest variable.
var expensiveFeatures = []string{"max-variable", "gaps"}

// benchPath returns the file of a library, or the name of the built-in one.
func benchPath(b *testing.B, library string) string {
	if library == "ref" {
		return library
	}
	path, err := filepath.Abs("../build/adapters/" + library + ".so")
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		b.Skip("'make adapters' builds it")
	}
	return path
}

type ways struct {
	target *replay.Target
	piped  *replay.Target // the same library behind a pipe, the runner in Go; nil: not measured
	config gen.Config
	traces []*trace.Trace
	rounds int // of the traces, in a turn
	loop   func(rounds int) spending
}

// A spending is the cost of a number of traces.
type spending struct {
	traces               int
	wall, parent, worker time.Duration
}

// each returns a time per trace in microseconds.
func (c spending) each(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(c.traces) }

func newWays(b *testing.B, m *apimodel.Model, library string) *ways {
	w := &ways{config: gen.Config{Model: m, Profile: "tiny"}}
	if library == "ref" {
		w.piped = buildRunner(b, m)
	} else {
		w.config.Without = expensiveFeatures
	}
	w.target = benchTarget(b, m, library)
	generator, err := gen.New(w.config)
	if err != nil {
		b.Fatal(err)
	}
	var file []byte
	var encoder trace.Encoder
	for number := range uint64(benchTraces) {
		t := new(trace.Trace)
		generator.Generate(gen.Seed(1, 0, number), t)
		w.traces = append(w.traces, t)
		words, err := encoder.Append(nil, t)
		if err != nil {
			b.Fatal(err)
		}
		file = binary.LittleEndian.AppendUint32(file, uint32(len(words)))
		for _, word := range words {
			file = binary.LittleEndian.AppendUint32(file, word)
		}
	}
	w.loop = buildLoop(b, benchPath(b, library), file)
	w.rounds = 1
	for took := time.Duration(0); took < benchTurn/8 && w.rounds < 1024; w.rounds *= 2 {
		took = w.loop(w.rounds).worker
	}
	w.rounds *= 4
	return w
}

func buildRunner(b *testing.B, m *apimodel.Model) *replay.Target {
	program := filepath.Join(b.TempDir(), "ipafuzz")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/ipafuzz").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	target, err := targets.Resolve("pipe:"+program+" serve --target ref --model "+m.Name, "", nil)
	if err != nil {
		b.Fatal(err)
	}
	return target
}

func buildLoop(b *testing.B, library string, traces []byte) func(rounds int) spending {
	dir := b.TempDir()
	data, program := filepath.Join(dir, "traces"), filepath.Join(dir, "cloop")
	if err := os.WriteFile(data, traces, 0o644); err != nil {
		b.Fatal(err)
	}
	sources, _ := filepath.Glob("../cexternal/ref/*.c")
	executor, _ := filepath.Glob("../cexternal/exec/*.c")
	args := append([]string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-I../cexternal/exec", "-I../cexternal/load",
		"-I../cexternal/ref", "-rdynamic", "-o", program, "testdata/cloop.c", "../cexternal/load/load.c"},
		slices.Concat(executor, sources)...)
	if out, err := exec.Command("cc", append(args, "-ldl", "-lpthread")...).CombinedOutput(); err != nil {
		b.Fatalf("cc: %v\n%s", err, out)
	}
	return func(rounds int) spending {
		out, err := exec.Command(program, library, data, strconv.Itoa(rounds)).Output()
		if err != nil {
			b.Fatalf("the C loop: %v", err)
		}
		c, lines := spending{traces: rounds * benchTraces}, strings.Split(strings.TrimSpace(string(out)), "\n")
		if _, err := fmt.Sscan(lines[len(lines)-1], &c.wall, &c.worker); err != nil { // the library may print, too
			b.Fatal(err)
		}
		return c
	}
}

func (w *ways) measure(b *testing.B) {
	metrics := make(map[string][]float64)
	add := func(name string, value float64) { metrics[name] = append(metrics[name], value) }
	rate := func(c spending) float64 { return float64(c.traces) / c.wall.Seconds() }
	for range benchRounds {
		l := w.loop(w.rounds)
		p := w.stream(b, w.target, replay.Persistent, w.rounds, false)
		g := w.stream(b, w.target, replay.Persistent, w.rounds, true)
		start := w.stream(b, w.target, replay.Persistent, 0, false).worker
		p.worker, g.worker = p.worker-start, g.worker-start
		add("loop-traces/s", rate(l))
		add("persistent-traces/s", rate(p))
		add("persistent/loop", rate(p)/rate(l))
		add("generated-too/loop", rate(g)/rate(l))
		loop := l.each(l.worker)
		add("loop-cpu-us", loop)
		add("worker-cpu-us", g.each(g.worker))
		add("parent-cpu-us", p.each(p.parent))
		add("parent-generating-cpu-us", g.each(g.parent))
		add("persistent/loop-cpu", loop/max(p.each(p.worker), p.each(p.parent)))
		add("generated-too/loop-cpu", loop/max(g.each(g.worker), g.each(g.parent)))
		if w.piped != nil {
			add("persistent/fork", rate(p)/rate(w.stream(b, w.target, replay.Fork, 4, false)))
			add("persistent/pipe", rate(p)/rate(w.stream(b, w.piped, replay.Persistent, 1, false)))
		}
	}
	for name, values := range metrics {
		b.ReportMetric(median(values), name)
	}
}

// stream runs all traces in one way and has every answer judged.
func (w *ways) stream(b *testing.B, target *replay.Target, way replay.Way, rounds int, generate bool) (c spending) {
	size := (&lineup.Lineup{Way: way}).QueueOptions()
	s, err := replay.OpenQueue(target, way, replay.DefaultLimits, size)
	if err != nil {
		b.Fatal(err)
	}
	description, err := s.Description()
	if err != nil {
		b.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: description.Policies})
	generator, err := gen.New(w.config)
	if err != nil {
		b.Fatal(err)
	}
	free := make([]*replay.Batch, size.Ahead)
	for i := range free {
		free[i] = &replay.Batch{}
	}
	begin, parent, worker, next, posted := time.Now(), cpuOf(b, unix.RUSAGE_SELF), cpuOf(b, unix.RUSAGE_CHILDREN), 0, 0
	for total := rounds * benchTraces; next < total || posted > 0; {
		for len(free) > 0 && next < total {
			batch := free[len(free)-1]
			from := next % benchTraces
			batch.Traces = append(batch.Traces[:0], w.traces[from:min(from+size.Traces, benchTraces)]...)
			if generate {
				for i, t := range batch.Traces {
					generator.Generate(gen.Seed(1, 0, uint64(from+i)), t)
				}
			}
			n, err := s.Post(batch)
			if err != nil {
				b.Fatal(err)
			}
			next += n
			free = free[:len(free)-1]
			posted++
		}
		batch, err := s.Collect()
		if err != nil {
			b.Fatal(err)
		}
		for i, t := range batch.Traces {
			if found := judge.Judge(t, &batch.Runs[i]); len(found) > 0 {
				b.Fatalf("a finding in the healthy library: %+v\n%s", found[0], t)
			}
		}
		free = append(free, batch)
		posted--
	}
	c = spending{traces: next, wall: time.Since(begin), parent: cpuOf(b, unix.RUSAGE_SELF) - parent}
	s.Close()
	c.worker = cpuOf(b, unix.RUSAGE_CHILDREN) - worker
	return c
}

// cpuOf returns the CPU time of this process, or of its children that have ended.
func cpuOf(b *testing.B, who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(values []float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}
