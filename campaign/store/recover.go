package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// A Recovery lists what killed runs had left in a campaign directory.
type Recovery struct {
	Archives int      // archives that were completed
	Traces   int      // traces in these archives
	Lost     int      // traces of unfinished batches, as far as known
	Removed  int      // useless files and directories that were removed
	Damaged  []string // archives that cannot be completed, and why; they stay as they are
}

// Recover completes the archives of killed runs and removes their temporary files. It does not touch what a
// living process has locked.
func (s *Store) Recover() (Recovery, error) {
	var done Recovery
	dir := filepath.Join(s.Dir, archiveDir)
	parts, err := filepath.Glob(filepath.Join(dir, "run-*"+archive.Extension))
	if err != nil {
		return done, err
	}
	for _, path := range parts {
		if err := done.complete(path); err != nil {
			return done, s.failed(err)
		}
	}
	return done, s.failed(s.sweep(&done))
}

// complete completes one archive.
func (r *Recovery) complete(path string) error {
	repaired, err := archive.Repair(path)
	damage := new(archive.DamageError)
	switch {
	case errors.Is(err, archive.ErrBusy), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK):
	case errors.As(err, &damage):
		r.Damaged = append(r.Damaged, damage.Error())
	case err != nil:
		return err
	case repaired.Torn != nil && repaired.Traces == 0:
		r.Removed++
	case repaired.Torn != nil:
		r.Archives++
		r.Traces += repaired.Traces
		r.Lost += max(0, repaired.Torn.Lost)
	}
	return nil
}

// sweep removes files that a killed run had not yet renamed, and incomplete findings.
func (s *Store) sweep(done *Recovery) error {
	alone := unix.Flock(int(s.past.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil // no reader, and there are locks
	return filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		_, isBeside := atomicfile.Beside(entry.Name())
		switch {
		case entry.IsDir() && strings.HasPrefix(entry.Name(), findingBeside) && alone:
			done.Removed++
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return fs.SkipDir
		case entry.Type().IsRegular() && isBeside && atomicfile.Orphaned(path):
			done.Removed++
			return os.Remove(path)
		}
		return nil
	})
}

// nextPart returns the path of the next archive of traces.
func nextPart(dir string) string {
	for part := 1; ; part++ {
		path := filepath.Join(dir, fmt.Sprintf("run-%04d%s", part, archive.Extension))
		if _, err := os.Lstat(path); err != nil {
			return path
		}
	}
}
