package replay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

func workers(t testing.TB) (pids []int) {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	self := os.Getpid()
	for _, p := range all {
		if stat, err := p.Stat(); err == nil && stat.PPID == self && stat.State != "Z" {
			pids = append(pids, stat.PID)
		}
	}
	return pids
}

// holders returns the processes that have a library in their memory.
func holders(t testing.TB, library string) (pids []int) {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if maps, err := os.ReadFile(filepath.Join("/proc", itoa(p.PID), "maps")); err == nil &&
			strings.Contains(string(maps), library) {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// TestNoProcessIsLeft: the processes that a target leaves behind are gone when the runner
// is closed; in fork mode already when its trace ends.
func TestNoProcessIsLeft(t *testing.T) {
	for _, name := range []string{"forks", "daemon"} {
		for _, way := range isolated {
			path := copyFile(t, library(t, name), t.TempDir(), name+".so")
			runner, err := replay.Open(resolve(t, path, ""), way, tight)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if got := run(t, runner, calm(t)); got.End != trace.Finished {
					t.Errorf("%s/%s: %+v", name, way, got)
				}
			}
			if left := holders(t, path); way == replay.Fork && len(left) != 1 {
				t.Errorf("%s/%s: processes %v are there, want the worker alone", name, way, left)
			} else if way == replay.Persistent && len(left) != 4 {
				t.Errorf("%s/%s: processes %v are there; does the library start one a trace?", name, way, left)
			}
			runner.Close()
			if left := holders(t, path); len(left) != 0 {
				t.Errorf("%s/%s: processes %v are left", name, way, left)
			}
		}
	}
}

// TestProcessesDoNotPileUp: a persistent worker ends the processes left behind when there
// are too many.
func TestProcessesDoNotPileUp(t *testing.T) {
	path := copyFile(t, library(t, "forks"), t.TempDir(), "forks.so")
	runner := openRunner(t, resolve(t, path, ""), replay.Persistent, tight)
	for range 60 {
		if got := run(t, runner, calm(t)); got.End != trace.Finished {
			t.Fatalf("%+v", got)
		}
	}
	if left := holders(t, path); len(left) > 18 {
		t.Errorf("%d processes are there", len(left))
	}
}

// TestNothingLeaks: opening, running and closing many times leaves no
// descriptor, no goroutine and no process.
func TestNothingLeaks(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 40
	}
	if os.Getenv("IPAFUZZ_SOAK") != "" {
		rounds = 2000
	}
	cycle := func(way replay.Way) {
		runner, err := replay.Open(resolve(t, "ref", ""), way, tight)
		if err != nil {
			t.Fatal(err)
		}
		run(t, runner, calm(t))
		runner.Close()
	}
	cycle(replay.Fork)
	count := func() (descriptors, goroutines, processes, maps int) {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		mapped, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return len(files), runtime.NumGoroutine(), len(workers(t)), strings.Count(string(mapped), "memfd:ipafuzz")
	}
	descriptors, goroutines, processes, maps := count()
	for i := range rounds {
		cycle(isolated[i%2])
	}
	d, g, p, m := count()
	for start := time.Now(); g > goroutines && time.Since(start) < time.Minute; d, g, p, m = count() {
		time.Sleep(10 * time.Millisecond) // some are just ending
	}
	if d > descriptors || g > goroutines || p > processes || m > maps {
		t.Errorf("before: %d descriptors, %d goroutines, %d processes, %d maps; after %d rounds: %d, %d, %d, %d",
			descriptors, goroutines, processes, maps, rounds, d, g, p, m)
	}
}

// TestKilledLeavesNoProgram: a program that does not look at its pipes ends all
// the same when ipafuzz is killed.
func TestKilledLeavesNoProgram(t *testing.T) {
	parent := exec.Command("/proc/self/exe", runnerWord, "starts-one")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	_, err = fmt.Fscan(out, &pid)
	parent.Process.Kill()
	parent.Wait()
	if err != nil || pid <= 0 {
		t.Fatalf("process %d, %v", pid, err)
	}
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if stat, err := procfs.NewProc(pid); err != nil {
			return
		} else if stat, err := stat.Stat(); err != nil || stat.State == "Z" {
			return
		}
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d outlived the one that started it", pid)
}
