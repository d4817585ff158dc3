package process

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A DeadlockWatch finds deadlocks long before a trace meets its limit of wall time. In a deadlock,
// every thread of the process waits, without a time limit, for another thread to release a lock,
// signal a condition or end. A DeadlockWatch reports one only if nothing outside the process can end
// the wait: no thread waits in memory that other processes may share, and the process has no
// children, no timers and no handler of a signal that a timer may send. The zero value is ready to
// use, for any number of traces one after the other.
type DeadlockWatch struct {
	looked time.Duration // age of the trace at the last look; 0: there was none
	waits  string        // what the threads waited for then; "" if they did not all wait
}

// deadlockLooks is the time between two looks, and the age of a trace at the first one. A look reads
// three files of every thread, which costs too much for the many shorter traces.
const deadlockLooks = 20 * time.Millisecond

// Seen reports whether a trace that has run for the time ran in the process has come to a
// deadlock, and how many threads it involves. Call it often; it looks only from time to time.
//
// In a deadlock, two looks see every thread in the same call, and none has run in between. So there is a
// moment between the looks at which all of them wait.
func (w *DeadlockWatch) Seen(ran time.Duration, pid int) (threads int, seen bool) {
	if ran < w.looked {
		*w = DeadlockWatch{}
	}
	if ran-w.looked < deadlockLooks {
		return 0, false
	}
	before := w.waits
	w.looked, w.waits = ran, waitsOf(pid)
	if before == "" || before != w.waits || !isAlone(pid) {
		return 0, false
	}
	return strings.Count(w.waits, "\n"), true
}

// waitsOf describes what each thread of a process waits for and how often it has waited, a line for
// each. It returns "" if a thread does something other than wait in private memory without a time limit.
func waitsOf(pid int) string {
	tasks := fmt.Sprintf("/proc/%d/task/", pid)
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return ""
	}
	var waits strings.Builder
	var addresses []uint64
	for _, thread := range threads {
		call, err := os.ReadFile(tasks + thread.Name() + "/syscall")
		if err != nil {
			return ""
		}
		address, waiting := endlessWait(string(call))
		if !waiting {
			return ""
		}
		turns, undisturbed := sleepOf(tasks + thread.Name() + "/status")
		if !undisturbed {
			return ""
		}
		addresses = append(addresses, address)
		fmt.Fprintf(&waits, "%s %s %s\n", thread.Name(), bytes.TrimSpace(call), turns)
	}
	if len(addresses) == 0 || !arePrivate(pid, addresses) {
		return ""
	}
	return waits.String()
}

// endlessWait parses /proc/PID/task/TID/syscall: the number of the call and its arguments. It reports
// whether the call waits for a futex without a time limit, and the futex's address.
func endlessWait(call string) (address uint64, waiting bool) {
	const fields = 1 + 4 // up to the time limit
	words := strings.Fields(call)
	if len(words) < fields || words[0] != strconv.Itoa(unix.SYS_FUTEX) {
		return 0, false
	}
	var args [fields - 1]uint64
	for i := range args {
		value, err := strconv.ParseUint(strings.TrimPrefix(words[1+i], "0x"), 16, 64)
		if err != nil {
			return 0, false
		}
		args[i] = value
	}
	const (
		private, realtime                              = 128, 256
		wait, lockPI, waitBitset, waitRequeue, lockPI2 = 0, 6, 9, 11, 13 // FUTEX_WAIT and so on
	)
	operation := uint32(args[1]) &^ (private | realtime)
	waits := []uint32{wait, lockPI, waitBitset, waitRequeue, lockPI2}
	return args[0], slices.Contains(waits, operation) && args[3] == 0
}

// sleepOf reads from a thread's status file how often it has given up its processor. It reports whether the
// thread sleeps and no handler of a signal may wake it.
func sleepOf(file string) (turns string, undisturbed bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch name {
		case "State":
			if !strings.HasPrefix(value, "S") {
				return "", false
			}
		case "SigCgt":
			handled, err := strconv.ParseUint(value, 16, 64)
			if err != nil || handled&^harmless != 0 {
				return "", false
			}
		case "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches":
			turns += value + " "
		}
	}
	return turns, turns != ""
}

// harmless are the signals whose handlers do not end a wait: those that a thread raises by running, those
// that come from outside only, and the two that the C library uses among threads.
var harmless = signalSet(syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGABRT,
	syscall.SIGTRAP, syscall.SIGSYS, syscall.SIGTERM, syscall.SIGXFSZ, syscall.SIGXCPU, syscall.SIGPIPE, syscall.SIGINT,
	syscall.SIGHUP, syscall.SIGQUIT, 32, 33)

func signalSet(signals ...syscall.Signal) (set uint64) {
	for _, s := range signals {
		set |= 1 << (s - 1)
	}
	return set
}

// arePrivate reports whether all addresses are in memory that the process shares with no other.
func arePrivate(pid int, addresses []uint64) bool {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return false
	}
	left := slices.Clone(addresses)
	for line := range strings.Lines(string(maps)) {
		var from, to uint64
		var allowed string
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &allowed); err != nil {
			return false
		}
		if strings.HasSuffix(allowed, "p") {
			left = slices.DeleteFunc(left, func(at uint64) bool { return from <= at && at < to })
		}
	}
	return len(left) == 0
}

// isAlone reports whether the process has no children, which may share its memory, and no timers of
// its own. Kernels without a list of timers do not tell; most timers send signals that are not harmless.
func isAlone(pid int) bool {
	timers, _ := os.ReadFile(fmt.Sprintf("/proc/%d/timers", pid))
	return len(timers) == 0 && len(descendants(nil, pid, 0)) == 0
}
