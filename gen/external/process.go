package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A process runs a generator in a process group of its own, so that its children end with it.
type process struct {
	limits Limits
	start  func(*exec.Cmd) (forget func(), err error)
}

func startAlone(cmd *exec.Cmd) (forget func(), err error) { return func() {}, cmd.Start() }

const (
	// complaint is how many bytes of the generator's stderr a process keeps.
	complaint = 4 << 10
	// afterwards is how long children of the generator may keep its output open after its end.
	afterwards = 2 * time.Second
)

var errTooMuch = errors.New("more than the limit")

func (p process) run(ctx context.Context, command string) ([]byte, error) {
	limited, stop := ctx, context.CancelFunc(func() {})
	if p.limits.Time > 0 {
		limited, stop = context.WithTimeout(ctx, p.limits.Time)
	}
	defer stop()
	cmd := exec.CommandContext(limited, "sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != syscall.ESRCH {
			return err
		}
		return nil
	}
	cmd.Cancel, cmd.WaitDelay = end, afterwards
	out, said := &bounded{most: p.limits.Output, full: stop}, &bounded{most: complaint}
	cmd.Stdout, cmd.Stderr = out, said
	slow := &Fault{Reason: TooSlow, Detail: fmt.Sprintf("did not end within %v", p.limits.Time)}
	forget, err := p.start(cmd)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && limited.Err() != nil: // too late to start it
		return nil, slow
	case err != nil:
		return nil, fmt.Errorf("the shell that runs a generator cannot be started: %w", err)
	}
	err = cmd.Wait()
	end() // its children
	forget()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over:
		return nil, &Fault{Reason: TooMuch, Detail: fmt.Sprintf("prints more than %d bytes", p.limits.Output)}
	case err == nil:
		return out.text.Bytes(), nil
	case limited.Err() != nil:
		return nil, slow
	case errors.As(err, &exit):
		return nil, &Fault{Reason: Failed, Detail: ending(exit) + said.firstLine()}
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, &Fault{Reason: Failed, Detail: "ended, and something that it has started keeps its output open"}
	}
	return nil, fmt.Errorf("a generator cannot be read: %w", err)
}

func ending(exit *exec.ExitError) string {
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%v)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", exit.ExitCode())
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	most uint64 // 0: all of them
	full func() // called when there are more; nil: bounded drops them
	text bytes.Buffer
	over bool
}

// Write implements io.Writer.
func (b *bounded) Write(text []byte) (int, error) {
	keep := text
	if room := b.most - uint64(b.text.Len()); b.most > 0 && uint64(len(text)) > room {
		keep, b.over = text[:room], true
	}
	b.text.Write(keep)
	if b.over && b.full != nil {
		b.full()
		return len(keep), errTooMuch
	}
	return len(text), nil
}

// firstLine returns the first line after a colon, or nothing.
func (b *bounded) firstLine() string {
	line, _, _ := strings.Cut(strings.TrimSpace(b.text.String()), "\n")
	if line == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(line, "?")
}

var _ io.Writer = (*bounded)(nil)
