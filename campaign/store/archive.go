package store

import (
	"errors"
	"fmt"
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
	// findingsArchive holds the traces of the findings; it is written when the campaign ends.
	findingsArchive = "findings" + archive.Extension
)

// An Archivist archives every trace of a campaign. It starts a new archive every
// minute and after partTraces traces. An archive gets its name when it is complete,
// so a campaign that is killed loses the current one only; and the hashes in memory,
// one for each trace of the current archive, stay bounded.
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

// NewArchivist returns an archivist for a campaign directory.
func NewArchivist(dir string) *Archivist { return &Archivist{dir: filepath.Join(dir, archiveDir)} }

// Add archives a trace under a name that says what made it.
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

func (a *Archivist) failed(err error) error { return unwritable(a.dir, err) }

// open creates the next archive. Its number follows those of earlier runs.
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

// Finish completes the last archive.
func (a *Archivist) Finish() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed(a.close())
}

// archiveFindings writes the traces of all findings of a directory into one archive,
// which replaces the previous one.
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

// copyArchives copies the archives of a campaign's traces.
func copyArchives(dir, out, prefix string) error {
	paths, err := filepath.Glob(filepath.Join(dir, archiveDir, "*"+archive.Extension))
	if err != nil {
		return err
	}
	for _, path := range paths {
		if filepath.Base(path) == findingsArchive {
			continue
		}
		if err := copyFile(path, filepath.Join(out, archiveDir, prefix+filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}

// archiveFile adds a stored trace under its path in the findings. It skips files
// that are not traces: somebody else put them there.
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
