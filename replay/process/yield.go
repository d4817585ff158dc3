package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// yielding is the nice value of processes that yield. They get a quarter of a processor for which one other process
	// competes, so that hangs are confirmed in campaigns with as many workers as processors, too. Limits of wall time
	// do not count waiting up to a much greater factor (WallLimit).
	yielding = 5
	// untilNicer is the shortest time between two changes of nice values of sessions, on the whole system, unless root
	// makes them.
	untilNicer = 100 * time.Millisecond
)

// yield lets other processes run before those of the child. Where the scheduler shares the time among sessions, of
// which each warden has its own, nice values count within a session only, and a file says how nice the session is. In
// control groups they count as usual. If neither can be set, the child competes as others do.
func (c *Child) yield() {
	unix.Setpriority(unix.PRIO_PGRP, c.PID, yielding)
	if !errors.Is(c.makeSessionNice(), unix.EAGAIN) {
		return
	}
	c.Guard(func() { // most children end before, and only those that run for long matter
		for tick := time.NewTicker(untilNicer); ; {
			select {
			case <-c.Exited:
				return
			case <-tick.C:
				if !errors.Is(c.makeSessionNice(), unix.EAGAIN) {
					return
				}
			}
		}
	})
}

func (c *Child) makeSessionNice() error {
	c.ending.Lock()
	defer c.ending.Unlock()
	if c.reaped {
		return nil
	}
	file := fmt.Sprintf("/proc/%d/autogroup", c.Cmd.Process.Pid)
	return os.WriteFile(file, []byte(strconv.Itoa(yielding)), 0)
}
