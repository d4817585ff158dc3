package replay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// cplusHonest is an IPAMIR library in C++; VALUE is what val returns.
const cplusHonest = `
const char *ipamir_signature (void) { return "c++"; }
void *ipamir_init (void) { return new int; }
void ipamir_release (void *s) { delete (int *) s; }
void ipamir_add_hard (void *, int32_t) {}
void ipamir_add_soft_lit (void *, int32_t, uint64_t) {}
void ipamir_assume (void *, int32_t) {}
int ipamir_solve (void *) { return 30; }
uint64_t ipamir_val_obj (void *) { return 0; }
int32_t ipamir_val_lit (void *, int32_t lit) { return VALUE; }
`

// cplusDirectory makes the directory of a library in C++ that needs extra, a function
// in C of ../extra/libextra.a.
func cplusDirectory(t *testing.T) string {
	t.Helper()
	needTool(t, "g++")
	needTool(t, "ar")
	root := t.TempDir()
	dir := filepath.Join(root, "cplus")
	for _, name := range []string{dir, filepath.Join(root, "extra")} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	part := filepath.Join(root, "part.c")
	write(t, part, "int extra (void) { return 1; }\n")
	cc(t, "-c", part, "-o", filepath.Join(root, "part.o"))
	archive(t, filepath.Join(root, "extra", "libextra.a"), filepath.Join(root, "part.o"))
	source := filepath.Join(root, "glue.cpp")
	write(t, source, `#include <vector>
#include <cstdint>
#include <cstdlib>
extern "C" int extra (void);
static std::vector<int> values;
#define VALUE (values.push_back (lit), values.back () * extra ())
extern "C" {`+cplusHonest+"}\n")
	object := filepath.Join(root, "glue.o")
	if said, err := exec.Command("g++", "-O1", "-c", source, "-o", object).CombinedOutput(); err != nil {
		t.Fatalf("g++: %v\n%s", err, said)
	}
	archive(t, filepath.Join(dir, "libipamircplus.a"), object)
	return dir
}

