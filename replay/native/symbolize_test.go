package native

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
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
		return symbolsOf(path)
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
	if symbolsOf("/dev/stdin") != nil || symbolsOf(t.TempDir()) != nil {
		t.Error("something that is no plain file has functions")
	}
}
