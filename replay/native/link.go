package native

import (
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

	"github.com/ipafuzz/ipafuzz/apimodel"
	executor "github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/cexternal/worker"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
)

// buildTime is how long a compiler may take: MaxSAT archives with a bundled LP
// solver are large.
const buildTime = 5 * time.Minute

// A linker builds a worker that contains a static library.
type linker struct {
	target   *replay.Target
	archive  string
	compiler []string // of the worker's C code: CC, else cc
	link     []string // the command from the file LINK, or else from linkCommand
	libs     []string // further arguments, from the file LIBS
	program  string   // path of the worker
}

// linkCommand returns the command that links a directory without a file LINK: the C++ compiler
// if the archive or an archive in LIBS contains C++, and otherwise the C compiler. The
// environment variables CXX and CC name other compilers.
func linkCommand(archive string, libs []string) ([]string, error) {
	archives := []string{archive}
	for _, word := range libs {
		if path := fileOf(archive, word); strings.HasSuffix(path, ".a") {
			archives = append(archives, path)
		}
	}
	for _, path := range archives {
		cplusplus, err := archiveIsCPlusPlus(path)
		if err != nil && path == archive {
			return nil, err
		}
		if cplusplus {
			return compilerFrom("CXX", "c++"), nil
		}
	}
	return compilerFrom("CC", "cc"), nil
}

// inDirectory returns the path of a file that LIBS names relative to the archive's directory.
func inDirectory(archive, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(archive), name)
}

// fileOf returns the path of the file that a word of LIBS may name, or "". The linker looks for -lNAME in the
// archive's directory first.
func fileOf(archive, word string) string {
	if name, isLibrary := strings.CutPrefix(word, "-l"); isLibrary {
		return inDirectory(archive, "lib"+name+".a")
	}
	if strings.HasPrefix(word, "-") {
		return ""
	}
	return inDirectory(archive, word)
}

// compilerFrom returns the words of an environment variable, such as CC="ccache gcc", or
// otherwise if it is not set.
func compilerFrom(variable, otherwise string) []string {
	if words := strings.Fields(os.Getenv(variable)); len(words) > 0 {
		return words
	}
	return []string{otherwise}
}

// LinkCommand returns the words that link a program with the archive of a directory target:
// the command, and the arguments after the program's objects. They work in any directory.
func LinkCommand(t *replay.Target) (command, after []string, err error) {
	d, ok := t.Driver.(*driver)
	if !ok || t.Kind != replay.Static {
		return nil, nil, fmt.Errorf("target %s is not a directory", t.Name)
	}
	l, err := newLinker(t, d.archive)
	if err != nil {
		return nil, nil, err
	}
	for _, word := range l.withLibs() {
		if path, isDir := strings.CutPrefix(word, "-L"); isDir && path != "" {
			word = "-L" + inDirectory(l.archive, path)
		} else if !strings.HasPrefix(word, "-") {
			word = inDirectory(l.archive, word)
		}
		after = append(after, word)
	}
	return l.link, after, nil
}

func newLinker(t *replay.Target, archive string) (*linker, error) {
	dir := filepath.Dir(archive)
	l := &linker{target: t, archive: archive, compiler: compilerFrom("CC", "cc")}
	var err error
	if l.link, err = words(filepath.Join(dir, "LINK")); err != nil {
		return nil, replay.Unusable(t.Name, "%v", err)
	}
	if len(l.link) > 0 && strings.HasPrefix(l.link[0], "-") {
		return nil, replay.Unusable(t.Name, "the file LINK in %s holds arguments (%s) and no command\n"+
			"remedy: write the command that links, such as c++, into LINK, and its arguments into LIBS", dir, l.link[0])
	}
	if l.libs, err = words(filepath.Join(dir, "LIBS")); err != nil {
		return nil, replay.Unusable(t.Name, "%v", err)
	}
	if len(l.link) == 0 {
		if l.link, err = linkCommand(archive, l.libs); err != nil {
			return nil, replay.Unusable(t.Name, "%v", err)
		}
	}
	return l, nil
}

