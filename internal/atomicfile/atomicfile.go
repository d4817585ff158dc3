// Package atomicfile writes files that a reader sees whole: as they were, or as
// they are now. That holds after a crash of the machine too: a file is on the disk
// before it takes its place, and its place is on the disk before Write returns.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file, or makes it. It writes through devices, pipes and links:
// root could replace even /dev/null.
func Write(path string, text []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, text)
	}
	file, err := Create(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Abandon())
	}
	return file.Commit()
}

func writeThrough(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// A File is written beside its place until Commit moves it there.
type File struct {
	*os.File
	path string
}

// Create makes a file that Commit will put at path.
func Create(path string) (*File, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	return &File{file, path}, nil
}

// Commit closes the file and puts it in its place, where everybody may read it. If
// that fails, the file is gone and its place is as before.
func (f *File) Commit() error {
	err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return SyncDir(filepath.Dir(f.path))
}

// Abandon closes and removes the file; its place is as before.
func (f *File) Abandon() error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// SyncDir waits until the names in a directory are on the disk. A directory that
// is gone has none.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
