// Package outfile writes files that the caller named with --out.
package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// WriteTrace writes a trace in the format that the name tells, or else as text.
func WriteTrace(path string, t *trace.Trace) error {
	f, known := format.Named(path)
	if !known {
		f = format.Trace
	}
	return WriteAs(path, f, t)
}

// WriteAs writes a trace in a format: the file that it was read from, as long as its calls are the same.
func WriteAs(path string, f format.Format, t *trace.Trace) error {
	if given := t.Given(string(f)); given != nil {
		return Write(path, given)
	}
	var text bytes.Buffer
	if err := format.Write(&text, f, t); err != nil {
		return exit.Misuse(fmt.Errorf("%s: %w (name another file with --out)", path, err))
	}
	return Write(path, text.Bytes())
}

// Write writes a file, whole or not at all.
func Write(path string, text []byte) error {
	if err := atomicfile.Write(path, text); err != nil {
		return unwritable(path, err)
	}
	return nil
}

// unwritable reports the file that the caller named with --out, not a temporary one beside it.
func unwritable(path string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return exit.Misuse(fmt.Errorf("the result cannot be written: %s: %w (name another file with --out)", path, err))
}

// CheckPlace checks that the directory of a file to be written exists.
func CheckPlace(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	if err != nil {
		return unwritable(path, err)
	}
	return nil
}
