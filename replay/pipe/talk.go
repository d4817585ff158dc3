package pipe

import (
	"errors"
	"syscall"
	"time"
)

var errRunnerEnded = errors.New("the runner has ended")

// line waits for the next line. The error is errRunnerEnded if the runner has ended. Otherwise
// it says that the runner has closed its stdout and not ended, or that ipafuzz has failed.
func (r *runner) line() ([]byte, error) {
	if line, ok := r.lines.ready(); ok {
		return line, nil
	}
	for {
		comes := r.lines.take()
		if line, ok := r.lines.ready(); ok {
			return line, nil
		}
		if !comes {
			return nil, r.awaitExit("stdout")
		}
		<-r.lines.more
	}
}

// awaitExit waits for the end of a runner that has closed one of its pipes.
func (r *runner) awaitExit(closed string) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for looks, sleeping := 0, 0; looks < mostLooks && sleeping < sleepingLooks; looks++ {
		select {
		case <-r.Exited:
			if err := r.Broken(); err != nil {
				return err
			}
			return errRunnerEnded
		case <-look.C:
			if sleeping++; !r.tree.Asleep() {
				sleeping = 0
			}
		}
	}
	r.Kill()
	<-r.Exited
	return violation(r.target, "it closed its %s and did not end", closed)
}

// pending returns a line that the runner wrote unasked, or nil.
func (r *runner) pending() []byte {
	r.lines.take()
	line, _ := r.lines.ready()
	return line
}

// write sends lines. It returns no error if the runner has ended: line will report that.
func (r *runner) write(text []byte) error {
	if _, err := r.stdin.Write(text); errors.Is(err, syscall.EPIPE) {
		if err := r.awaitExit("stdin"); err != errRunnerEnded {
			return err
		}
	}
	return nil
}
