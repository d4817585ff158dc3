package process

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/internal/turns"
)

// onFirstProcessor starts a process, on one processor only, that the test ends.
func onFirstProcessor(t *testing.T, name string, args ...string) int {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Wait() }) // its children, too
	var first unix.CPUSet
	if err := unix.SchedGetaffinity(0, &first); err != nil {
		t.Fatal(err)
	}
	n := 0
	for !first.IsSet(n) {
		n++
	}
	first.Zero()
	first.Set(n)
	if err := unix.SchedSetaffinity(cmd.Process.Pid, &first); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// TestWallLimit: time in which a process waits for a processor does not count, and time in
// which it sleeps does. The test provides the numbers of the clock, so that nothing depends
// on how busy the machine is.
func TestWallLimit(t *testing.T) {
	const limit = time.Second
	var w WallLimit
	sleeper := onFirstProcessor(t, "sleep", "600")
	for asleep, _ := Idle(sleeper); !asleep; asleep, _ = Idle(sleeper) {
		time.Sleep(WatchInterval) // it is on its way
	}
	for _, c := range []struct {
		ran  time.Duration
		want bool
	}{{0, false}, {limit / 2, false}, {limit, false}, {3 * limit, true}, {0, false}, {limit / 2, false}} {
		if got := w.Exceeded(c.ran, limit, sleeper); got != c.want {
			t.Errorf("asleep for %v: exceeded %t, want %t", c.ran, got, c.want)
		}
	}
	// Two busy processes on one processor: each waits for about half of the time.
	const endless = "while :; do :; done"
	busy := []int{onFirstProcessor(t, "sh", "-c", endless), onFirstProcessor(t, "sh", "-c", endless)}
	for deadline := time.Now().Add(time.Minute); turns.Sum(busy).Waited < limit; time.Sleep(WatchInterval) {
		if time.Now().After(deadline) {
			t.Fatal("the kernel does not count how long processes wait for a processor (CONFIG_SCHED_INFO)")
		}
	}
	w = WallLimit{known: true}
	look := func(ran time.Duration) bool { // after the processes had a turn
		w.Exceeded(ran, limit, busy...)
		for before := w.last.Ran; turns.Sum(busy).Ran == before; {
			time.Sleep(WatchInterval)
		}
		return w.Exceeded(ran, limit, busy...)
	}
	if look(limit + limit/2) {
		t.Error("processes that waited for a processor exceeded their limit")
	}
	if ran := turns.Sum(busy).Waited + time.Minute; !look(min(ran, starved*limit)) {
		t.Errorf("processes that ran for a minute of %v do not exceed their limit", ran)
	}
	if !w.Exceeded(starved*limit+1, limit, busy...) {
		t.Errorf("a process that takes %d times its limit does not exceed it", starved)
	}
	if w.Exceeded(100*limit, 0, sleeper) {
		t.Error("no limit was exceeded")
	}
}

// TestWallLimitOfTheEnded: processes that have ended, but whose end is not known yet, did not exceed the limit: nobody
// knows any more how long they waited for a processor. Only a very long time exceeds it, as with others.
func TestWallLimitOfTheEnded(t *testing.T) {
	const limit = time.Second
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var w WallLimit
	w.Exceeded(limit/2, limit, cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	for range 3 {
		if w.Exceeded(3*limit, limit, cmd.Process.Pid) || w.Exceeded(3*limit, limit) {
			t.Fatal("processes that have ended exceeded their limit")
		}
	}
	if !w.Exceeded(starved*limit+1, limit, cmd.Process.Pid) {
		t.Errorf("the end is not known after %d times the limit, and the limit is not exceeded", starved)
	}
}

// TestBusyChild: a process that waits for a busy child is asleep itself.
func TestBusyChild(t *testing.T) {
	busy := onFirstProcessor(t, "sh", "-c", "while :; do :; done & wait; exit")
	idle := onFirstProcessor(t, "sh", "-c", "sleep 600 & wait; exit")
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(WatchInterval) {
		asleep, _ := Idle(busy)
		if asleep && HasBusyChild(busy) && !HasBusyChild(idle) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("asleep %t, busy child: %t of a loop, %t of a sleep", asleep, HasBusyChild(busy), HasBusyChild(idle))
		}
	}
}
