// Package worker is the process that runs traces for ipafuzz, and the shared memory
// that connects the two. A program that imports it can be its own worker: a C
// constructor takes over before the Go runtime starts when the environment says so.
package worker

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden
#cgo CFLAGS: -I${SRCDIR}/../exec -I${SRCDIR}/../load -I${SRCDIR}/../ref
#include "worker.h"
*/
import "C"

import (
	"embed"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	_ "github.com/ipafuzz/ipafuzz/cexternal/load" // the C side calls load
	_ "github.com/ipafuzz/ipafuzz/cexternal/ref"  // the C side contains the built-in library
)

// Sources are the worker's C files, for programs that contain it. Such a program
// starts in static/main.c.
//
//go:embed *.c *.h static/main.c
var Sources embed.FS

// Variable is the environment variable that makes a process a worker: the
// descriptor number of the shared memory.
const Variable = C.IPAFUZZ_WORKER_VARIABLE

// ExitSetup is the exit code of a worker that could not start.
const ExitSetup = C.IPAFUZZ_EXIT_SETUP

// ModuleBytes is the space for the path of a frame's module, with its final NUL.
const ModuleBytes = C.IPAFUZZ_MODULE_BYTES

// How a worker isolates traces.
const (
	Persistent uint32 = C.IPAFUZZ_PERSISTENT
	Fork       uint32 = C.IPAFUZZ_FORK
)

// Where a worker finds its target.
const (
	Library uint32 = C.IPAFUZZ_LIBRARY
	BuiltIn uint32 = C.IPAFUZZ_BUILT_IN
	Static  uint32 = C.IPAFUZZ_STATIC
)

// A Setup is what a worker learns before it starts.
type Setup struct {
	Mode, Source, Model uint32
	Path                string
	Setter              exec.Setter // how to set options; zero: by ipafuzz_set_option
	Settings            [][2]string
	FileSize            uint64 // limit in bytes, 0 for none
	Output              uint64 // limit of a trace in bytes, 0 for none
	HeapStride          int    // measure the heap once in that many traces; 0: never
	BearsFork           bool   // an earlier worker has forked with the target loaded, and the child lived
}

// A Layout is the shape of the ring of batches.
type Layout struct {
	Slots, Jobs             int // batches in the ring, traces in a batch
	AnswerWords, TraceWords int // space of one batch
}

// Memory is the shared memory of one worker.
type Memory struct {
	file    *os.File
	bytes   []byte
	orders  *C.struct_ipafuzz_orders
	control *C.struct_ipafuzz_control
	layout  Layout
	tasks   int // bytes of the tasks of a slot
	jobs    int // bytes of the records and stacks of a slot
	ring    []*Slot
}

