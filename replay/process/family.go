package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// A Family is all processes below a warden: the target and its descendants. A runner, for
// example, may be a shell that starts the solver.
type Family struct {
	Warden  int
	members []int
	looks   int
}

// relist is how many looks share one list of descendants. Listing them is the most expensive
// part of a look: it reads a file per thread.
const relist = 10

const ticksPerSecond = 100 // of /proc/PID/stat, on every Linux that runs Go

// Look returns the CPU time that the family has used, and its resident memory.
// A member that has ended counts once its parent has waited for it.
func (f *Family) Look() (cpu time.Duration, resident uint64) {
	if f.looks%relist == 0 {
		f.members = descendants(f.members[:0], f.Warden, 0)
	}
	f.looks++
	var ticks int64
	if stat, ok := Stat(f.Warden); ok { // only for its children that have ended: it uses nearly no time itself
		ticks = int64(stat.CUTime) + int64(stat.CSTime)
	}
	for _, pid := range f.members {
		if stat, ok := Stat(pid); ok {
			ticks += int64(stat.UTime) + int64(stat.STime) + int64(stat.CUTime) + int64(stat.CSTime)
			resident += uint64(stat.ResidentMemory())
		}
	}
	return time.Duration(ticks) * (time.Second / ticksPerSecond), resident
}

// Processes returns the members that the last look saw.
func (f *Family) Processes() []int { return f.members }

// Asleep reports whether, at this moment, no process of the family runs, waits for a processor
// or waits for a disk. Unlike Look, it may be called from any goroutine.
func (f *Family) Asleep() bool {
	return areAsleep(append(descendants(nil, f.Warden, 0), f.Warden))
}

const (
	maxMembers = 1000 // of a family; others are not counted
	maxDepth   = 20
)

// descendants appends the processes below pid to dst.
func descendants(dst []int, pid, depth int) []int {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(tasks)
	if err != nil || depth == maxDepth {
		return dst
	}
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + "/" + thread.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil || len(dst) >= maxMembers {
				return dst
			}
			dst = descendants(append(dst, child), child, depth+1)
		}
	}
	return dst
}

// Idle reports whether no thread of the process runs, waits for a processor or waits for a disk,
// and whether a signal has stopped the process.
func Idle(pid int) (asleep, stopped bool) {
	threads, err := procfs.AllThreads(pid)
	if err != nil || len(threads) == 0 {
		return false, false
	}
	for _, thread := range threads {
		stat, err := thread.Stat()
		if err != nil {
			continue
		}
		switch stat.State {
		case "S", "I", "Z", "X":
		case "T", "t":
			stopped = true
		default:
			return false, false
		}
	}
	return true, stopped
}

// HasBusyChild reports whether a process below the given one runs, or waits for a processor or a disk.
func HasBusyChild(pid int) bool { return !areAsleep(descendants(nil, pid, 0)) }

// Stat reads /proc/PID/stat. It returns false if there is no such process.
func Stat(pid int) (stat procfs.ProcStat, ok bool) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return stat, false
	}
	stat, err = proc.Stat()
	return stat, err == nil
}

// PeakMemory returns the peak resident memory of a process and the peak of its address space, in bytes; 0 if there is
// no such process.
func PeakMemory(pid int) (resident, space uint64) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, 0
	}
	status, err := proc.NewStatus()
	if err != nil {
		return 0, 0
	}
	return status.VmHWM, status.VmPeak
}
