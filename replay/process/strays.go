package process

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
	known   map[int]int // our own children; a number may have been given anew before it was forgotten
}

// AdoptStrays makes this process the parent of what its workers leave behind.
// It changes the whole process, so that the program decides and not the package:
// from now on every child in a process group of its own that is no worker is
// taken for a stray and ended, unless StartOwn has started it.
func AdoptStrays() error {
	strays.Lock()
	defer strays.Unlock()
	strays.adopted = true
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapStrays ends every child of this process that is neither in its process
// group nor a worker that is known. What such a child leaves behind in turn is
// a child by then: it looks again until there is nothing.
func ReapStrays() {
	strays.Lock()
	defer strays.Unlock()
	if !strays.adopted {
		return
	}
	const mostRounds = 100 // a target that forks faster than it is looked at
	for range mostRounds {
		if endStrays(listed()) == 0 && endStrays(all()) == 0 {
			return
		}
	}
}

// listed returns the children that go-ps tells of. It takes a name such as
// "x) S 1 (" for fields, so that a process can hide from it.
func listed() (pids []int) {
	processes, err := ps.Processes()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	for _, p := range processes {
		if p.PPid() == self {
			pids = append(pids, p.Pid())
		}
	}
	return pids
}

// all returns every process there is.
func all() (pids []int) {
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	for _, p := range processes {
		pids = append(pids, p.PID)
	}
	return pids
}

func endStrays(pids []int) (ended int) {
	self, group := os.Getpid(), unix.Getpgrp()
	for _, pid := range pids {
		stat, ok := Stat(pid)
		if !ok || stat.PPID != self || strays.known[pid] > 0 || stat.PGRP == group {
			continue
		}
		syscall.Kill(pid, syscall.SIGKILL)
		var status unix.WaitStatus
		unix.Wait4(pid, &status, 0, nil)
		ended++
	}
	return ended
}

// Start starts a worker; no look for strays falls between its start and
// the note that it is known.
func Start(cmd *exec.Cmd) error {
	strays.Lock()
	defer strays.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if strays.known == nil {
		strays.known = make(map[int]int)
	}
	strays.known[cmd.Process.Pid]++
	return nil
}

// StartOwn starts a process that is no target's and may have a group of its own:
// it is not taken for a stray until it has been waited for and is forgotten.
func StartOwn(cmd *exec.Cmd) (forget func(), err error) {
	if err := Start(cmd); err != nil {
		return nil, err
	}
	return func() { Forget(cmd.Process.Pid) }, nil
}

func Forget(pid int) {
	strays.Lock()
	defer strays.Unlock()
	if strays.known[pid]--; strays.known[pid] == 0 {
		delete(strays.known, pid)
	}
}

// Stat reads what the kernel says of a process; false when there is none.
func Stat(pid int) (stat procfs.ProcStat, ok bool) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return stat, false
	}
	stat, err = proc.Stat()
	return stat, err == nil
}
