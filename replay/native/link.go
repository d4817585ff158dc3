package native

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	executor "github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/replay"
)

// buildTime is how long a compiler may take: MaxSAT archives with a bundled LP
// solver are large.
const buildTime = 5 * time.Minute

// A linker builds the worker that contains a static library.
type linker struct {
	target   *replay.Target
	archive  string
	compiler string
	link     []string // the command, from the file LINK
	libs     []string // further arguments, from the file LIBS
	program  string   // to be built
}

// link returns the worker with the archive in it, from the cache when nothing has
// changed.
func link(t *replay.Target, archive string) (program string, err error) {
	dir := filepath.Dir(archive)
	l := &linker{target: t, archive: archive, compiler: os.Getenv("CC")}
	if l.link, err = words(filepath.Join(dir, "LINK")); err != nil {
		return "", replay.Unusable(t.Name, "%v", err)
	}
	if l.libs, err = words(filepath.Join(dir, "LIBS")); err != nil {
		return "", replay.Unusable(t.Name, "%v", err)
	}
	if l.compiler == "" {
		l.compiler = "cc"
	}
	if len(l.link) == 0 {
		l.link = []string{l.compiler}
	}
	sources, sum, err := staticSources()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(sum, t.Model.Name, l.compiler, l.link, l.libs)
	if err := hashFile(sum, archive); err != nil {
		return "", replay.Unusable(t.Name, "%v", err)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("target %s: %w", t.Name, err)
	}
	l.program = filepath.Join(cache, "static", hex.EncodeToString(sum.Sum(nil)[:16]), filepath.Base(dir))
	if _, err := os.Stat(l.program); err == nil {
		return l.program, nil
	}
	return l.program, l.build(sources)
}

func (l *linker) uncached(err error) error {
	return fmt.Errorf("target %s: it cannot be linked, because the cache cannot be written: %w "+
		"(set IPAFUZZ_CACHE to a directory that can)", l.target.Name, err)
}

func (l *linker) build(sources map[string][]byte) error {
	if err := os.MkdirAll(filepath.Dir(l.program), 0o755); err != nil {
		return l.uncached(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(l.program), "build-")
	if err != nil {
		return l.uncached(err)
	}
	defer os.RemoveAll(work)
	objects, err := l.compile(work, sources)
	if err != nil {
		return err
	}
	output := filepath.Join(work, "program")
	args, err := l.arguments(output, objects)
	if err != nil {
		return err
	}
	// The paths in LIBS are relative to an application's directory, which is as
	// deep in the official repository as the library's own.
	if err := l.run(filepath.Dir(l.archive), l.link[0], args...); err != nil {
		return err
	}
	if err := os.Rename(output, l.program); err != nil {
		return l.uncached(err)
	}
	return nil
}

// compile writes and compiles the sources of the worker.
func (l *linker) compile(work string, sources map[string][]byte) (objects []string, err error) {
	for name, text := range sources {
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return nil, l.uncached(err)
		}
	}
	for name := range sources {
		base, isC := strings.CutSuffix(name, ".c")
		if !isC {
			continue
		}
		object := filepath.Join(work, base+".o")
		err := l.run(work, l.compiler, "-std=c11", "-D_GNU_SOURCE", "-DIPAFUZZ_NO_LOADER",
			fmt.Sprintf("-DIPAFUZZ_LINKED_MODEL=%d", l.target.Model.ID), "-O2", "-fvisibility=hidden",
			"-c", filepath.Join(work, name), "-o", object)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// arguments returns those of the command that links.
func (l *linker) arguments(output string, objects []string) ([]string, error) {
	defined, err := archiveSymbols(l.archive)
	if err != nil {
		return nil, replay.Unusable(l.target.Name, "%v", err)
	}
	args := slices.Concat(l.link[1:], []string{"-o", output}, objects)
	optional := slices.Clone(ownSymbols)
	for i := range l.target.Model.Calls {
		if call := &l.target.Model.Calls[i]; call.Optional != "" && call.Function != "" {
			optional = append(optional, call.Function)
		}
	}
	for _, name := range optional {
		if defined[name] { // a weak reference alone does not fetch it from an archive
			args = append(args, "-Wl,-u,"+name)
		}
	}
	return slices.Concat(args, []string{l.archive}, l.libs, []string{"-ldl", "-lm", "-lpthread"}), nil
}

// run runs a compiler.
func (l *linker) run(dir, command string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second // a process that it left behind may hold its stdout open
	output, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("target %s: linking a target directory needs a compiler: %w "+
			"(set CC, or the file LINK in the directory)", l.target.Name, err)
	case err != nil:
		return replay.Unusable(l.target.Name, "cannot link it: %s: %v\n%s", command, err, bytes.TrimSpace(output))
	}
	return nil
}

// staticSources returns the C files of the executor and the worker, without the
// loader's entry, and a hash that has taken them in.
func staticSources() (files map[string][]byte, sum interface {
	io.Writer
	Sum([]byte) []byte
}, err error) {
	files, hash := make(map[string][]byte), sha256.New()
	for _, sources := range []embed.FS{executor.Sources, worker.Sources} {
		err := fs.WalkDir(sources, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path == "enter.c" {
				return err
			}
			text, err := sources.ReadFile(path)
			files[filepath.Base(path)] = text
			fmt.Fprintf(hash, "%s %d\n", path, len(text))
			hash.Write(text)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return files, hash, nil
}

// words reads a LINK or LIBS file: one or more words; no file is no words.
func words(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return strings.Fields(string(text)), err
}

func hashFile(sum io.Writer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(sum, file)
	return err
}