// TestDirectoriesInCPlusPlus need no LINK. Relative paths in LIBS are from the
// directory, and a library that LIBS names is part of what decides whether to link
// again. Compilers from the environment serve their own languages.
func TestDirectoriesInCPlusPlus(t *testing.T) {
	if testing.Short() {
		t.Skip("links several times")
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := cplusDirectory(t)
	write(t, filepath.Join(dir, "LIBS"), "../extra/libextra.a\n")
	programs := make(map[string]bool)
	for _, environment := range []struct{ cc, cxx string }{
		{"", ""}, {"g++", ""}, {"false", ""}, {"", "false"}, {"cc -g0", "g++ -g0"},
	} {
		t.Setenv("CC", environment.cc)
		t.Setenv("CXX", environment.cxx)
		target, err := targets.Resolve(dir, "", nil)
		if environment.cc == "false" || environment.cxx == "false" {
			if err == nil || !strings.Contains(err.Error(), "it cannot be linked: false: exit status 1") {
				t.Errorf("with %+v: %v", environment, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("with %+v: %v", environment, err)
			continue
		}
		programs[linked(t, target)] = true
		got := run(t, openRunner(t, target, replay.Fork, tight), calm(t))
		if got.End != trace.Finished || got.Answers.At(2).Num != 30 {
			t.Errorf("with %+v: %+v", environment, got)
		}
	}
	t.Setenv("CC", "")
	t.Setenv("CXX", "")
	object := filepath.Join(filepath.Dir(dir), "part.o")
	write(t, filepath.Join(filepath.Dir(dir), "part.c"), "int extra (void) { return -1; }\n")
	cc(t, "-c", filepath.Join(filepath.Dir(dir), "part.c"), "-o", object)
	archive(t, filepath.Join(filepath.Dir(dir), "extra", "libextra.a"), object)
	programs[linked(t, resolve(t, dir, ""))] = true
	if len(programs) != 4 { // three environments, and another libextra.a
		t.Errorf("there are %d programs, want 4", len(programs))
	}
}

// TestLibraryInDirectory: LIBS may name a library in the directory, as the makefiles of the official applications
// find it there, and a change of that library is noticed.
func TestLibraryInDirectory(t *testing.T) {
	if testing.Short() {
		t.Skip("links several times")
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := cplusDirectory(t)
	root := filepath.Dir(dir)
	write(t, filepath.Join(dir, "LIBS"), "-lmore\n")
	programs := make(map[string]bool)
	for _, text := range []string{"int extra (void) { return 0; }\n", "int extra (void) { return -1; }\n"} {
		write(t, filepath.Join(root, "more.c"), text)
		cc(t, "-c", filepath.Join(root, "more.c"), "-o", filepath.Join(root, "more.o"))
		archive(t, filepath.Join(dir, "libmore.a"), filepath.Join(root, "more.o"))
		programs[linked(t, resolve(t, dir, ""))] = true
	}
	if len(programs) != 2 {
		t.Errorf("there are %d programs, want 2", len(programs))
	}
}

// TestFailedLinks are explained in at most ten lines: symbols demangled, the cause, a
// remedy, and the log.
func TestFailedLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("links several times")
	}
	t.Setenv("IPAFUZZ_CACHE", t.TempDir())
	dir := cplusDirectory(t)
	root := filepath.Dir(dir)
	main := filepath.Join(root, "main.c")
	write(t, main, "int extra (void) { return 0; }\nint main (void) { return 0; }\n")
	cc(t, "-c", main, "-o", filepath.Join(root, "main.o"))
	archive(t, filepath.Join(root, "extra", "libmain.a"), filepath.Join(root, "main.o"))
	for _, c := range []struct {
		dir, link, libs string
		want            []string
	}{
		{dir, "", "", []string{"\n  undefined: extra\n", "remedy: name it in the file LIBS in " + dir}},
		{dir, "cc", "../extra/libextra.a", []string{"undefined: operator ", "undefined: std::",
			"likely cause: it needs the library of C++, which cc does not link",
			"remedy: write c++ into the file LINK in " + dir}},
		{dir, "", "../extra/gone.a", []string{"cannot find ../extra/gone.a", "remedy: build or install it, or correct"}},
		{dir, "", "-lnosuchlibrary", []string{"cannot find -lnosuchlibrary"}},
		{dir, "no-such-compiler", "", []string{"needs a compiler"}},
		{dir, "/opt/no/such/compiler", "", []string{"needs a compiler"}},
		{dir, "", "../extra/libmain.a", []string{"defined twice: main", "ar d ARCHIVE OBJECT"}},
	} {
		write(t, filepath.Join(c.dir, "LINK"), c.link)
		write(t, filepath.Join(c.dir, "LIBS"), c.libs)
		_, err := targets.Resolve(c.dir, "", nil)
		if err == nil {
			t.Errorf("LINK %q, LIBS %q: it can be linked", c.link, c.libs)
			continue
		}
		said := err.Error()
		if lines := strings.Count(said, "\n") + 1; lines > 10 {
			t.Errorf("LINK %q, LIBS %q: %d lines:\n%s", c.link, c.libs, lines, said)
		}
		for _, want := range c.want {
			if !strings.Contains(said, want) {
				t.Errorf("LINK %q, LIBS %q: want %q in:\n%s", c.link, c.libs, want, said)
			}
		}
		if _, log, ok := strings.Cut(said, "printed: "); ok {
			if text, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(text), "in "+c.dir+"\n") {
				t.Errorf("the log %s: %v\n%s", log, err, text)
			}
		} else if c.want[0] != "needs a compiler" {
			t.Errorf("LINK %q, LIBS %q: no log is named:\n%s", c.link, c.libs, said)
		}
	}
}

// TestNamesOfOurOwn: a library may define main and the functions of ipafuzz, and two libraries
// each other's functions; that of the first one counts.
func TestNamesOfOurOwn(t *testing.T) {
	if testing.Short() {
		t.Skip("links")
	}
	t.Parallel()
	needTool(t, "ar")
	needTool(t, "objcopy")
	root := t.TempDir()
	dir := filepath.Join(root, "names")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "names.c"), `#include <stdint.h>
#include <stdlib.h>
void ipafuzz_worker (void) { abort (); }
void ipafuzz_exec (void) { abort (); }
int main (void) { abort (); }
void ipafuzz_prepare_crashes (void) { abort (); }
int shared (void) { return 1; }
int other (void);
#define VALUE lit * shared () * other ()
`+strings.NewReplacer("new int", "malloc (1)", "delete (int *) s", "free (s)",
		"(void *, int32_t)", "(void *s, int32_t lit)", "(void *, int32_t, uint64_t)", "(void *s, int32_t lit, uint64_t w)",
		"(void *)", "(void *s)", "(void *, int32_t lit)", "(void *s, int32_t lit)").Replace(cplusHonest))
	write(t, filepath.Join(root, "second.c"), "int other (void) { return 1; }\n")
	write(t, filepath.Join(root, "third.c"), "int shared (void) { return -1; }\n")
	for _, name := range []string{"names", "second", "third"} {
		cc(t, "-c", filepath.Join(root, name+".c"), "-o", filepath.Join(root, name+".o"))
	}
	archive(t, filepath.Join(dir, "libipamirnames.a"), filepath.Join(root, "names.o"))
	archive(t, filepath.Join(root, "libsecond.a"), filepath.Join(root, "second.o"), filepath.Join(root, "third.o"))
	write(t, filepath.Join(dir, "LIBS"), "../libsecond.a\n")
	got := run(t, openRunner(t, resolve(t, dir, ""), replay.Fork, tight), calm(t))
	if got.End != trace.Finished || got.Answers.At(2).Num != 30 {
		t.Errorf("%+v", got)
	}
}
