package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// A contender is a fuzzer that writes each failure that it finds to a file.
type contender struct {
	name string
	// fuzz returns the command that fuzzes the library or program in a folder, and writes to a directory.
	fuzz func(folder, into string, seed uint64) *exec.Cmd
	// failures are patterns of the files in that directory. A trace as it was made may show other faults, too,
	// so the reduced one counts as well.
	failures []string
	// passes reports whether what such a file shows does not happen with the unchanged release.
	passes func(file string) (bool, error)
}

// A fight is the outcome for one mutant.
type fight struct {
	Found   bool
	Seconds float64 // of processor time until the failure was written, or in all
	Others  int     // failures that the unchanged release shows, too
}

// budget is the processor time of a contender for a mutant, in seconds.
const budget = 10

// fightAll runs all contenders at the same time. Their processor times do not depend on each other.
func fightAll(contenders []*contender, folder string, seed uint64) (map[string]fight, error) {
	fights, errs := make([]fight, len(contenders)), make([]error, len(contenders))
	var running sync.WaitGroup
	for i, c := range contenders {
		running.Go(func() { fights[i], errs[i] = c.fight(folder, seed) })
	}
	running.Wait()
	by := make(map[string]fight)
	for i, c := range contenders {
		by[c.name] = fights[i]
	}
	return by, errors.Join(errs...)
}

// fight runs the contender until it has found the mutant or spent its processor time.
func (c *contender) fight(folder string, seed uint64) (f fight, err error) {
	into, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(into)
	command := c.fuzz(folder, into, seed)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return f, err
	}
	ended := make(chan struct{})
	go func() { command.Wait(); close(ended) }()
	defer func() {
		syscall.Kill(-command.Process.Pid, syscall.SIGINT)
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
		}
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-ended
	}()
	const interval = 100 * time.Millisecond
	seen := make(map[string]bool)
	for {
		select {
		case <-ended:
			return f, fmt.Errorf("%s ended: %s", c.name, command.ProcessState)
		case <-time.After(interval):
		}
		seconds, err := processorTime(command.Process.Pid)
		if err != nil {
			return f, err
		}
		f.Seconds = max(f.Seconds, seconds)
		var files []string
		for _, pattern := range c.failures {
			matches, err := filepath.Glob(filepath.Join(into, pattern))
			if err != nil {
				return f, err
			}
			files = append(files, matches...)
		}
		for _, file := range files {
			if seen[file] {
				continue
			}
			seen[file] = true
			passes, err := c.passes(file)
			if err != nil {
				return f, err
			}
			if passes {
				f.Found = true
				return f, nil
			}
			f.Others++
		}
		if f.Seconds >= budget {
			return f, nil
		}
	}
}

// processorTime returns the processor time of a process and all its descendants, in seconds.
func processorTime(root int) (float64, error) {
	processes, err := procfs.AllProcs()
	if err != nil {
		return 0, err
	}
	children, stats := make(map[int][]int), make(map[int]procfs.ProcStat)
	for _, p := range processes {
		stat, err := p.Stat()
		if err != nil {
			continue // it has ended
		}
		stats[p.PID] = stat
		children[stat.PPID] = append(children[stat.PPID], p.PID)
	}
	const ticks = 100 // per second, on every architecture that Go supports
	sum, next := 0.0, []int{root}
	for len(next) > 0 {
		pid := next[0]
		stat := stats[pid]
		next = append(next[1:], children[pid]...)
		sum += float64(stat.UTime+stat.STime)/ticks + float64(stat.CUTime+stat.CSTime)/ticks
	}
	return sum, nil
}
