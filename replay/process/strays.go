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

// Wardens end the processes that targets leave behind. A target may kill its warden. After
// AdoptStrays, the processes below that warden become children of this process: strays, which
// ReapStrays ends.
var strays struct {
	sync.Mutex
	adopted bool
	known   map[int]int // counts our own children by PID, which may be reused before it is forgotten
	lost    atomic.Bool // a warden may have ended before its target
}

// AdoptStrays makes this process the parent of the processes that its wardens leave behind.
// It affects the whole process, so the program calls it and not this package: from now on,
// ReapStrays takes every child in another process group for a stray, unless this package has
// started it.
func AdoptStrays() error {
	strays.Lock()
	defer strays.Unlock()
	strays.adopted = true
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// ReapStrays ends every child of this process that is in another process group and that this
// package has not started. The children of a stray become strays in turn, so ReapStrays looks
// again until it finds none. It does nothing unless a warden may have ended before its target.
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

// listed returns the children of this process that go-ps reports. A process can hide from
// go-ps with a name such as "x) S 1 (", which go-ps reads as fields.
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

// start starts a command and adds it to the known children. It holds the lock meanwhile, so
// that ReapStrays does not take the new process for a stray.
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

// StartOwn starts a command that is not a target. The command and its warden share a process
// group. The caller waits for cmd and then calls forget.
func StartOwn(cmd *exec.Cmd) (forget func(), err error) {
	below, err := startBelow(cmd, warden.Ward{}, start)
	if err != nil {
		return nil, err
	}
	return func() {
		below.socket.Close()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signaled() {
			strays.lost.Store(true) // the caller may have killed the warden
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
