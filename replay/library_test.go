package replay_test

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestUnusableLibraries: a failure while a library is loaded is an error of the
// target that quotes it, and not a run.
func TestUnusableLibraries(t *testing.T) {
	limits := tight
	limits.Memory = 128 << 20
	const missing = "Missing::Solver::solve(std::vector<int, std::allocator<int> > const&)"
	for _, c := range []struct{ name, want string }{
		{"stillborn", "ended the process while loading (signal: aborted); it wrote:\nno license found"},
		{"greedy", "exceeded the memory limit while loading"},
		{"unsolving", "the library lacks ipamir_solve"},
		{"unlinked", "undefined symbol: " + missing},
	} {
		for _, way := range isolated {
			_, err := replay.Open(resolve(t, library(t, c.name), ""), way, limits)
			var target *replay.TargetError
			if !errors.As(err, &target) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s/%s: %v, want %q", c.name, way, err, c.want)
			}
		}
	}
	if left := workers(t); len(left) != 0 {
		t.Errorf("processes are left: %v", left)
	}
	for name, want := range map[string]string{"unsolving": "lacks ipamir_solve", "unlinked": missing} {
		_, err := replay.Open(resolve(t, library(t, name), ""), replay.InProcess, tight)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s in process: %v, want %q", name, err, want)
		}
	}
}

// TestLoadsAgain: a library that fails to load now and then, and has loaded before, is loaded again.
func TestLoadsAgain(t *testing.T) {
	moody := resolve(t, library(t, "moody"), "")
	loaded := false
	for range 100 {
		runner, err := replay.Open(moody, replay.Persistent, tight)
		if err == nil {
			loaded = true
			runner.Close()
		} else if loaded {
			t.Fatal(err)
		}
	}
	if what := process.Disturbed(); !strings.Contains(what, "did not load again: it ended the process while loading") {
		t.Errorf("what a target disturbed: %q", what)
	}
}

// TestWarmup: only the first trace of a process may take the additional time.
func TestWarmup(t *testing.T) {
	usual, slow := &trace.Trace{Model: apimodel.IPAMIR}, &trace.Trace{Model: apimodel.IPAMIR}
	usual.Clause(0, true, 666)
	slow.Clause(0, true, 666, 667)
	usual.Plain(0, apimodel.OpSolve)
	slow.Plain(0, apimodel.OpSolve)
	limits := tight
	limits.CPU = 100 * time.Millisecond
	for warmup, want := range map[time.Duration][]trace.End{
		0:           {trace.OutOfCPU, trace.OutOfCPU, trace.OutOfCPU},
		time.Second: {trace.Finished, trace.Finished, trace.OutOfCPU},
	} {
		limits.Warmup = warmup
		runner, err := replay.Open(resolve(t, library(t, "warms"), ""), replay.Persistent, limits)
		if err != nil {
			t.Fatal(err)
		}
		defer runner.Close()
		for i, tr := range []*trace.Trace{usual, usual, slow} {
			var run trace.Run
			if err := runner.Run(t.Context(), tr, &run); err != nil {
				t.Fatal(err)
			}
			if run.End != want[i] {
				t.Errorf("warmup %v, trace %d: %v, want %v", warmup, i, run.End, want[i])
			}
		}
	}
}

// TestOddButLegal: what a library may do.
func TestOddButLegal(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"greets", "nullhandle", "healthy"} {
		for _, way := range ways {
			got := run(t, openRunner(t, resolve(t, library(t, name), ""), way, tight), provoked(t))
			if got.End != trace.Finished || got.Answers.At(provokedSolve).Num != 30 {
				t.Errorf("%s/%s: %+v", name, way, got)
			}
		}
	}
}

// TestMissingFunctions: a library without a function lacks its capability, and
// calls of the function are marked.
func TestMissingFunctions(t *testing.T) {
	t.Parallel()
	tr := parse(t, "ipafuzz 1 ipamir\nterminate 3\noption level 2\nhavoc 5\nsolve\nobj\n")
	for _, way := range ways {
		runner := openRunner(t, resolve(t, library(t, "bare"), ""), way, tight)
		d, err := runner.Description()
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"havoc", "options", "proof", "terminate"}; !slices.Equal(d.Lacks, want) {
			t.Errorf("%s: it lacks %v, want %v", way, d.Lacks, want)
		}
		got := run(t, runner, tr)
		for i, want := range []trace.AnswerKind{trace.Unsupported, trace.Unsupported, trace.Unsupported, trace.Answered,
			trace.Answered} {
			if got.Answers.At(i).Kind != want {
				t.Errorf("%s: call %d: %+v", way, i, got.Answers.At(i))
			}
		}
	}
	target := resolve(t, library(t, "bare")+":level=1", "")
	if _, err := replay.Open(target, replay.Fork, tight); err == nil ||
		!strings.Contains(err.Error(), "takes no options") {
		t.Errorf("error %v", err)
	}
}

