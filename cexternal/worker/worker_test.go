package worker

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

// TestSealed: nobody can make the shared memory shorter, which would end ipafuzz by SIGBUS.
func TestSealed(t *testing.T) {
	m, err := New(Setup{}, Layout{Slots: 1, Jobs: 1, AnswerWords: 1, TraceWords: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, size := range []int64{0, 1 << 30} {
		if err := m.File().Truncate(size); err == nil {
			t.Fatalf("the shared memory has %d bytes now", size)
		}
	}
	m.bytes[0]++ // it can be written still
}

// TestWokenToWait: Post lets the worker sleep on with one batch, WaitDone wakes it, and the worker ends that wait. The
// batches are empty.
func TestWokenToWait(t *testing.T) {
	m := startBuiltIn(t, Layout{Slots: 4, Jobs: 1, AnswerWords: 1, TraceWords: 1})
	post := func() uint32 {
		m.Slot(load(&m.orders.posted)).Clear()
		return m.Post()
	}
	const sleep, attempts = time.Second, 8 // a worker wakes up by itself after a second
	for range attempts {
		for load(&m.control.asleep) == 0 {
			time.Sleep(time.Millisecond)
		}
		number := post()
		time.Sleep(time.Millisecond)
		early := m.Done() > number
		begun := time.Now()
		m.WaitDone(number, sleep/2)
		if !early && m.Done() > number && time.Since(begun) < sleep/2 {
			return
		}
		m.WaitDone(number, 2*sleep)
	}
	t.Fatalf("in %d attempts, the worker ran a batch before WaitDone, slept on during it, or did not end it", attempts)
}

// startBuiltIn starts this program as a worker for the built-in library.
func startBuiltIn(t *testing.T, layout Layout) *Memory {
	m, err := New(Setup{Mode: Persistent, Source: BuiltIn}, layout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	cmd := exec.Command("/proc/self/exe")
	cmd.ExtraFiles = []*os.File{m.File()}
	cmd.Env = append(os.Environ(), Variable+"="+strconv.Itoa(3))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for !m.Ready() {
		m.WaitHello(time.Second)
		if hello := m.Hello(); hello.Refused {
			t.Fatal(hello.Message)
		}
	}
	return m
}
