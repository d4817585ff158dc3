package campaign

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	// So few that they stay in the caches of every way, as those do that a
	// campaign has just made.
	benchTraces = 256
	benchRounds = 21
)

// BenchmarkWays compares the ways of running the same traces on the same
// library with the plain C loop. The ways take turns of a quarter of a second,
// and a ratio is the median of those of the turns, so that it holds on a machine
// whose speed drifts. Every way but the loop has all answers checked. The loop
// needs one core and the others two: on a machine that does something else as
// well, "chrt -f 20" before the command gives the ratios that a quiet one has.
func BenchmarkWays(b *testing.B) {
	for _, m := range apimodel.Models() {
		b.Run(m.Name, func(b *testing.B) {
			w := newWays(b, m)
			for b.Loop() {
				w.measure(b)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

type ways struct {
	target *replay.Target
	piped  *replay.Target // the same library behind a pipe, the runner in Go
	traces []*trace.Trace
	loop   func(rounds int) time.Duration
}

func newWays(b *testing.B, m *apimodel.Model) *ways {
	target, err := targets.Resolve("ref", m.Name, nil)
	if err != nil {
		b.Fatal(err)
	}
	generator, err := gen.New(gen.Config{Model: m, Profile: "tiny"})
	if err != nil {
		b.Fatal(err)
	}
	w := &ways{target: target, piped: buildRunner(b, m)}
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
	w.loop = buildLoop(b, file)
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

func buildLoop(b *testing.B, traces []byte) func(rounds int) time.Duration {
	dir := b.TempDir()
	data, program := filepath.Join(dir, "traces"), filepath.Join(dir, "cloop")
	if err := os.WriteFile(data, traces, 0o644); err != nil {
		b.Fatal(err)
	}
	sources, _ := filepath.Glob("../cexternal/ref/*.c")
	args := append([]string{"-std=c11", "-D_GNU_SOURCE", "-O2", "-I../cexternal/exec", "-I../cexternal/ref",
		"-o", program, "testdata/cloop.c", "../cexternal/exec/exec.c"}, sources...)
	if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
		b.Fatalf("cc: %v\n%s", err, out)
	}
	return func(rounds int) time.Duration {
		out, err := exec.Command(program, data, strconv.Itoa(rounds)).Output()
		if err != nil {
			b.Fatalf("the C loop: %v", err)
		}
		nanos, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		return time.Duration(nanos)
	}
}

func (w *ways) measure(b *testing.B) {
	var loop, persistent, ofLoop, generated, ofFork, ofPipe []float64
	for range benchRounds {
		l := float64(128*benchTraces) / w.loop(128).Seconds()
		p := w.stream(b, w.target, replay.Persistent, 128, false)
		loop, persistent, ofLoop = append(loop, l), append(persistent, p), append(ofLoop, p/l)
		generated = append(generated, w.stream(b, w.target, replay.Persistent, 128, true)/l)
		ofFork = append(ofFork, p/w.stream(b, w.target, replay.Fork, 4, false))
		ofPipe = append(ofPipe, p/w.stream(b, w.piped, replay.Persistent, 1, false))
	}
	b.ReportMetric(median(loop), "loop-traces/s")
	b.ReportMetric(median(persistent), "persistent-traces/s")
	b.ReportMetric(median(ofLoop), "persistent/loop")
	b.ReportMetric(median(generated), "generated-too/loop")
	b.ReportMetric(median(ofFork), "persistent/fork")
	b.ReportMetric(median(ofPipe), "persistent/pipe")
}

// stream runs all traces in one way, has every answer judged and returns the
// traces a second.
func (w *ways) stream(b *testing.B, target *replay.Target, way replay.Way, rounds int, generate bool) float64 {
	size := streamSize(way)
	s, err := replay.OpenQueue(target, way, replay.DefaultLimits, size)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	description, err := s.Description()
	if err != nil {
		b.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: description.Policies})
	generator, err := gen.New(gen.Config{Model: w.target.Model, Profile: "tiny"})
	if err != nil {
		b.Fatal(err)
	}
	free := make([]*replay.Batch, size.Ahead)
	for i := range free {
		free[i] = &replay.Batch{}
	}
	begin, next, posted := time.Now(), 0, 0
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
	return float64(next) / time.Since(begin).Seconds()
}

func median(values []float64) float64 {
	values = slices.Clone(values)
	slices.Sort(values)
	return values[len(values)/2]
}
