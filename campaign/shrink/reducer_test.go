package shrink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

func buildAwkward(t *testing.T, fault string, flags ...string) string {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libawkward.so")
	if fault == "CHANCE" {
		fault = fmt.Sprintf("CHANCE=%q", library+".calls")
	}
	flags = append(flags, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-D"+fault, "-o", library, "testdata/awkward.c")
	out, err := exec.Command("cc", flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("cc: %v\n%s", err, out)
	}
	return library
}

// reducerFor returns a reducer for a target.
func reducerFor(t testing.TB, spec, model string) *Reducer {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &Reducer{Target: target, Config: dd.Config{Workers: 2},
		Limits: replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20}}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

const manyCalls = `ipafuzz 1 ipamir
hard 1 2 0
assume 1
solve
hard 3 4 0
soft 1 3
solve
soft 2 9
assume 3
soft 4 9
solve
hard 4 0
solve
`

// TestSlowIsNotEndless checks that a trace that hangs is not reduced to one that is merely slow, although
// candidates get much less time than the trace.
func TestSlowIsNotEndless(t *testing.T) {
	if testing.Short() {
		t.Skip("hangs take their time")
	}
	m := reducerFor(t, buildAwkward(t, "SLOW"), "ipamir")
	m.Limits.CPU = 600 * time.Millisecond
	result, err := m.Reduce(context.Background(), testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsoft 2 4\n"+
		"assume 3\nsolve\n"))
	if err != nil {
		t.Fatal(err)
	}
	if result.Finding.Class != oracle.TooSlow || testtrace.Calls(result.Trace) != "soft 1 1\nsoft 1 1\nsolve\n" ||
		!result.After.Always() {
		t.Errorf("%s in %s runs:\n%s", result.Key, result.After, result.Trace)
	}
}

// TestFailsByChance checks that Reduce measures the rate of a failure that depends on
// chance, runs candidates several times, and notes the rate of the result.
func TestFailsByChance(t *testing.T) {
	for _, c := range []struct {
		odds        int
		least, most int // failures of the result in ChanceRuns
		calls       int // most calls of the result, which with fewer solves may fail too seldom
	}{
		{2, 12, 38, 4}, // with one or two solves
		{10, 1, 20, 6},
	} {
		t.Run(fmt.Sprintf("one in %d", c.odds), func(t *testing.T) {
			m := reducerFor(t, buildAwkward(t, "CHANCE", fmt.Sprintf("-DODDS=%d", c.odds)), "ipamir")
			m.Workers = 1 // so that the same runs fail every time
			given := testtrace.Parse(t, manyCalls)
			m.Key = keyOfAbort(t, m, given)
			result, err := m.Reduce(context.Background(), given)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("failed in %s runs before and in %s after, %d tests", result.Before, result.After, result.Stats.Tests)
			if after := result.After; after.Runs != trial.ChanceRuns || after.Failed < c.least || after.Failed > c.most {
				t.Errorf("failed in %s runs before and in %s after", result.Before, after)
			}
			if got := testtrace.Calls(result.Trace); !strings.HasPrefix(got, "hard ") || len(result.Trace.Calls) > c.calls {
				t.Errorf("reduced to\n%s", result.Trace)
			}
			result.NoteIn(result.Trace, "x.trace", "T", replay.DefaultLimits, 9, 1)
			if noted := notes.ResultOf(result.Trace.Notes); trial.Rate(noted.Rate) != result.After {
				t.Errorf("the notes do not say the rate: %q", result.Trace.Notes)
			}
		})
	}
}

// TestSlowByChance checks that a failure that takes long, perhaps because the machine is busy, counts as one that
// always shows only after as many runs as others need.
func TestSlowByChance(t *testing.T) {
	library := buildAwkward(t, "CHANCE", "-DODDS=2", "-DNAP=110000")
	m := reducerFor(t, library, "ipamir")
	given := testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n")
	m.Key = keyOfAbort(t, m, given)
	p := newPool(m.Target, m.Description, m.Limits, 1)
	defer p.close()
	p.wanted.Key = m.Key
	setChance(t, library, true, true, false)
	var result Reduction
	if err := p.learn(t.Context(), given, nil, &result); err != nil || result.Before.Runs != trial.ChanceRuns {
		t.Errorf("it fails in %s runs, %v", result.Before, err)
	}
}

