package replay_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/native"
	"github.com/ipafuzz/ipafuzz/trace"
)

// everyCall has every call of its model, several solvers, and answers that
// depend on what was asked before.
var everyCall = map[string]string{
	"ipamir": `ipafuzz 1 ipamir
signature
init
hard 1 2
hard 3 0
hard -1 -2 0
@7 hard 5 0
soft 1 4
soft 2 9223372036854775808
soft -3 2
terminate 1
terminate off
assume -3
solve = 30
obj = 6
val -1
model
@7 solve
@7 model
@7 obj
solve = 30
obj
model
hard -3 0
assume 3
solve
val 3
obj
solve
model
release
init
hard 9 0
solve
model
`,
	"ipasir": `ipafuzz 1 ipasir
signature
add 1 2
add 3 0
add -1 -2 0
@65535 add 5 0
learn 10
terminate 0
assume -3
assume -1
assume 4
solve = 10
val 2
val -4
model
learn off
assume 1
assume 2
solve
failed 1
failed 2
core
model
@65535 solve
@65535 model
add 0
solve = 20
core
release
init
add 9 0
solve
model
`,
	"ipasir2": `ipafuzz 1 ipasir2
signature
errors = 0
option seed 3
learn 10
terminate 0
add 1 2
add 3 0
import -1 0
import 4 5 0
assume -3
solve = 10
model
misuse 0
misuse 9
misuse 11
errors = 0
@7 add 5 0
assume -4
assume -5
solve = 20
failed -4
failed 3
core
misuse 2
@7 misuse 5
@7 solve
@7 model
release
init
errors = 0
`,
	"qbf": `ipafuzz 1 qbf
signature
exists 1 2 0
forall 3 0
exists 0
exists 4 0
extend 3 5 0
clause 1 -3
clause 4 0
clause 3 -4 2 0
terminate 1
terminate off
push
clause -1 0
assume 2
solve = 10
val -1 = -1
model
core
push
clause -4 0
solve = 20
val 1 = 0
failed 2
pop
pop
assume -2
assume -1
solve = 10
failed -2
failed -1
core
@7 forall 1 2 0
@7 exists 3 0
@7 open 4
@7 clause 1 3 0
@7 clause 2 -3 0
@7 solve = 20
@7 val 1 = -1
@7 val 3 = 0
@7 close 4
@7 deactivate 4
@7 open 0
@7 clause 0
@7 close 0
@7 solve = 20
@7 delete 0
@7 assume 2
@7 solve = 10
@7 core
@7 activate 4
@7 assume 2
@7 solve = 10
@7 model
@7 core
@7 delete 4
release
init
forall 9 0
assume -9
clause -9 0
solve = 10
model
`,
}

func answered(tr *trace.Trace, run *trace.Run) string {
	log := tr.Clone()
	log.Want, log.Got = trace.Answers{}, run.Answers
	return log.String()
}

// directory lays out an official submission with the built-in library in it.
func directory(t testing.TB, model string) string {
	t.Helper()
	needTool(t, "ar")
	dir := filepath.Join(t.TempDir(), "refdir")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	archive(t, filepath.Join(dir, "lib"+model+"refdir.a"), builtInObjects(t)...)
	return dir
}

func archive(t testing.TB, path string, objects ...string) {
	t.Helper()
	if said, err := exec.Command("ar", append([]string{"rcs", path}, objects...)...).CombinedOutput(); err != nil {
		t.Fatalf("ar: %v\n%s", err, said)
	}
}

