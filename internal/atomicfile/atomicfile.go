// Package atomicfile writes files that a reader sees whole: as they were, or as they are now.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces the file, or makes it. It writes through devices, pipes and links:
// root could replace even /dev/null.
func Write(path string, text []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return writeThrough(path, text)
	}
	return replace(path, text)
}

func replace(path string, text []byte) error {
	beside, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = beside.Write(text)
	err = errors.Join(err, beside.Chmod(0o644), beside.Close())
	if err == nil {
		err = os.Rename(beside.Name(), path)
	}
	if err != nil {
		os.Remove(beside.Name())
	}
	return err
}

func writeThrough(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