// New makes the memory and writes the setup into it.
func New(setup Setup, layout Layout) (*Memory, error) {
	page := os.Getpagesize()
	pages := func(n int) int { return (n + page - 1) / page * page }
	m := &Memory{layout: layout, tasks: layout.Jobs * C.sizeof_struct_ipafuzz_task,
		jobs: layout.Jobs * (C.sizeof_struct_ipafuzz_job + C.sizeof_struct_ipafuzz_stack)}
	orders := pages(C.sizeof_struct_ipafuzz_orders)
	tasks := pages(m.tasks + 4*layout.TraceWords)
	control := orders + layout.Slots*tasks
	slots := control + pages(C.sizeof_struct_ipafuzz_control)
	slot := pages(m.jobs + 4*layout.AnswerWords)
	total := slots + layout.Slots*slot
	fd, err := unix.MemfdCreate("ipafuzz", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("cannot make shared memory: %w", err)
	}
	m.file = os.NewFile(uintptr(fd), "ipafuzz shared memory")
	if err := m.file.Truncate(int64(total)); err != nil {
		m.file.Close()
		return nil, fmt.Errorf("cannot make %d bytes of shared memory: %w", total, err)
	}
	// If the target made the file shorter, this process would die of SIGBUS.
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		m.file.Close()
		return nil, fmt.Errorf("cannot keep shared memory from shrinking: %w", err)
	}
	m.bytes, err = unix.Mmap(fd, 0, total, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		m.file.Close()
		return nil, fmt.Errorf("cannot map %d bytes of shared memory: %w", total, err)
	}
	m.control = (*C.struct_ipafuzz_control)(unsafe.Pointer(&m.bytes[control]))
	m.orders = (*C.struct_ipafuzz_orders)(unsafe.Pointer(&m.bytes[0]))
	c := m.orders
	c.magic = C.IPAFUZZ_CONTROL_MAGIC
	c.bytes, c.control_bytes = C.sizeof_struct_ipafuzz_orders, C.sizeof_struct_ipafuzz_control
	c.mode, c.source, c.model = C.uint32_t(setup.Mode), C.uint32_t(setup.Source), C.uint32_t(setup.Model)
	c.slots, c.jobs_per_slot = C.uint32_t(layout.Slots), C.uint32_t(layout.Jobs)
	c.tasks_offset, c.tasks_bytes = C.uint64_t(orders), C.uint64_t(tasks)
	c.control_offset = C.uint64_t(control)
	c.slot_offset, c.slot_bytes = C.uint64_t(slots), C.uint64_t(slot)
	c.total_bytes = C.uint64_t(total)
	c.limit_file_size, c.limit_output = C.uint64_t(setup.FileSize), C.uint64_t(setup.Output)
	c.heap_stride = C.uint32_t(setup.HeapStride)
	m.control.idle.stack_offset = between(&m.control.idle, &m.control.idle_stack)
	if setup.BearsFork {
		c.bears_fork = 1
	}
	for i := range layout.Slots {
		m.ring = append(m.ring, m.newSlot(i))
	}
	if err := m.writeTexts(setup); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Memory) writeTexts(setup Setup) error {
	c := m.orders
	used := 1 // offset 0 is the empty text
	put := func(s string) (C.uint32_t, error) {
		if strings.IndexByte(s, 0) >= 0 || used+len(s)+1 > len(c.text) {
			return 0, fmt.Errorf("the target's path and options are longer than %d bytes, or hold a NUL", len(c.text))
		}
		at := used
		for i := range len(s) {
			c.text[at+i] = C.char(s[i])
		}
		used += len(s) + 1
		return C.uint32_t(at), nil
	}
	var err error
	if c.path, err = put(setup.Path); err != nil {
		return err
	}
	if c.setter, err = put(setup.Setter.Function); err != nil {
		return err
	}
	c.takes = C.uint32_t(setup.Setter.Takes)
	if len(setup.Settings) > C.IPAFUZZ_MAX_SETTINGS {
		return fmt.Errorf("a target takes at most %d options", C.IPAFUZZ_MAX_SETTINGS)
	}
	for i, s := range setup.Settings {
		if c.setting_name[i], err = put(s[0]); err != nil {
			return err
		}
		if c.setting_value[i], err = put(s[1]); err != nil {
			return err
		}
	}
	c.num_settings = C.uint32_t(len(setup.Settings))
	return nil
}

// File is the descriptor that the worker inherits.
func (m *Memory) File() *os.File { return m.file }

// Close unmaps the memory.
func (m *Memory) Close() {
	if m.bytes != nil {
		unix.Munmap(m.bytes)
		m.bytes, m.orders, m.control = nil, nil, nil
	}
	m.file.Close()
}

// A Hello is the worker's message once it has loaded the target.
type Hello struct {
	Ready, Refused         bool
	Message                string // why the target was refused
	Signature, Description string
	// Capabilities has a bit for each capability whose function the target has (apimodel.Capability.Bit).
	Capabilities uint32
	LoadsEach    bool // fork mode: every trace loads the target anew
}

// Hello returns what the worker has said so far.
func (m *Memory) Hello() Hello {
	c := m.control
	switch load(&c.hello) { // first: the worker writes hello last
	case C.IPAFUZZ_READY:
		return Hello{
			Ready: true, Signature: text(c.signature[:]), Description: text(c.describe[:]),
			Capabilities: uint32(c.capabilities), LoadsEach: c.loads_each != 0,
		}
	case C.IPAFUZZ_REFUSED:
		return Hello{Refused: true, Message: text(c.message[:]), Description: text(c.describe[:])}
	}
	return Hello{}
}

