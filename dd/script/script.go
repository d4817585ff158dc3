// Package script reduces files by the word of a command: a candidate fails as the given file does if the command
// ends in the same way on both.
package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// Formats are the formats of files that can be reduced. Files of the others change when they are read.
var Formats = []format.Format{format.CNF, format.WCNF, format.WCNFOld, format.QDIMACS, format.ICNF, format.IncCNF,
	format.Trace}

// A Config says what to run and how to reduce.
type Config struct {
	// Command is a line for sh. {file} stands for the candidate; without it, the file is the last argument.
	Command string
	Format  format.Format
	Wall    time.Duration // after which a test counts as not ending; 0: no limit
	dd.Config
}

// An Ending is how a command ended.
type Ending struct {
	Code     int // -1: a signal ended it, or the limit of time did
	Signal   syscall.Signal
	TimedOut bool
}

// String describes the ending.
func (e Ending) String() string {
	switch {
	case e.TimedOut:
		return "does not end in time"
	case e.Signal != 0:
		return fmt.Sprintf("is ended by signal %d (%v)", int(e.Signal), e.Signal)
	}
	return "ends with exit code " + strconv.Itoa(e.Code)
}

// A CommandError reports a command that sh cannot run.
type CommandError struct {
	Command string
	Code    int
}

// Error returns the message.
func (e *CommandError) Error() string {
	return fmt.Sprintf("sh cannot run the command %q: it ends with exit code %d", e.Command, e.Code)
}

// A Reduction is a reduced file.
type Reduction struct {
	dd.Result
	Ending Ending // of the command on the given file and on every smaller one that was kept
}

// notRun is the exit code by which sh says that it cannot run a file; the next one says that it does not find it.
const notRun = 126

// Reduce returns a smaller trace whose file makes the command end as the file of t does.
func Reduce(ctx context.Context, t *trace.Trace, c Config) (*Reduction, error) {
	dir, err := os.MkdirTemp("", "ipafuzz-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &runner{config: &c, dir: dir}
	given, err := r.ending(ctx, 0, t)
	switch {
	case err != nil:
		return nil, err
	case given.Code == notRun, given.Code == notRun+1:
		return nil, &CommandError{c.Command, given.Code}
	}
	c.Config.Known = &dd.Verdict{Same: true, Call: -1}
	test := dd.TestFunc(func(ctx context.Context, worker int, candidate *trace.Trace) (dd.Verdict, error) {
		ending, err := r.ending(ctx, worker, candidate)
		if _, cannot := errors.AsType[*format.CannotSayError](err); cannot {
			return dd.Verdict{Call: -1}, nil
		}
		return dd.Verdict{Same: ending == given, Call: -1}, err
	})
	result, err := dd.Minimize(ctx, t, test, c.Config)
	return &Reduction{result, given}, err
}

// A runner runs the command on candidates.
type runner struct {
	config *Config
	dir    string
}

// ending writes the file of a candidate, runs the command on it and returns how it ended.
func (r *runner) ending(ctx context.Context, worker int, candidate *trace.Trace) (Ending, error) {
	name, err := r.write(worker, candidate)
	if err != nil {
		return Ending{}, err
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if r.config.Wall > 0 {
		limited, cancel = context.WithTimeout(ctx, r.config.Wall)
	}
	defer cancel()
	line := strings.ReplaceAll(r.config.Command, "{file}", `"$1"`)
	if line == r.config.Command {
		line += ` "$1"`
	}
	cmd := exec.CommandContext(limited, "sh", "-c", line, "sh", name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child may keep its output open
	err = cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it has left behind
	}
	switch {
	case ctx.Err() != nil:
		return Ending{}, ctx.Err()
	case limited.Err() != nil:
		return Ending{Code: -1, TimedOut: true}, nil
	case cmd.ProcessState == nil:
		return Ending{}, fmt.Errorf("cannot run sh: %w", err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return Ending{Code: -1, Signal: status.Signal()}, nil
	}
	return Ending{Code: status.ExitStatus()}, nil
}

func (r *runner) write(worker int, candidate *trace.Trace) (name string, err error) {
	var text bytes.Buffer
	f := r.config.Format
	if given := candidate.Given(string(f)); given != nil {
		text.Write(given)
	} else if err := format.Write(&text, f, candidate); err != nil {
		return "", err
	}
	dir := filepath.Join(r.dir, strconv.Itoa(worker))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name = filepath.Join(dir, "file"+format.Of(f).Extensions[0])
	return name, os.WriteFile(name, text.Bytes(), 0o600)
}
