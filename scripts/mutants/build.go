package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A workshop builds CaDiCaL, its own fuzzer mobical and ipafuzz's adapter, from what 'make current' has left.
type workshop struct {
	dir     string // what it builds
	sources string
	archive string   // of the unchanged release, with assertions
	flags   []string // of the objects in the archive
}

const release = "cadical-3.0.1"

func newWorkshop(build string) (*workshop, error) {
	current := filepath.Join(build, "current")
	w := &workshop{dir: filepath.Join(build, "mutants"),
		sources: filepath.Join(current, "sources/cadical-sys/cadical/src"),
		archive: filepath.Join(current, release, "libcadical-checked.a")}
	for _, needed := range []string{w.sources, w.archive} {
		if _, err := os.Stat(needed); err != nil {
			return nil, fmt.Errorf("%w; 'make current' makes it", err)
		}
	}
	_, version, _ := strings.Cut(release, "-")
	w.flags = []string{"-std=c++11", "-O1", "-DNBUILD", `-DVERSION="` + version + `"`, "-w", "-fPIC",
		"-fvisibility=hidden", "-I" + w.sources}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	err := w.compile(w.path("mobical.o"), filepath.Join(w.sources, "mobical.cpp"))
	if err == nil {
		err = w.run("c++", "-std=c++17", "-O2", "-fPIC", "-w", "-isystem", w.sources, "-DCADICAL_SOURCES",
			"-fvisibility-inlines-hidden", "-c", "-o", w.path("adapter.o"), "cexternal/adapters/cadical.cc")
	}
	if err == nil {
		err = w.link("unchanged")
	}
	return w, err
}

func (w *workshop) path(name string) string { return filepath.Join(w.dir, name) }

func (w *workshop) run(program string, args ...string) error {
	command := exec.Command(program, args...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, out)
	}
	return nil
}

func (w *workshop) compile(object, source string) error {
	return w.run("c++", append(w.flags, "-c", "-o", object, source)...)
}

// link links a library and mobical in a folder. The objects replace those of the archive with the same symbols.
func (w *workshop) link(folder string, objects ...string) error {
	if err := os.MkdirAll(w.path(folder), 0o755); err != nil {
		return err
	}
	parts := append(objects, w.archive)
	library, fuzzer := filepath.Join(w.path(folder), "cadical.so"), filepath.Join(w.path(folder), "mobical")
	err := w.run("c++", append(append([]string{"-shared", "-o", library, w.path("adapter.o")}, parts...),
		"-Wl,--exclude-libs,ALL")...)
	if err == nil {
		err = w.run("c++", append([]string{"-o", fuzzer, w.path("mobical.o")}, parts...)...)
	}
	return err
}

// errSame says that a mutant has the machine code of the unchanged file, or no machine code at all.
var errSame = errors.New("the same program")

// mutate builds the library and mobical with a mutant, in the folder "mutant".
func (w *workshop) mutate(m *mutant) error {
	// Both versions are compiled under the same name, which assertions contain.
	source := filepath.Join(w.path("mutant"), m.File)
	if err := os.MkdirAll(w.path("mutant"), 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(w.sources, m.File))
	if err == nil {
		err = os.WriteFile(source, text, 0o644)
	}
	if err == nil {
		err = w.compile(source+".o", source)
	}
	if err != nil {
		return err
	}
	unchanged, err := os.ReadFile(source + ".o")
	if err == nil {
		err = m.write(w.sources, source)
	}
	if err != nil {
		return err
	}
	if w.compile(source+".o", source) != nil {
		return errSame
	}
	changed, err := os.ReadFile(source + ".o")
	if err != nil {
		return err
	}
	if bytes.Equal(changed, unchanged) {
		return errSame
	}
	defer os.Remove(source)
	defer os.Remove(source + ".o")
	return w.link("mutant", source+".o")
}
