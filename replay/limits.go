// Package replay runs traces on targets and reports what they did. It does not
// know right answers from wrong ones.
//
// A target that crashes, hangs, floods its output or ends the process is a
// result (a trace.Run). An error is a failure of ipafuzz or of its
// surroundings, or a target that cannot be used at all (TargetError).
//
// Package targets finds a target by its name. The packages native, pipe and file
// run the kinds of targets; a target holds its Driver.
package replay

import "time"

// Limits bound one trace.
type Limits struct {
	Wall   time.Duration // catches sleeping and deadlock
	CPU    time.Duration // catches endless work, however busy the machine is
	Memory uint64        // bytes of resident memory of the process
	Output uint64        // bytes on stdout and stderr together
}

// DefaultLimits suit tiny traces: the slowest of them takes milliseconds in a
// healthy solver.
var DefaultLimits = Limits{
	Wall:   20 * time.Second,
	CPU:    5 * time.Second,
	Memory: 2 << 30,
	Output: 64 << 20,
}

// Longer returns the limits with the times multiplied, to confirm a timeout.
func (l Limits) Longer(factor int) Limits {
	l.Wall *= time.Duration(factor)
	l.CPU *= time.Duration(factor)
	return l
}

// A Way is how traces are isolated from one another and from ipafuzz.
type Way string

// The ways of running a trace.
const (
	InProcess  Way = "inproc"     // in this process: for debuggers and sanitizers
	Fork       Way = "fork"       // one process per trace, forked from a warmed-up worker
	Persistent Way = "persistent" // many traces per process
)
