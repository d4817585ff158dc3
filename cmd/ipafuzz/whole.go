package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/trace"
)

// writeWhole writes a trace so that the file is always a whole one, the one
// before or the new one.
func writeWhole(path string, t *trace.Trace) error {
	return writeFile(path, t.AppendText(nil))
}

// writeFile writes a file so that it is there as a whole or as it was. A device,
// a pipe and a link are written through: to root, renaming something to
// /dev/null would be possible.
func writeFile(path string, text []byte) error {
	write := replaceFile
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		write = writeThrough
	}
	if err := write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// unwritable says of which file an error is, and not which one beside it.
func unwritable(path string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return useError{fmt.Errorf("the result cannot be written: %s: %w", path, err)}
}

// checkPlace says whether the directory of a file that is to be written is there.
func checkPlace(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}

func replaceFile(path string, text []byte) error {
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
