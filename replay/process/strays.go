// Package process starts and ends the processes of targets, together with
// everything that they leave behind, and accounts for what they use.
package process

import (
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/mitchellh/go-ps"
	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/warden"
)

// Wardens end what targets leave behind. A target may kill its warden; after AdoptStrays,
// what was below the warden becomes a child of this process, and ReapStrays ends it.
var strays struct {
	sync.Mutex
	adopted bool
	known   map[int]int // our own children; a number may be reused before it was forgotten
	lost    atomic.Bool // a warden ended without its target
}

// AdoptStrays makes this process the parent of whatever its workers leave behind.
// It changes the whole process, so the program decides to call it and not this
// package: from now on every child in a process group of its own is taken for a
// stray and ended, unless it is a worker or StartOwn has started it.
func AdoptStrays() error {
	strays.Lock()
	defer strays.Unlock()
	strays.adopted = true
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapStrays ends every child of this process that is neither in its process
// group nor a known worker. A stray's own children become strays in turn: it
// looks again until none is left. It does nothing unless a warden has ended before its
// target.
func ReapStrays() {
	if !strays.lost.Swap(false) {
		return
	}
	strays.Lock()
	defer strays.Unlock()
	if !strays.adopted {
		return
	}
	const maxRounds = 100 // a target may fork faster than this looks
	for range maxRounds {
		if endStrays(listed()) == 0 && endStrays(all()) == 0 {
			return
		}
	}
}

// listed returns the children that go-ps reports. A process can hide from it
// with a name such as "x) S 1 (", which go-ps reads as fields.
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

// all returns every process on the machine.
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

// start starts a command. No look for strays falls between its start and the
// note that it is known.
func start(cmd *exec.Cmd) error {
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

// StartOwn starts a command that is not a target, below a warden in a process group that both
// share. The caller calls forget after its end.
func StartOwn(cmd *exec.Cmd) (forget func(), err error) {
	below, err := startBelow(cmd, warden.Ward{}, start)
	if err != nil {
		return nil, err
	}
	return func() {
		below.socket.Close()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signaled() {
			strays.lost.Store(true) // its caller may have killed the warden
		}
		forgetPID(cmd.Process.Pid)
	}, nil
}

func forgetPID(pid int) {
	strays.Lock()
	defer strays.Unlock()
	if strays.known[pid]--; strays.known[pid] == 0 {
		delete(strays.known, pid)
	}
}