// Ready reports whether the worker has said that it is ready, and nothing overwrote
// that.
func (m *Memory) Ready() bool { return load(&m.control.hello) == C.IPAFUZZ_READY }

// WaitHello sleeps until the worker has said something, or for the duration.
func (m *Memory) WaitHello(d time.Duration) { sleepWhile(&m.control.hello, C.IPAFUZZ_STARTING, d) }

// worthWaking is how many batches must be posted before Post wakes a sleeping worker. To wake it takes as long as to
// run some tiny traces; WaitDone does so in any case.
const worthWaking = 2

// Post hands the next batch to the worker and returns its number. The worker may sleep on until another batch is
// posted, or until WaitDone.
func (m *Memory) Post() uint32 {
	n := atomic.AddUint32((*uint32)(unsafe.Pointer(&m.orders.posted)), 1)
	if int(n-m.Done()) >= min(worthWaking, m.layout.Slots) {
		m.wakeWorker()
	}
	return n - 1
}

func (m *Memory) wakeWorker() {
	if load(&m.control.asleep) != 0 {
		wake(&m.orders.posted)
	}
}

// Done returns how many batches the worker has finished.
func (m *Memory) Done() uint32 { return load(&m.control.done) }

// WaitDone wakes the worker if it sleeps, and waits until more than n batches are done, or for the duration.
func (m *Memory) WaitDone(n uint32, d time.Duration) {
	m.wakeWorker()
	// Many traces take less time than to fall asleep and wake up. Those in a process of their own take longer.
	for spin := 0; spin < 200 && m.orders.mode != C.IPAFUZZ_FORK; spin++ {
		if m.Done() != n {
			return
		}
		runtime.Gosched()
	}
	waiting := (*uint32)(unsafe.Pointer(&m.orders.waiting))
	atomic.StoreUint32(waiting, 1)
	sleepWhile(&m.control.done, n, d)
	atomic.StoreUint32(waiting, 0)
}

// WakeWaiter ends a WaitDone or WaitHello early.
func (m *Memory) WakeWaiter() {
	wake(&m.control.done)
	wake(&m.control.hello)
}

// Where is the position of the worker.
type Where struct {
	Running    bool
	Serial     uint64 // of the trace, from 1 since the worker's start
	Batch      uint32
	Job        int   // the trace in the batch
	Child      int   // fork mode: the process that runs the trace
	OutputFrom int64 // the size of the output when the trace began, or a later one
}

// Where returns a snapshot. The worker goes on meanwhile: the fields behind Serial may
// belong to a later trace, never to an earlier one.
func (m *Memory) Where() Where {
	c := m.control
	where := Where{
		Running: load(&c.running) != 0,
		Serial:  atomic.LoadUint64((*uint64)(unsafe.Pointer(&c.serial))),
		Batch:   load(&c.batch),
		Job:     min(int(load(&c.job)), m.layout.Jobs-1),
		Child:   int(int32(atomic.LoadUint32((*uint32)(unsafe.Pointer(&c.child))))),
	}
	where.OutputFrom = max(0, int64(atomic.LoadUint64((*uint64)(unsafe.Pointer(&c.output_from)))))
	return where
}

func load(word *C.uint32_t) uint32 { return atomic.LoadUint32((*uint32)(unsafe.Pointer(word))) }

// wake makes a raw call: the process that it wakes may take the processor at once, and the Go scheduler would then
// count this thread as blocked and look at all threads every 20 microseconds for a while.
func wake(word *C.uint32_t) {
	const futexWake = 1
	syscall.RawSyscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30)
}

func sleepWhile(word *C.uint32_t, value uint32, d time.Duration) {
	const futexWait = 0
	ts := unix.NsecToTimespec(d.Nanoseconds())
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// text reads a NUL-terminated text that the target may have overwritten.
func text(chars []C.char) string {
	var b strings.Builder
	for _, ch := range chars {
		if ch == 0 {
			break
		}
		b.WriteByte(byte(ch))
	}
	return b.String()
}