// TestDraftOfIPASIR2: an archive of the last draft, where value was named val, is linked, and 'targets inspect' shows
// the name that it has.
func TestDraftOfIPASIR2(t *testing.T) {
	t.Parallel()
	needTool(t, "objcopy")
	var objects []string
	for _, object := range builtInObjects(t) {
		renamed := filepath.Join(t.TempDir(), filepath.Base(object))
		said, err := exec.Command("objcopy", "--redefine-sym", "ipasir2_value=ipasir2_val", object, renamed).CombinedOutput()
		if err != nil {
			t.Fatalf("objcopy: %v\n%s", err, said)
		}
		objects = append(objects, renamed)
	}
	path := filepath.Join(t.TempDir(), "libdraft.a")
	archive(t, path, objects...)
	target := resolve(t, path, "ipasir2")
	runner := openRunner(t, target, replay.Fork, tight)
	got := run(t, runner, parse(t, "ipafuzz 2 ipasir2\nadd -1 0\nsolve\nval -1\n"))
	if got.End != trace.Finished || got.Answers.At(2).Int() != -1 {
		t.Errorf("%+v", got)
	}
	symbols, err := target.Symbols()
	if err != nil || !slices.Contains(symbols, replay.Symbol{Name: "ipasir2_val", Exported: true, Demanded: true}) {
		t.Errorf("%+v, %v", symbols, err)
	}
	if native.DraftFlag(target) == "" || native.DraftFlag(resolve(t, builtInLibrary(t), "ipasir2")) != "" {
		t.Error("which of the two is a draft is not seen")
	}
}

// TestOneTraceEveryWay: the same trace has the same answers on the built-in
// library and on itself as a shared one and as a submitted directory, in every
// way of running it.
func TestOneTraceEveryWay(t *testing.T) {
	t.Parallel()
	for model, text := range everyCall {
		tr := parse(t, text)
		want, from := "", ""
		specs := []string{"ref", builtInLibrary(t)}
		if !testing.Short() || model == "ipamir" { // the compiler takes a second
			specs = append(specs, directory(t, model))
		}
		for _, spec := range specs {
			target := resolve(t, spec, model)
			for _, way := range ways {
				if way == replay.InProcess && target.Kind == replay.Static {
					continue
				}
				runner := openRunner(t, target, way, replay.DefaultLimits)
				for range 2 {
					got := run(t, runner, tr)
					if got.End != trace.Finished {
						t.Fatalf("%s %s: %+v", spec, way, got)
					}
					if log := answered(tr, got); want == "" {
						want, from = log, spec+" "+string(way)
						checkExpectations(t, tr, got)
					} else if log != want {
						t.Errorf("%s %s:\n%s\n%s:\n%s", spec, way, log, from, want)
					}
				}
				d, err := runner.Description()
				if err != nil || len(d.Options) == 0 || !d.Has("terminate") || !d.Has("learn") && tr.Model.Uses("learn") {
					t.Errorf("%s %s: description %+v, %v", spec, way, d, err)
				}
				runner.Close()
			}
		}
	}
}

func checkExpectations(t *testing.T, tr *trace.Trace, run *trace.Run) {
	for i := range tr.Calls {
		if want := tr.Want.At(i); want.Kind == trace.Answered && want.Num != run.Answers.At(i).Num {
			t.Errorf("call %d answers %d, want %d", i, run.Answers.At(i).Num, want.Num)
		}
	}
}

// TestWrongModel: a trace for another model is an error and no run.
func TestWrongModel(t *testing.T) {
	for _, way := range ways {
		runner := openRunner(t, resolve(t, "ref", "ipasir"), way, tight)
		var got trace.Run
		if err := runner.Run(context.Background(), calm(t), &got); err == nil || !strings.Contains(err.Error(), "model") {
			t.Errorf("%s: error %v", way, err)
		}
	}
}

