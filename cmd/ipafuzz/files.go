package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
)

func writeTrace(path string, t *trace.Trace) error { return writeFile(path, t.AppendText(nil)) }

func writeFile(path string, text []byte) error {
	if err := atomicfile.Write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// unwritable reports the file that the caller named with --out, not a temporary one beside it.
func unwritable(path string, err error) error {
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	}
	return exit.Misuse(fmt.Errorf("the result cannot be written: %s: %w (name another file with --out)", path, err))
}

// checkPlace checks that the directory of a file to be written exists.
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
