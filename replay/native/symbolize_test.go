package native

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

// TestFunctionsOfARebuiltModule: the functions of a module are read again when its
// file has changed.
func TestFunctionsOfARebuiltModule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lib.so")
	build := func(source string) symbolTable {
		t.Helper()
		file := filepath.Join(t.TempDir(), "lib.c")
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "cc", "-shared", "-fPIC", "-o", path, file)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return moduleOf(path).functions
	}
	has := func(table symbolTable, name string) bool {
		return slices.ContainsFunc(table, func(s elf.Symbol) bool { return s.Name == name })
	}
	if !has(build("int before (void) { return 1; }"), "before") {
		t.Error("a function is missing")
	}
	if after := build("int after (int n) { return n + 2; }"); has(after, "before") || !has(after, "after") {
		t.Error("the functions are those of the former build")
	}
	if moduleOf("/dev/stdin") != nil || moduleOf(t.TempDir()) != nil {
		t.Error("something that is not a plain file has functions")
	}
}

// TestInlinedFunctions checks that a frame becomes the functions of the source: inlined
// ones too, demangled, with lines if there is debug information.
func TestInlinedFunctions(t *testing.T) {
	source := filepath.Join(t.TempDir(), "lib.cc")
	text := "static inline __attribute__((always_inline)) int deepest(volatile int *p) {\n  return *p / *p;\n}\n" +
		"static inline __attribute__((always_inline)) int deep(int *p) {\n  return deepest(p) + 1;\n}\n" +
		"struct Solver {\n  __attribute__((noinline)) int f(int *p) {\n    return deep(p) + 2;\n  }\n};\n\n" +
		"extern \"C\" int entry(int *p) { Solver s; return s.f(p) + 3; }\n"
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	build := func(flags ...string) string {
		path := filepath.Join(t.TempDir(), "lib.so")
		cmd := exec.CommandContext(t.Context(), "c++", append(flags, "-shared", "-fPIC", "-O1", "-o", path, source)...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return path
	}
	start := func(path string) uint64 {
		for _, s := range moduleOf(path).functions {
			if s.Name == "_ZN6Solver1fEPi" {
				return s.Value
			}
		}
		t.Fatal("no such function")
		return 0
	}
	texts := func(frames []trace.Frame) (all []string) {
		for _, f := range frames {
			all = append(all, f.Function+" "+f.Place)
		}
		return all
	}
	debug := build("-g")
	want := []string{"deepest lib.cc:2", "deep lib.cc:5", "Solver::f lib.cc:9"}
	at := func(offset uint64, caller bool) []string {
		return texts(symbolize(trace.Frame{Module: debug, Offset: offset}, "", caller))
	}
	found := false
	for offset := start(debug); offset < start(debug)+16; offset++ {
		found = found || slices.Equal(at(offset, false), want)
		if !slices.Equal(at(offset, false), at(offset+1, true)) {
			t.Errorf("%#x: a caller's address is not the next one", offset)
		}
	}
	if !found {
		for offset := start(debug); offset < start(debug)+16; offset++ {
			t.Logf("%#x: %q", offset, at(offset, false))
		}
		t.Errorf("no address is in %q", want)
	}
	for _, s := range moduleOf(debug).functions { // in another sequence of lines
		if s.Name == "entry" && !slices.Equal(at(s.Value, false), []string{"entry lib.cc:13"}) {
			t.Errorf("entry is %q", at(s.Value, false))
		}
	}
	plain := build()
	if got := texts(symbolize(trace.Frame{Module: plain, Offset: start(plain) + 1}, "", false)); !slices.Equal(got,
		[]string{"Solver::f +0x1"}) {
		t.Errorf("without debug information: %q", got)
	}
	if got := symbolize(trace.Frame{Module: "/no/such/file", Offset: 7}, "", false); len(got) != 1 || got[0].Offset != 7 {
		t.Errorf("of a module that is gone: %v", got)
	}
}