// TestDescription: the description is the library's, without the options that the user has set.
func TestDescription(t *testing.T) {
	t.Parallel()
	path := library(t, "describes")
	for _, way := range ways {
		runner := openRunner(t, resolve(t, path+":level=2", ""), way, tight)
		d, err := runner.Description()
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Options) != 1 || d.Option("trusted") == nil || !slices.Equal(d.Lacks, []string{"instances", "proof"}) {
			t.Errorf("%s: %+v", way, d)
		}
		got := run(t, runner, parse(t, "ipafuzz 1 ipamir\n"+
			"option level 3\noption level 17\nhavoc 21474836480\nsolve\nval 1\n"))
		if a := got.Answers; a.At(0).Int() != 0 || a.At(1).Int() != 1 || a.At(4).Int() != 5 {
			t.Errorf("%s: %+v", way, got)
		}
	}
	if _, err := replay.Open(resolve(t, path+":level=17", ""), replay.Fork, tight); err == nil ||
		!strings.Contains(err.Error(), "refuses option level=17") {
		t.Errorf("a refused option: %v", err)
	}
	target := resolve(t, path, "")
	target.Lacks = []string{"havoc"}
	d, err := openRunner(t, target, replay.Fork, tight).Description()
	if err != nil || !slices.Contains(d.Lacks, "havoc") || d.Has("havoc") {
		t.Errorf("what the user says it lacks: %+v, %v", d, err)
	}
}

// TestIPASIR2Options: the options of the final interface are found and set, a
// table of a draft does no harm.
func TestIPASIR2Options(t *testing.T) {
	t.Parallel()
	path := library(t, "ipasir2")
	runner := openRunner(t, resolve(t, path, ""), replay.Fork, tight)
	d, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	if level := d.Option("level"); len(d.Options) != 2 || level == nil || level.Kind != apimodel.Int ||
		level.When != apimodel.Anytime {
		t.Errorf("%+v", d.Options)
	}
	if seed := d.Option("seed"); seed == nil || seed.When == apimodel.Anytime {
		t.Errorf("%+v", seed)
	}
	got := run(t, runner, parse(t, "ipafuzz 1 ipasir\n"+
		"option level 7\noption level 10\noption level 8x\noption each 1\noption nothing 1\nsolve\nval 1\n"))
	for i, want := range []int64{0, 1, 7, 0, 4, 10, 7} {
		if a := got.Answers.At(i); a.Int() != want {
			t.Errorf("call %d answers %d, want %d", i, a.Int(), want)
		}
	}
	draft := openRunner(t, resolve(t, library(t, "ipasir2", "-DDRAFT"), ""), replay.Fork, tight)
	if d, err := draft.Description(); err != nil || len(d.Options) > 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if got := run(t, draft, parse(t, "ipafuzz 1 ipasir\noption seed 7\nsolve\n")); got.End != trace.Finished {
		t.Errorf("%+v", got)
	}
}

// TestIPASIR2BesideOthers: a library that describes the options of its other interfaces, too, has the options
// that IPASIR-2 lists when it is fuzzed as such, and takes all of them. What else it describes holds.
func TestIPASIR2BesideOthers(t *testing.T) {
	t.Parallel()
	runner := openRunner(t, resolve(t, builtInLibrary(t), "ipasir2"), replay.Fork, tight)
	d, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	if d.Option("maxsat") != nil || len(d.Options) == 0 || len(d.Policies) == 0 {
		t.Errorf("options %+v, policies %v", d.Options, d.Policies)
	}
	for _, o := range d.Options {
		text := fmt.Sprintf("ipafuzz 1 ipasir2\noption %s %s\nsolve\n", o.Name, o.Samples()[0])
		if got := run(t, runner, parse(t, text)); got.Answers.At(0).Int() != 0 {
			t.Errorf("%s answers %d", text, got.Answers.At(0).Int())
		}
	}
}

// TestGarbageAnswers: unknown statuses are passed on, and no query follows them,
// because the state is unknown.
func TestGarbageAnswers(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		got := run(t, openRunner(t, resolve(t, library(t, "garbage"), ""), way, tight),
			parse(t, "ipafuzz 1 ipamir\nsignature\nsolve\nval 1\nmodel\nobj\nhard 1 0\nsolve\n"))
		a := &got.Answers
		if got.End != trace.Finished || a.TextOf(a.At(0)) != "\xff\xfe \x01 garbage" || a.At(1).Int() != 31337 ||
			a.At(6).Int() != 31337 {
			t.Errorf("%s: %+v", way, got)
		}
		for _, i := range []int{2, 3, 4} {
			if a.At(i).Kind != trace.Withheld {
				t.Errorf("%s: call %d was made in an unknown state: %+v", way, i, a.At(i))
			}
		}
	}
}

