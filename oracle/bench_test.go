package oracle

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// tinyTraces are traces of the size of profile tiny, with right answers: 8 variables, 4 solves, 40 calls.
func tinyTraces(m *apimodel.Model, vars, calls, solves int) (traces []*trace.Trace, runs []*trace.Run) {
	r := rand.New(rand.NewPCG(1, 2))
	for len(traces) < 256 {
		w := &writer{r: r}
		w.t.Reset(m)
		in := &writerInstance{f: naiveFormula{weights: map[int32]uint64{}}}
		for v := range vars {
			in.f.vars = append(in.f.vars, int32(v+1))
		}
		w.instances = []*writerInstance{in}
		for len(w.sites) < solves {
			for len(w.t.Calls) < (len(w.sites)+1)*(calls-3*solves)/solves+2*len(w.sites) {
				var lits [3]int32
				for i := range lits {
					lits[i] = w.lit(in)
				}
				switch {
				case m == apimodel.IPAMIR && r.IntN(3) == 0:
					weight := uint64(1 + r.IntN(100))
					in.f.weights[lits[0]] = weight
					w.t.Soft(0, lits[0], weight)
				case r.IntN(8) == 0:
					in.assumed = append(in.assumed, lits[0])
					w.t.Literal(0, apimodel.OpAssume, lits[0])
				default:
					in.f.clauses = append(in.f.clauses, lits[:])
					w.t.Clause(0, true, lits[:]...)
				}
				w.answer(0)
			}
			w.solve(in)
		}
		traces = append(traces, &w.t)
		runs = append(runs, &trace.Run{Answers: w.a})
	}
	return traces, runs
}

func benchmark(b *testing.B, m *apimodel.Model, vars, calls, solves int) {
	traces, runs := tinyTraces(m, vars, calls, solves)
	j := New(Config{})
	made := 0
	for i := range traces {
		made += len(traces[i].Calls)
		if found := j.Judge(traces[i], runs[i]); len(found) > 0 {
			b.Fatal(found)
		}
	}
	b.ReportAllocs()
	before := cpuTime()
	i := 0
	for b.Loop() {
		j.Judge(traces[i&255], runs[i&255])
		i++
	}
	b.ReportMetric(float64(made)/256, "calls")
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op") // other programs may use the machine
}

func cpuTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Utime.Nano()
}

func BenchmarkTinyMaxSAT(b *testing.B)   { benchmark(b, apimodel.IPAMIR, 8, 40, 4) }
func BenchmarkTinySAT(b *testing.B)      { benchmark(b, apimodel.IPASIR, 8, 40, 4) }
func BenchmarkMedium12Vars(b *testing.B) { benchmark(b, apimodel.IPAMIR, 12, 80, 4) }

func TestCleanTracesAllocateNothing(t *testing.T) {
	r := seeded(t)
	for _, config := range []Config{{}, {MaxVars: 3}, {MaxVars: -1}} {
		j := New(mayGiveUp(config))
		var traces []*writer
		for i := range 100 {
			traces = append(traces, write(r, apimodel.Models()[i%2]))
		}
		var files []*naiveFile
		for len(files) < 100 {
			if f := randomFile(r); !f.isWrong() {
				files = append(files, f)
			}
		}
		var run trace.Run
		pass := func() {
			for _, w := range traces {
				run.Answers = w.a
				j.Judge(&w.t, &run)
			}
			for _, f := range files {
				run.Answers = f.a
				j.Judge(&f.t, &run)
			}
		}
		pass()
		pass()
		if n := testing.AllocsPerRun(20, pass); n != 0 {
			t.Errorf("%+v: %v allocations in 200 traces", config, n)
		}
	}
}
