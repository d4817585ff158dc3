package process

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// yielding is the nice value of processes that yield. They get a ninth of a processor for which one other process
// competes. That is enough for limits of wall time, which do not count waiting up to a much greater factor (WallLimit).
const yielding = 10

// yield lets other processes run before those of a warden. Where the scheduler shares the time among sessions, of which
// each warden has its own, nice values count within a session only; a file says how nice the session is. In control
// groups they count as usual. If neither can be set, the processes compete as others do.
func yield(warden, target int) {
	nice := strconv.Itoa(yielding)
	os.WriteFile(filepath.Join("/proc", strconv.Itoa(warden), "autogroup"), []byte(nice), 0)
	unix.Setpriority(unix.PRIO_PGRP, target, yielding)
}
