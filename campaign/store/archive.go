package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

const (
	archiveDir = "archive"
	// findingsArchive holds the traces of the findings, and is made when a run ends.
	findingsArchive = "findings" + archive.Extension
)

// An Archivist keeps every trace of a run, in archives of which each is whole as
// soon as it has its name: a run that is killed loses the one that was being
// made. So what it keeps in memory, a hash a trace, does not grow with the run
// either.
type Archivist struct {
	dir string

	mu     sync.Mutex
	writer *archive.Writer // nil between two archives
	begun  time.Time
	part   int
}

const (
	partTraces = 250_000
	partTime   = time.Minute
)

func NewArchivist(dir string) *Archivist { return &Archivist{dir: filepath.Join(dir, archiveDir)} }

// Add keeps a trace, under the name of what made it.
func (a *Archivist) Add(name string, t *trace.Trace) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return a.failed(err)
	}
	if _, err := a.writer.Add(name, t); err != nil {
		return a.failed(errors.Join(err, a.drop()))
	}
	if a.writer.Added >= partTraces || time.Since(a.begun) >= partTime {
		return a.failed(a.close())
	}
	return nil
}

func (a *Archivist) failed(err error) error {
	if err == nil {
		return nil
	}
	return &DirectoryError{Dir: a.dir, Err: err}
}

// open begins the next archive, behind those of earlier runs.
func (a *Archivist) open() error {
	if a.writer != nil {
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o755); err != nil {
		return err
	}
	for {
		a.part++
		path := filepath.Join(a.dir, fmt.Sprintf("run-%04d%s", a.part, archive.Extension))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		var err error
		a.writer, err = archive.Create(path)
		a.begun = time.Now()
		return err
	}
}

func (a *Archivist) close() error {
	if a.writer == nil {
		return nil
	}
	err := a.writer.Close()
	a.writer = nil
	return err
}

func (a *Archivist) drop() error {
	err := a.writer.Abort()
	a.writer = nil
	return err
}

// Finish makes the last archive whole.
func (a *Archivist) Finish() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed(a.close())
}

// archiveFindings puts the traces of all findings of a directory into one
// archive, in the place of the one that is there.
func archiveFindings(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "findings", "*", "*.trace"))
	if err != nil {
		return err
	}
	more, err := filepath.Glob(filepath.Join(dir, "findings", "*", "originals", "*.trace"))
	if err != nil {
		return err
	}
	if paths = append(paths, more...); len(paths) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(dir, archiveDir), 0o755); err != nil {
		return err
	}
	writer, err := archive.Create(filepath.Join(dir, archiveDir, findingsArchive))
	if err != nil {
		return err
	}
	sorter := archive.NewSorter(writer)
	for _, path := range paths {
		if err := archiveFile(sorter, dir, path); err != nil {
			return errors.Join(err, writer.Abort())
		}
	}
	if err := sorter.Flush(); err != nil {
		return errors.Join(err, writer.Abort())
	}
	return writer.Close()
}

// copyArchives copies the archives of a run's traces.
func copyArchives(dir, out, prefix string) error {
	paths, err := filepath.Glob(filepath.Join(dir, archiveDir, "*"+archive.Extension))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if filepath.Base(path) == findingsArchive {
			continue
		}
		if err := os.MkdirAll(filepath.Join(out, archiveDir), 0o755); err != nil {
			return err
		}
		if err := copyLarge(path, filepath.Join(out, archiveDir, prefix+filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}

func copyLarge(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close())
}

// archiveFile adds a trace that is stored, under the place where it is. What
// somebody has put there is no trace of ours, and is left out.
func archiveFile(sorter *archive.Sorter, dir, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	t, err := trace.Parse(strings.NewReader(string(text)), path)
	if err != nil {
		return nil
	}
	name, err := filepath.Rel(filepath.Join(dir, "findings"), path)
	if err != nil {
		return err
	}
	return sorter.Add(filepath.ToSlash(strings.TrimSuffix(name, ".trace")), t)
}
