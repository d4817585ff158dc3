package replay

import (
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/mitchellh/go-ps"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// A target may start processes that leave its process group. When AdoptStrays
// was called they become children of this process as soon as their parents are
// gone, and are ended here.
var strays struct {
	sync.Mutex
	adopted bool
	known   map[int]bool // our own children
}

// AdoptStrays makes this process the parent of what its workers leave behind.
// It changes the whole process, so that the program decides and not the package:
// from now on every child in a process group of its own that is no worker is
// taken for a stray and ended.
func AdoptStrays() error {
	strays.Lock()
	defer strays.Unlock()
	strays.adopted = true
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// reapStrays ends every child of this process that is neither in its process
// group nor a worker that is known. What such a child leaves behind in turn is
// a child by then: it looks again until there is nothing.
func reapStrays() {
	strays.Lock()
	defer strays.Unlock()
	if !strays.adopted {
		return
	}
	const mostRounds = 100 // a target that forks faster than it is looked at
	for range mostRounds {
		if reapStraysOnce() == 0 {
			return
		}
	}
}

func reapStraysOnce() (ended int) {
	processes, err := ps.Processes()
	if err != nil {
		return 0
	}
	self := os.Getpid()
	for _, candidate := range processes {
		// go-ps takes a name such as "x) S 1 (" for fields, so what it says is
		// only a hint, and procfs is asked again.
		proc, err := procfs.NewProc(candidate.Pid())
		if err != nil {
			continue
		}
		stat, err := proc.Stat()
		if err != nil || stat.PPID != self || strays.known[stat.PID] || stat.PGRP == unix.Getpgrp() {
			continue
		}
		syscall.Kill(stat.PID, syscall.SIGKILL)
		var status unix.WaitStatus
		unix.Wait4(stat.PID, &status, 0, nil)
		ended++
	}
	return ended
}

// startKnown starts a worker; no look for strays falls between its start and
// the note that it is known.
func startKnown(cmd *exec.Cmd) error {
	strays.Lock()
	defer strays.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if strays.known == nil {
		strays.known = make(map[int]bool)
	}
	strays.known[cmd.Process.Pid] = true
	return nil
}

func forgetKnown(pid int) {
	strays.Lock()
	defer strays.Unlock()
	delete(strays.known, pid)
}
