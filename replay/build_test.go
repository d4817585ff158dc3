package replay_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// libraries are the broken libraries of testdata, each built once a test run.
var libraries = struct {
	sync.Mutex
	dir   string
	built map[string]string
}{built: make(map[string]string)}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == runnerWord {
		beRunner(os.Args[2])
		return
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "ipafuzz-replay-")
	if err != nil {
		panic(err)
	}
	libraries.dir = dir
	os.Setenv("IPAFUZZ_CACHE", filepath.Join(dir, "cache"))
	if err := process.AdoptStrays(); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// skip leaves a test out for want of a tool; where everything must be there, it
// fails.
func skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func needTool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		skip(t, name+" is not installed")
	}
}

// cc runs the C compiler.
func cc(t testing.TB, arguments ...string) {
	t.Helper()
	needTool(t, "cc")
	if said, err := exec.Command("cc", arguments...).CombinedOutput(); err != nil {
		t.Fatalf("cc %s: %v\n%s", strings.Join(arguments, " "), err, said)
	}
}

// library builds testdata/<name>.c and returns the path of the shared library.
func library(t testing.TB, name string, flags ...string) string {
	t.Helper()
	libraries.Lock()
	defer libraries.Unlock()
	key := strings.Join(append([]string{name}, flags...), " ")
	if path, ok := libraries.built[key]; ok {
		return path
	}
	path := filepath.Join(libraries.dir, fmt.Sprintf("%d-%s.so", len(libraries.built), name))
	cc(t, append([]string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror",
		"-o", path, filepath.Join("testdata", name+".c")}, flags...)...)
	libraries.built[key] = path
	return path
}

// builtInObjects compiles the reference library for archives and for a shared
// library, once.
func builtInObjects(t testing.TB) []string {
	t.Helper()
	libraries.Lock()
	defer libraries.Unlock()
	dir := filepath.Join(libraries.dir, "objects")
	if _, err := os.Stat(dir); err != nil {
		sources, err := filepath.Glob("../cexternal/ref/*.c")
		if err != nil || len(sources) == 0 {
			t.Fatal("the sources of the built-in library are not there")
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, source := range sources {
			cc(t, "-c", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O2", "-DREF_SHARED", "-I../cexternal/exec",
				"-o", filepath.Join(dir, filepath.Base(source)+".o"), source)
		}
	}
	objects, err := filepath.Glob(filepath.Join(dir, "*.o"))
	if err != nil || len(objects) == 0 {
		t.Fatal("the built-in library was not compiled")
	}
	return objects
}

func builtInLibrary(t testing.TB) string {
	t.Helper()
	path := filepath.Join(libraries.dir, "libipafuzzref.so")
	if _, err := os.Stat(path); err != nil {
		cc(t, append([]string{"-shared", "-o", path}, builtInObjects(t)...)...)
	}
	return path
}

func resolve(t testing.TB, spec, model string) *replay.Target {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func openRunner(t testing.TB, target *replay.Target, way replay.Way, limits replay.Limits) replay.Runner {
	t.Helper()
	runner, err := replay.Open(target, way, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(runner.Close)
	return runner
}

func run(t testing.TB, runner replay.Runner, tr *trace.Trace) *trace.Run {
	t.Helper()
	var got trace.Run
	if err := runner.Run(context.Background(), tr, &got); err != nil {
		t.Fatal(err)
	}
	return &got
}

func parse(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calm is a trace that no library of testdata takes badly; the call of the
// provoked one that goes wrong is its solve.
func calm(t testing.TB) *trace.Trace {
	return parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsolve\nobj\nmodel\n")
}

func provoked(t testing.TB) *trace.Trace {
	return parse(t, "ipafuzz 1 ipamir\nhard 1 2 0\nhard 666 0\nsoft 1 3\nsolve\nobj\nmodel\n")
}

const provokedSolve = 3

func itoa(n int) string { return strconv.Itoa(n) }

func copyFile(t testing.TB, from, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