// TestLateCallbacks: calls of removed callbacks do no harm and are counted where they
// happen, even if the solver or the trace of the callback is over.
func TestLateCallbacks(t *testing.T) {
	tr := parse(t, "ipafuzz 1 ipamir\n"+
		"terminate 1\n@1 terminate 2\nterminate off\nsolve\n@1 solve\nrelease\n@1 solve\ninit\nsolve\n")
	for _, way := range ways {
		runner := openRunner(t, resolve(t, library(t, "late"), ""), way, tight)
		for range 20 {
			if got := run(t, runner, tr); got.End != trace.Finished || got.Answers.EffortOf(got.Answers.At(4)).Polls == 0 {
				t.Fatalf("%s: %+v", way, got)
			}
		}
	}
}

// TestSymbolsDoNotMeet: two libraries in one process have functions of the same names, one of
// which is a name of ipafuzz, too. Each uses its own functions. So does a library with an
// allocator.
func TestSymbolsDoNotMeet(t *testing.T) {
	t.Parallel()
	tr := parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nval 1\n")
	for _, c := range []struct {
		path string
		want int64
	}{
		{library(t, "namesakes", "-DNUMBER=3"), 3},
		{library(t, "namesakes", "-DNUMBER=4"), 4},
		{library(t, "allocator", "-fno-builtin"), 1},
	} {
		if sanitized && strings.HasSuffix(c.path, "allocator.so") {
			continue
		}
		for _, way := range ways {
			if got := run(t, openRunner(t, resolve(t, c.path, ""), way, tight), tr).Answers.At(2).Int(); got != c.want {
				t.Errorf("%s %s: %d, want %d", filepath.Base(c.path), way, got, c.want)
			}
		}
	}
}

// TestOneHeap: a library with an allocator of its own may free what the C library
// has allocated for it, as in a program that was linked with it.
func TestOneHeap(t *testing.T) {
	t.Parallel()
	tr := parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nval 1\n")
	target := resolve(t, library(t, "strdups", "-fno-builtin"), "")
	for _, way := range []replay.Way{replay.Fork, replay.Persistent} {
		if got := run(t, openRunner(t, target, way, tight), tr); got.End != trace.Finished || got.Answers.At(2).Int() != 1 {
			t.Errorf("%s: %+v", way, got)
		}
	}
}

// TestNothingIsExported: a library under test never finds a function of the
// interface, or of the executor, in the program.
func TestNothingIsExported(t *testing.T) {
	programs := []string{"/proc/self/exe"}
	if !testing.Short() {
		program := filepath.Join(t.TempDir(), "ipafuzz")
		if said, err := exec.Command("go", "build", "-o", program, "../cmd/ipafuzz").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		programs = append(programs, program)
	}
	for _, path := range programs {
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		symbols, err := file.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range symbols {
			for _, prefix := range []string{"ipasir", "ipamir", "ipafuzz", "ref_"} {
				if s.Section != elf.SHN_UNDEF && strings.HasPrefix(s.Name, prefix) {
					t.Errorf("%s exports %s", path, s.Name)
				}
			}
		}
	}
}

// TestOptionsAreOnlyText: ipafuzz does not open, load or run anything that a trace names.
func TestOptionsAreOnlyText(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles libraries: 4 s")
	}
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	text := "ipafuzz 1 ipamir\noption " + library(t, "greets") + " " + mark + "\noption proof " + mark +
		"\noption LD_PRELOAD " + library(t, "stillborn") + "\noption sh touch\\x20" + mark + "\nsolve\n"
	for _, spec := range []string{"ref", builtInLibrary(t), library(t, "describes")} {
		for _, way := range ways {
			got := run(t, openRunner(t, resolve(t, spec, ""), way, tight), parse(t, text))
			if got.End != trace.Finished {
				t.Errorf("%s %s: %+v", spec, way, got)
			}
			for i := range 4 {
				if got.Answers.At(i).Int() == 0 {
					t.Errorf("%s %s: option %d is taken", spec, way, i)
				}
			}
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files have been made: %v, %v", entries, err)
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err != nil ||
		strings.Contains(string(maps), filepath.Base(library(t, "stillborn"))) {
		t.Errorf("a library that a trace named is loaded (%v)", err)
	}
}
