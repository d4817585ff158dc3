package replay

import (
	"bytes"
	"cmp"
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
)

// A directory target has the layout of the official IPAMIR and IPASIR
// repositories: maxsat/<name>/libipamir<name>.a (or sat/<name>/libipasir<name>.a),
// a file LINK with the command that links (default: the C compiler), and a file
// LIBS with what else is to be linked. The executor is linked with it, so the
// library is used exactly as its author submitted it.

// buildTime is how long a compiler may take: MaxSAT archives with a bundled LP
// solver are large.
const buildTime = 5 * time.Minute

func resolveDirectory(t *Target, wanted *apimodel.Model) error {
	dir, err := filepath.Abs(t.Path)
	if err != nil {
		return unusable(t.Name, "%v", err)
	}
	t.Path = dir
	var archive string
	var other *apimodel.Model
	base := filepath.Base(dir)
	for _, m := range []*apimodel.Model{apimodel.IPAMIR, apimodel.IPASIR} {
		name := filepath.Join(dir, "lib"+m.Name+base+".a")
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if wanted == nil || wanted.Interface() == m {
			t.Model, archive = cmp.Or(wanted, m), name
			break
		}
		other = m
	}
	switch {
	case archive == "" && other != nil:
		return unusable(t.Name, "directory %s serves %s, not %s: it holds lib%s%s.a and no lib%s%s.a",
			dir, other.Name, wanted.Name, other.Name, base, wanted.Interface().Name, base)
	case archive == "":
		return unusable(t.Name, "directory %s holds neither libipamir%s.a nor libipasir%s.a%s", dir, base, base, archiveHint(dir))
	}
	t.archive = archive
	t.program, err = linkStatic(t, archive)
	return err
}

// archiveHint names what is there instead, the usual slip.
func archiveHint(dir string) string {
	if found, _ := filepath.Glob(filepath.Join(dir, "*.a")); len(found) > 0 {
		return "; it holds " + filepath.Base(found[0]) + ", and the name must be the directory's"
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "[Mm]akefile")); len(found) > 0 {
		return "; it holds a makefile: run make there first"
	}
	return ""
}

// linkStatic returns the program that is the worker with the archive in it,
// from the cache when nothing has changed.
func linkStatic(t *Target, archive string) (program string, err error) {
	dir := filepath.Dir(archive)
	link, err := words(filepath.Join(dir, "LINK"))
	if err != nil {
		return "", unusable(t.Name, "%v", err)
	}
	libs, err := words(filepath.Join(dir, "LIBS"))
	if err != nil {
		return "", unusable(t.Name, "%v", err)
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	if len(link) == 0 {
		link = []string{compiler}
	}
	sources, sum, err := staticSources()
	if err != nil {
		return "", err
	}
	fmt.Fprintln(sum, t.Model.Name, compiler, link, libs)
	if err := hashFile(sum, archive); err != nil {
		return "", unusable(t.Name, "%v", err)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", fmt.Errorf("target %s: %w", t.Name, err)
	}
	program = filepath.Join(cache, "static", hex.EncodeToString(sum.Sum(nil)[:16]), filepath.Base(dir))
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return program, buildStatic(t, program, archive, compiler, link, libs, sources)
}

func buildStatic(t *Target, program, archive, compiler string, link, libs []string, sources map[string][]byte) error {
	uncached := func(err error) error {
		return fmt.Errorf("target %s: it cannot be linked, because the cache cannot be written: %w (set IPAFUZZ_CACHE to a directory that can)", t.Name, err)
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return uncached(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(program), "build-")
	if err != nil {
		return uncached(err)
	}
	defer os.RemoveAll(work)
	var objects []string
	for name, text := range sources {
		path := filepath.Join(work, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return uncached(err)
		}
	}
	for name := range sources {
		if !strings.HasSuffix(name, ".c") {
			continue
		}
		object := filepath.Join(work, strings.TrimSuffix(name, ".c")+".o")
		err := compile(t, work, compiler, "-std=c11", "-D_GNU_SOURCE", "-DIPAFUZZ_NO_LOADER",
			fmt.Sprintf("-DIPAFUZZ_LINKED_MODEL=%d", t.Model.ID), "-O2", "-fvisibility=hidden",
			"-c", filepath.Join(work, name), "-o", object)
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	output := filepath.Join(work, "program")
	args := append([]string{}, link[1:]...)
	args = append(args, "-o", output)
	args = append(args, objects...)
	defined, err := archiveSymbols(archive)
	if err != nil {
		return unusable(t.Name, "%v", err)
	}
	optional := slices.Clone(ownSymbols)
	for i := range t.Model.Calls {
		if call := &t.Model.Calls[i]; call.Optional != "" && call.Function != "" {
			optional = append(optional, call.Function)
		}
	}
	for _, optional := range optional {
		if defined[optional] { // a weak reference alone does not fetch it from an archive
			args = append(args, "-Wl,-u,"+optional)
		}
	}
	args = append(args, archive)
	args = append(args, libs...)
	args = append(args, "-ldl", "-lm", "-lpthread")
	// The paths in LIBS are relative to an application's directory, which is as
	// deep in the official repository as the library's own.
	if err := compile(t, filepath.Dir(archive), link[0], args...); err != nil {
		return err
	}
	if err := os.Rename(output, program); err != nil {
		return uncached(err)
	}
	return nil
}

func compile(t *Target, dir, command string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), buildTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return fmt.Errorf("target %s: linking a target directory needs a compiler: %w (set CC, or the file LINK in the directory)", t.Name, err)
		}
		return unusable(t.Name, "cannot link it: %s: %v\n%s", command, err, strings.TrimSpace(said.String()))
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

func cacheDir() (string, error) {
	if dir := os.Getenv("IPAFUZZ_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the cache in which it is linked: %w (set IPAFUZZ_CACHE to a directory)", err)
	}
	return filepath.Join(dir, "ipafuzz"), nil
}
