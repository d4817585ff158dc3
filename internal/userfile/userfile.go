// Package userfile opens and reads what a user names, which may be a pipe. A pipe that nobody writes, or a
// terminal at which nobody types, lets a program wait for ever. Here such waits end with the command.
package userfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"
)

var until atomic.Pointer[context.Context]

// WaitUntil lets Open, OpenFile and the readers wait until ctx ends, and not longer. Their errors are then an
// os.ErrDeadlineExceeded. It concerns what is opened from now on.
func WaitUntil(ctx context.Context) { until.Store(&ctx) }

// Until returns the context that WaitUntil got, or one without an end.
func Until() context.Context {
	if ctx := until.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// IsOver reports whether err says that a wait ended with the command.
func IsOver(err error) bool {
	ctx := until.Load()
	return ctx != nil && (*ctx).Err() != nil && errors.Is(err, os.ErrDeadlineExceeded)
}

// Open opens a file for reading.
func Open(name string) (*os.File, error) {
	file, err := OpenFile(name, os.O_RDONLY, 0)
	ctx := until.Load()
	if err != nil || ctx == nil {
		return file, err
	}
	if info, err := file.Stat(); err == nil && !info.Mode().IsRegular() {
		context.AfterFunc(*ctx, func() { file.SetReadDeadline(time.Now()) })
	}
	return file, nil
}

// OpenFile is like os.OpenFile, which waits for the other end of a named pipe.
func OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	ctx := until.Load()
	if info, err := os.Stat(name); ctx == nil || err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.OpenFile(name, flag, mode)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		file, err := os.OpenFile(name, flag, mode)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-(*ctx).Done():
		return nil, &fs.PathError{Op: "open", Path: name, Err: os.ErrDeadlineExceeded}
	}
}

// ReadFile is like os.ReadFile.
func ReadFile(name string) ([]byte, error) {
	file, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Stdin reads standard input. Other processes share its state, so it cannot have a deadline.
var Stdin io.Reader = stdin{}

type stdin struct{}

func (stdin) Read(p []byte) (int, error) {
	ctx := until.Load()
	if info, err := os.Stdin.Stat(); ctx == nil || err == nil && info.Mode().IsRegular() {
		return os.Stdin.Read(p)
	}
	type result struct {
		n   int
		err error
	}
	buffer, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := os.Stdin.Read(buffer)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return copy(p, buffer[:r.n]), r.err
	case <-(*ctx).Done():
		return 0, &fs.PathError{Op: "read", Path: "standard input", Err: os.ErrDeadlineExceeded}
	}
}