// TestLinkedOnce: a directory is linked again when something of it has changed.
func TestLinkedOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("links twice")
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := directory(t, "ipamir")
	first := resolve(t, dir, "")
	program := linked(t, first)
	stat, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	again := resolve(t, dir, "")
	if same, err := os.Stat(program); err != nil || linked(t, again) != program || !same.ModTime().Equal(stat.ModTime()) {
		t.Errorf("it was linked twice: %s, then %s", program, linked(t, again))
	}
	if first.Identify() != again.Identify() || first.Identify().Size == 0 {
		t.Errorf("identities %+v, %+v", first.Identify(), again.Identify())
	}
	write(t, filepath.Join(dir, "LIBS"), "-lm\n")
	if changed := resolve(t, dir, ""); linked(t, changed) == program {
		t.Error("it was not linked again with other LIBS")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(program), "build-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// linked returns the program that a directory target runs.
func linked(t *testing.T, target *replay.Target) string {
	t.Helper()
	native, ok := target.Driver.(replay.NativeDriver)
	if !ok {
		t.Fatalf("%s has no program", target.Name)
	}
	return native.Binary(target)
}

// TestOptionalFunctionsInMembersOfTheirOwn are linked too, which a weak
// reference alone does not do.
func TestOptionalFunctionsInMembersOfTheirOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("links twice")
	}
	t.Parallel()
	needTool(t, "ar")
	dir := t.TempDir()
	for _, name := range []string{"bare", "terminate"} {
		cc(t, "-c", "-fPIC", "-o", filepath.Join(dir, name+".o"), filepath.Join("testdata", name+".c"))
	}
	for name, members := range map[string][]string{"without": {"bare.o"}, "with": {"bare.o", "terminate.o"}} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range members {
			members[i] = filepath.Join(dir, members[i])
		}
		archive(t, filepath.Join(dir, name, "libipamir"+name+".a"), members...)
		d, err := openRunner(t, resolve(t, filepath.Join(dir, name), ""), replay.Fork, tight).Description()
		if err != nil || d.Has("terminate") != (name == "with") {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestInProcessRuns: a target runs in this process, and a context that has ended is
// an error.
func TestInProcessRuns(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, library(t, "healthy"), ""), replay.InProcess, tight)
	if got := run(t, runner, provoked(t)); got.End != trace.Finished || got.Answers.At(provokedSolve).Num != 30 {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, way := range ways {
		var got trace.Run
		if err := openRunner(t, resolve(t, "ref", ""), way, tight).Run(ctx, calm(t), &got); err != context.Canceled {
			t.Errorf("%s: error %v", way, err)
		}
	}
}

// TestHeapIsMeasured: of each trace when that is asked for.
func TestHeapIsMeasured(t *testing.T) {
	runner, err := replay.OpenHeap(t.Context(), resolve(t, library(t, "leaks"), ""), replay.Limits{Wall: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	for range 3 {
		if got := run(t, runner, provoked(t)); got.Usage.HeapDelta < 5000 || got.Usage.HeapDelta > 6000 {
			t.Errorf("a leak of 5,000 bytes is seen as %d", got.Usage.HeapDelta)
		}
		if got := run(t, runner, calm(t)); got.Usage.HeapDelta > 64 { // glibc counts its cache as used
			t.Errorf("no leak is seen as %d", got.Usage.HeapDelta)
		}
	}
}

// TestRandomTracesEveryWay: in batches and one by one, forked and not, random
// traces have the answers that they have in this process.
func TestRandomTracesEveryWay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testseed.Of(t, uint64(time.Now().UnixNano())), 0))
	for _, model := range append(apimodel.Models(), apimodel.QBF) {
		generator, err := gen.New(gen.Config{Model: model, Profile: "tiny"})
		if err != nil {
			t.Fatal(err)
		}
		target := resolve(t, "ref", model.Name)
		var traces []*trace.Trace
		var want []string
		here := openRunner(t, target, replay.InProcess, tight)
		for range 200 {
			tr := new(trace.Trace)
			generator.Generate(random.Uint64(), tr)
			traces, want = append(traces, tr), append(want, answered(tr, run(t, here, tr)))
		}
		for _, way := range isolated {
			runs, _ := collectAll(t, openStream(t, target, way, replay.DefaultLimits, 3, 16), traces, 16)
			for i := range runs {
				if got := answered(traces[i], &runs[i]); got != want[i] {
					t.Fatalf("%s, trace %d:\n%s\nin process:\n%s", way, i, got, want[i])
				}
			}
		}
	}
}
