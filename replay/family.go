package replay

import (
	"fmt"
	processes "github.com/ipafuzz/ipafuzz/replay/process"
	"os"
	"strconv"
	"strings"
	"time"
)

// A family is a process with its descendants: a runner may be a shell that
// starts the solver.
type family struct {
	root    int
	members []int // all but the root
	looks   int
}

// relist is how many looks share one list of descendants. Finding them reads a
// file a thread, which is what costs most.
const relist = 10

const ticksPerSecond = 100 // of /proc/PID/stat, on every Linux that runs Go

// look returns the CPU time that the family has used, and its resident memory.
// Members that ended count as long as their parents have waited for them.
func (f *family) look() (cpu time.Duration, resident uint64) {
	if f.looks%relist == 0 {
		f.members = descendants(f.members[:0], f.root, 0)
	}
	f.looks++
	add := func(pid int) {
		stat, ok := processes.Stat(pid)
		if !ok {
			return
		}
		ticks := int64(stat.UTime) + int64(stat.STime) + int64(stat.CUTime) + int64(stat.CSTime)
		cpu += time.Duration(ticks) * (time.Second / ticksPerSecond)
		resident += uint64(stat.ResidentMemory())
	}
	add(f.root)
	for _, pid := range f.members {
		add(pid)
	}
	return cpu, resident
}

const (
	mostMembers = 1000 // of a family: what is beyond is not counted
	deepest     = 20
)

// descendants appends the processes that are below pid.
func descendants(dst []int, pid, depth int) []int {
	tasks := fmt.Sprintf("/proc/%d/task", pid)
	threads, err := os.ReadDir(tasks)
	if err != nil || depth == deepest {
		return dst
	}
	for _, thread := range threads {
		text, err := os.ReadFile(tasks + "/" + thread.Name() + "/children")
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil || len(dst) >= mostMembers {
				return dst
			}
			dst = descendants(append(dst, child), child, depth+1)
		}
	}
	return dst
}
