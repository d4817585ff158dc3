package sources

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// directory reads the sources below a directory, in the order of their names. It omits files and
// folders whose names begin with a dot.
func (r *reader) directory(dir string) bool {
	files, err := r.filesBelow(dir)
	if err != nil {
		return r.fail(&Error{err})
	}
	if len(files) == 0 {
		return r.fail(wrong(
			"%s is a directory without traces: no file below it is called *.trace, *%s, or like a formula (*.cnf, *.wcnf)",
			dir, archive.Extension))
	}
	for _, file := range files {
		if !r.file(file, "") {
			return false
		}
	}
	return true
}

func (r *reader) filesBelow(dir string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		switch hidden := strings.HasPrefix(entry.Name(), ".") && file != dir; {
		case err != nil:
			return err
		case hidden && entry.IsDir(), entry.IsDir() && file != dir && !r.options.Everything && isCopy(file):
			return filepath.SkipDir
		case hidden || entry.IsDir() || !isSource(entry.Name()) ||
			entry.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0:
			return nil // reading a pipe would wait for its writer
		}
		files = append(files, file)
		return nil
	})
	findings := make(map[string]bool)
	for _, file := range files {
		if dir, name := filepath.Split(file); name == "minimal.trace" && isFinding(dir) {
			findings[filepath.Clean(dir)] = true
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		in := filepath.Dir(file)
		if r.options.Everything {
			return findings[in] && isFormula(filepath.Base(file)) // what a certificate or a proof is about
		}
		return findings[in] && filepath.Base(file) != "minimal.trace" || findings[filepath.Dir(in)]
	}), err
}

// isFinding reports whether a directory with a minimal.trace is the directory of a finding.
func isFinding(dir string) bool {
	for _, name := range []string{"finding.json", "original.trace"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// isCopy reports whether a directory holds copies of the traces of the findings beside it, as in
// a campaign directory.
func isCopy(dir string) bool {
	if filepath.Base(dir) != "archive" {
		return false
	}
	info, err := os.Stat(filepath.Join(filepath.Dir(dir), "findings"))
	return err == nil && info.IsDir()
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".trace") || strings.HasSuffix(name, archive.Extension) || isFormula(name)
}

// isFormula reports whether a file is named like a formula, compressed or not.
func isFormula(name string) bool {
	for _, packed := range []string{".gz", ".xz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	for _, info := range format.All() {
		if info.Format != format.Trace && slices.Contains(info.Extensions, path.Ext(name)) {
			return true
		}
	}
	return false
}
