package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

const (
	archiveDir = "archive"
	// findingsArchive holds the traces of the findings. It is written when the campaign ends.
	findingsArchive = "findings" + archive.Extension
)

// archiveFindings writes the traces of all findings of a directory into one archive, which replaces the
// previous one.
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
		into := filepath.Join(out, archiveDir, prefix+filepath.Base(path))
		if err := copyFile(path, into); err != nil {
			return err
		}
		// The run may have been killed. Copy a damaged archive as it is.
		damage := new(archive.DamageError)
		if _, err := archive.Repair(into); err != nil && !errors.As(err, &damage) {
			return err
		}
	}
	return nil
}

// archiveFile adds a stored trace under its path in the findings. It skips files that are not traces: the
// campaign did not write them.
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