// setChance makes the next calls of chance in awkward.c return these values. ODDS must be 2.
func setChance(t *testing.T, library string, want ...bool) {
	t.Helper()
	chance := func(n int) bool {
		calls := uint32(n) * 0x9e3779b9
		return ((calls^calls>>15)*0x85ebca6b>>16)%2 == 0
	}
	for before := 0; ; before++ {
		met := 0
		for met < len(want) && chance(before+met+1) == want[met] {
			met++
		}
		if met == len(want) {
			if err := os.WriteFile(library+".calls", make([]byte, before), 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
}

// TestRareFailure checks that a trace that fails too rarely is not reduced: chance would decide which
// candidates are kept.
func TestRareFailure(t *testing.T) {
	m := reducerFor(t, buildAwkward(t, "CHANCE", "-DODDS=10"), "ipamir")
	given := testtrace.Parse(t, manyCalls)
	m.Key, m.LeastShare = keyOfAbort(t, m, given), 0.9
	result, err := m.Reduce(t.Context(), given)
	var rare *RareError
	if !errors.As(err, &rare) || result.Trace != nil || rare.Rate.Failed == 0 || rare.Rate.Runs != trial.ChanceRuns {
		t.Errorf("%v: %+v", err, result)
	}
}

// keyOfAbort returns the key of the first abort in many runs.
func keyOfAbort(t *testing.T, m *Reducer, given *trace.Trace) oracle.Key {
	t.Helper()
	e := trial.NewExamination(m.Target, m.Description, m.Limits, false)
	defer e.Close()
	for range 50 {
		var run trace.Run
		findings, err := e.Run(context.Background(), given, &run)
		if err != nil {
			t.Fatal(err)
		}
		for i := range findings {
			if findings[i].Class == oracle.Abort {
				return findings[i].Key(m.Target.Name)
			}
		}
	}
	t.Fatal("no abort in 50 runs")
	return oracle.Key{}
}

// failing returns the first trace of a seed that fails alone, and its key.
func failing(t *testing.T, m *Reducer, accept func(f *oracle.Finding) bool) (*trace.Trace, oracle.Key) {
	t.Helper()
	e := trial.NewExamination(m.Target, m.Description, m.Limits, false)
	defer e.Close()
	g, err := gen.New(gen.Config{Model: m.Target.Model, Description: m.Description, Profile: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	for number := range uint64(2000) {
		candidate := new(trace.Trace)
		g.Generate(gen.Seed(testseed.Of(t, 1), 0, number), candidate)
		var run trace.Run
		findings, err := e.Run(context.Background(), candidate, &run)
		if err != nil {
			t.Fatal(err)
		}
		if len(findings) > 0 && accept(&findings[0]) {
			return candidate, findings[0].Key(m.Target.Name)
		}
	}
	t.Fatal("no trace fails")
	return nil, oracle.Key{}
}

// TestSameFailure checks that a reduction keeps its failure whatever else candidates show, that the result
// is minimal, and that it does not depend on the number of workers.
func TestSameFailure(t *testing.T) {
	for _, c := range []struct {
		defect, model string
		most          int // calls of the result
	}{
		{"redeclare-adds", "ipamir", 8},
		{"one-core-early", "ipamir", 9},
		{"weight-wraps-32", "ipamir", 6},
		{"assumptions-stay", "ipasir", 8},
		{"negative-val-zero", "ipasir", 4},
		{"lost-watch", "ipasir", 12},
		{"core-misses-first", "ipasir", 7},
		{"root-assertion", "ipasir", 6},
		{"learned-not-implied", "ipasir", 10},
		{"repeat-differs", "ipasir", 6},
	} {
		t.Run(c.defect, func(t *testing.T) {
			m := reducerFor(t, "ref:defect="+c.defect, c.model)
			given, key := failing(t, m, func(*oracle.Finding) bool { return true })
			var first string
			for _, workers := range []int{1, 3} {
				m.Workers, m.Key = workers, key
				others := 0
				m.OnOther = func(o *trace.Trace, other dd.Failure) {
					if others++; other == key {
						t.Errorf("OnOther got the failure that the reduction keeps")
					}
				}
				result, err := m.Reduce(context.Background(), given)
				if err != nil {
					t.Fatal(err)
				}
				if result.Key != key || !result.After.Always() || !result.Minimal {
					t.Errorf("ended with %s in %s runs, minimal %v; began with %s", result.Key, result.After, result.Minimal, key)
				}
				if workers == 1 {
					first = result.Trace.String()
				} else if got := result.Trace.String(); got != first {
					t.Errorf("%d workers: result\n%sone worker:\n%s", workers, got, first)
				}
				if n := len(result.Trace.Calls); n > c.most {
					t.Errorf("%d calls were reduced to %d, want %d at most:\n%s", len(given.Calls), n, c.most, result.Trace)
				}
				if workers == 1 {
					t.Logf("%d calls to %d in %d tests, %d other failures", len(given.Calls), len(result.Trace.Calls),
						result.Stats.Tests, others)
				}
			}
		})
	}
}

// TestAlwaysABest checks that a reduction reports improvements while it searches. If it is interrupted, it
// returns the last of them, confirmed as always or, if it is prompt, once.
func TestAlwaysABest(t *testing.T) {
	for _, row := range []struct {
		prompt bool
		runs   int
	}{{false, confirmRuns}, {true, 1}} {
		m := reducerFor(t, "ref:defect=one-core-early", "ipamir")
		m.Prompt = row.prompt
		given, _ := failing(t, m, func(f *oracle.Finding) bool { return f.Class == oracle.NotOptimal })
		ctx, stop := context.WithCancel(context.Background())
		var last *trace.Trace
		n := 0
		m.OnBest = func(b *trace.Trace) {
			last = b
			if n++; n == 4 {
				stop()
			}
		}
		result, err := m.Reduce(ctx, given)
		if err != nil || n != 4 || !errors.Is(result.Ended, context.Canceled) || result.Trace.String() != last.String() ||
			!result.After.Always() || result.After.Runs != row.runs {
			t.Errorf("prompt %v: %v, %d improvements, ended by %v", row.prompt, err, n, result)
		}
	}
}

// A shutGate lets no trial begin once ended has ended.
type shutGate struct{ ended context.Context }

func (g shutGate) Enter(ctx context.Context) error {
	if g.ended.Err() != nil {
		<-ctx.Done()
	}
	return ctx.Err()
}

func (shutGate) Leave() {}

// TestPrompt checks that a prompt reduction that is interrupted does not wait for its confirmation for long.
func TestPrompt(t *testing.T) {
	m := reducerFor(t, "ref:defect=one-core-early", "ipamir")
	m.Prompt = true
	given, _ := failing(t, m, func(f *oracle.Finding) bool { return f.Class == oracle.NotOptimal })
	ctx, stop := context.WithCancel(context.Background())
	m.OnBest = func(*trace.Trace) { stop() }
	if _, err := m.Reduce(trial.WithGate(ctx, shutGate{ctx}), given); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestDoesNotFail checks that Reduce refuses a trace without the failure after as many runs as Runs says.
func TestDoesNotFail(t *testing.T) {
	for asked, want := range map[int]int{0: trial.ChanceRuns, 1: 1, 3: 3, 5: 5} {
		m := reducerFor(t, "ref", "ipamir")
		m.Runs = asked
		var not *NotFailingError
		var runs, of int
		m.OnLook = func(r trial.Rate, most int) { runs, of = runs+1, most }
		if _, err := m.Reduce(context.Background(), testtrace.Parse(t, manyCalls)); !errors.As(err, &not) ||
			not.Runs != want || not.Heaps != min(want, firstRuns) {
			t.Errorf("error %v, want %d runs", err, want)
		}
		if runs != want || of != want {
			t.Errorf("OnLook got %d runs of %d, want %d", runs, of, want)
		}
	}
}

// TestHardToJudge reduces a trace whose right answer takes the reference solver more conflicts than the
// judges of candidates may spend.
func TestHardToJudge(t *testing.T) {
	c := publishedCase{file: "unseen/pt9704.wcnf", target: "ref:defect=core-paid-in-full"}
	m, given, _ := c.reducer(t, c.text(t, 0))
	result, err := m.Reduce(context.Background(), given)
	if err != nil {
		t.Fatal(err)
	}
	if !result.Before.Always() || !result.Minimal || len(result.Trace.Calls) > 10 {
		t.Errorf("it fails in %s runs and leaves %d calls, minimal: %t", result.Before, len(result.Trace.Calls),
			result.Minimal)
	}
}

// TestMemoryBlowUp checks that the result still needs all the memory, although candidates get less than the
// trace.
func TestMemoryBlowUp(t *testing.T) {
	if testing.Short() {
		t.Skip("fills memory many times: many seconds")
	}
	m := reducerFor(t, "ref:defect=memory-blow-up", "ipamir")
	m.Limits = replay.Limits{CPU: 20 * time.Second, Wall: time.Minute, Memory: 400 << 20, Output: 1 << 20}
	m.Budget = dd.Budget{Time: time.Minute}
	result, err := m.Reduce(context.Background(), testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 4\nassume 1\n"+
		"assume 1\nsolve\n"))
	if err != nil || result.Finding.Class != oracle.TooMuchMemory ||
		testtrace.Calls(result.Trace) != "assume 1\nassume 1\n" {
		t.Errorf("%v: %+v", err, result)
	}
}

// TestMemoryMargin checks that candidates get more memory than the limit after a round has ended in a trace
// that does not meet it: a trace that barely meets a limit fails only sometimes.
func TestMemoryMargin(t *testing.T) {
	m := reducerFor(t, "ref", "ipamir")
	p := newPool(m.Target, m.Description, m.Limits, 1)
	defer p.close()
	p.wanted.Key = oracle.Key{Class: oracle.TooMuchMemory}
	p.adjust(new(trace.Run), oracle.TooMuchMemory)
	if p.limits.Memory >= p.full.Memory {
		t.Errorf("candidates begin with %d bytes of %d", p.limits.Memory, p.full.Memory)
	}
	ok, err := p.certify(t.Context(), testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"))
	if ok || err != nil || p.limits.Memory <= p.full.Memory {
		t.Errorf("certified %v, %v: candidates get %d bytes of %d", ok, err, p.limits.Memory, p.full.Memory)
	}
	if p.adjust(new(trace.Run), oracle.TooMuchMemory); p.limits.Memory <= p.full.Memory {
		t.Errorf("after another round candidates get %d bytes of %d", p.limits.Memory, p.full.Memory)
	}
}

// TestHeavyReduction checks that candidates of a failure that first takes much memory stop early, and that
// the minimal trace shows the failure itself.
func TestHeavyReduction(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 2 GiB of memory")
	}
	r := reducerFor(t, "ref:burden=memory", "ipamir")
	r.Workers, r.Limits.CPU, r.Limits.Memory = 1, 20*time.Second, 4<<30
	calls := "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 3 4\nsolve\n"
	for v := 1; v <= 9; v++ {
		calls += fmt.Sprintf("assume %d\n", v)
	}
	result, err := r.Reduce(t.Context(), testtrace.Parse(t, calls+"solve\nobj\n"))
	if err != nil {
		t.Fatal(err)
	}
	if result.Key.Class != oracle.Abort || !result.Minimal || len(result.Trace.Calls) > 9 || !result.After.Always() {
		t.Errorf("%v, minimal %v, failed in %s runs:\n%s", result.Key, result.Minimal, result.After, result.Trace)
	}
	p := newPool(r.Target, r.Description, r.Limits, 1)
	defer p.close()
	p.wanted.Key = result.Key
	if p.adjust(&result.Run, result.Key.Class); p.limits.Growth != leastGrowth || !p.hurried {
		t.Errorf("the memory of candidates may grow by %d bytes", p.limits.Growth)
	}
	same, err := p.certify(t.Context(), testtrace.Parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\n"))
	if same || err != nil || p.limits.Growth != 0 {
		t.Errorf("after a misleading round: %v, %v, growth %d", same, err, p.limits.Growth)
	}
	if p.adjust(&result.Run, result.Key.Class); p.limits.Growth != 0 {
		t.Error("a misleading limit came back")
	}
}