// link returns the path of a worker that contains the archive. It takes the worker from the
// cache if nothing has changed.
func link(t *replay.Target, archive string) (program string, err error) {
	l, err := newLinker(t, archive)
	if err != nil {
		return "", err
	}
	sources, sum, err := staticSources()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(sum, t.Model.Name, l.compiler, l.link, l.libs, t.Setter)
	if err := hashFile(sum, archive); err != nil {
		return "", replay.Unusable(t.Name, "%v", err)
	}
	for _, word := range l.libs { // some are files, which may change, too
		if path := fileOf(archive, word); path != "" {
			if err := hashFile(sum, path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", replay.Unusable(t.Name, "LIBS: %v", err)
			}
		}
	}
	cache, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("target %s: %w", t.Name, err)
	}
	l.program = filepath.Join(cache, "static", hex.EncodeToString(sum.Sum(nil)[:16]), filepath.Base(filepath.Dir(archive)))
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
	// The paths in LIBS are relative to the directory of an application. In the official
	// repository, that is as deep as the directory of the library.
	if err := l.run(filepath.Dir(l.archive), l.link, args...); err != nil {
		return err
	}
	if err := os.Rename(output, l.program); err != nil {
		return l.uncached(err)
	}
	return nil
}

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
		// -x c: CC may be a C++ compiler.
		args := []string{"-x", "c", "-std=c11", "-D_GNU_SOURCE", "-DIPAFUZZ_NO_LOADER",
			fmt.Sprintf("-DIPAFUZZ_LINKED_MODEL=%d", l.target.Model.ID), "-O2", "-fvisibility=hidden"}
		if flag := DraftFlag(l.target); flag != "" {
			args = append(args, flag)
		}
		if setter := setterOf(l.target); setter.Function != "" {
			args = append(args, "-DIPAFUZZ_SETTER="+setter.Function, fmt.Sprintf("-DIPAFUZZ_SETTER_TAKES=%d", setter.Takes))
		}
		err := l.run(work, l.compiler, append(args, "-c", filepath.Join(work, name), "-o", object)...)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	slices.Sort(objects)
	return l.isolate(work, objects)
}

// isolate merges the worker's objects into one that exports only main, because a library may
// define any other name. Without objcopy, isolate returns the objects unchanged, and a library
// that defines one of their names cannot be linked.
func (l *linker) isolate(work string, objects []string) ([]string, error) {
	objcopy, err := exec.LookPath("objcopy")
	if err != nil {
		return objects, nil
	}
	whole := filepath.Join(work, "isolated.o")
	args := append([]string{"-r", "-nostdlib", "-o", whole}, objects...)
	if err := l.run(work, l.compiler, args...); err != nil {
		return nil, err
	}
	if err := l.run(work, []string{objcopy}, "--keep-global-symbol=main", whole); err != nil {
		return nil, err
	}
	return []string{whole}, nil
}

func (l *linker) arguments(output string, objects []string) ([]string, error) {
	defined, err := archiveSymbols(l.archive)
	if err != nil {
		return nil, replay.Unusable(l.target.Name, "%v", err)
	}
	args := slices.Concat([]string{"-o", output}, objects)
	optional := slices.Clone(ownSymbols)
	for i := range l.target.Model.Calls {
		if call := &l.target.Model.Calls[i]; call.Optional != "" && call.Function != "" {
			optional = append(optional, call.Function)
		}
	}
	if l.target.Model == apimodel.IPASIR2 {
		optional = append(optional, moreIPASIR2...)
	}
	for _, name := range optional {
		if defined[name] { // a weak reference does not make the linker take it from an archive
			args = append(args, "-Wl,-u,"+name)
		}
	}
	return slices.Concat(args, l.withLibs(), []string{"-ldl", "-lm", "-lpthread"}), nil
}

// withLibs returns the archive and the words of LIBS. As in the makefiles of the official applications, the linker
// finds libraries in the directory of the archive. If an object of the archive has a main function beside what is
// needed of it, that of the program counts, which comes first.
func (l *linker) withLibs() []string {
	libs := slices.Concat([]string{"-L" + filepath.Dir(l.archive), l.archive}, l.libs)
	if defined, err := archiveSymbols(l.archive); err == nil && defined["main"] {
		return append([]string{"-Wl,-z,muldefs"}, libs...)
	}
	return libs
}

// run runs a compiler, given as words.
func (l *linker) run(dir string, command []string, args ...string) error {
	ctx, cancel := context.WithTimeout(userfile.Until(), buildTime)
	defer cancel()
	args = slices.Concat(command[1:], args)
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C") // failedLink reads the messages
	cmd.WaitDelay = time.Second                // a process that the compiler left behind may hold its stdout open
	output, err := cmd.CombinedOutput()
	switch {
	case err != nil && cmd.Process == nil: // it did not start
		return fmt.Errorf("target %s: linking a target directory needs a compiler: %w "+
			"(set CC and CXX, or the file LINK in the directory)", l.target.Name, err)
	case err != nil && userfile.Until().Err() != nil:
		return fmt.Errorf("the wait for %s ended: %w", l.target.Name, os.ErrDeadlineExceeded)
	case err != nil:
		f := &failedLink{command: command[0], err: err, output: output, dir: filepath.Dir(l.archive), link: l.link,
			setter: l.target.Setter.Function}
		f.log, _ = l.keepLog(cmd, output)
		return replay.Unusable(l.target.Name, "%s", f)
	}
	return nil
}

// keepLog writes the output of a compiler to a file in the cache and returns its path.
func (l *linker) keepLog(cmd *exec.Cmd, output []byte) (string, error) {
	path := filepath.Join(filepath.Dir(l.program), "link.log")
	text := fmt.Appendf(nil, "in %s\n%s\n\n%s", cmd.Dir, shell.Join(cmd.Args...), output)
	return path, atomicfile.Write(path, text)
}

// staticSources returns the C files of the executor and the worker, without the loader's
// entry, and a hash to which they have been written.
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

// words returns the words of a LINK or LIBS file, or none if there is no such file.
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
