// Package replay runs traces on targets and reports what they did. It does not
// judge answers.
//
// If a target crashes, hangs, floods its output or ends the process, that is a result (a
// trace.Run). An error is a failure of ipafuzz or of the system that it runs on, or reports
// a target that cannot be used at all (TargetError).
//
// Package targets finds a target by its name. The packages native, pipe and file implement
// the kinds of targets; a target holds its Driver.
package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/ulimit"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

// Limits bound one trace.
type Limits struct {
	Wall   time.Duration // catches sleeping and deadlock
	CPU    time.Duration // catches endless work, however busy the machine is
	Memory uint64        // bytes of resident memory of the process
	Output uint64        // bytes on stdout and stderr together
	// Growth bounds by how many bytes the resident memory grows during the trace; 0: no bound.
	// Only the processes of libraries have it.
	Growth uint64
	// Warmup is how much more time the first trace of a process may take than the others: some libraries fill their
	// tables when they first solve. Only processes that run many traces have it.
	Warmup time.Duration

	// Fixed are surroundings that are the same for every process. They limit nothing. They
	// are here because repeating a failure needs the same limits and the same surroundings.
	Fixed Fixed
	// Sigterm says when anytime programs are told to stop, if not when their target says.
	Sigterm Span
	// Uncontained exempts the target from containment.
	Uncontained bool
	// Yields lets other processes run first: nobody waits for the trace, and it may take long.
	Yields bool
}

// Fixed is a set of surroundings.
type Fixed = process.Fixed

// The surroundings that can be fixed.
const (
	FixedAddresses = process.FixedAddresses
	FixedMemory    = process.FixedMemory
	FixedProcessor = process.FixedProcessor
)

// DefaultLimits suit tiny traces: the slowest of them takes milliseconds in a
// healthy solver.
var DefaultLimits = Limits{
	Wall:   20 * time.Second,
	CPU:    5 * time.Second,
	Memory: 2 << 30,
	Output: 64 << 20,
}

// fit returns an error if this process may not make files as large as those of a target may be. A target would have
// the limit, too, and die of what these limits allow.
func (l Limits) fit() error {
	largest := process.FilesPerOutput * l.Output
	if most := ulimit.FileSize(); most < largest {
		return fmt.Errorf("files may have at most %d bytes here (ulimit -f), and a target needs %d: "+
			"raise that limit to %d kB, or lower the limit on output", most, largest, (largest+1023)/1024)
	}
	return nil
}

// First returns the limits of the first trace of a process.
func (l Limits) First() Limits {
	const wallOverCPU = 4 // other processes use the machine, too
	if l.CPU > 0 {
		l.CPU += l.Warmup
	}
	if l.Wall > 0 {
		l.Wall += wallOverCPU * l.Warmup
	}
	return l
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

// Flags returns the command-line flags for the limits that differ from DefaultLimits, for
// fixed surroundings, and for no containment.
func (l Limits) Flags() string {
	var flags []string
	usual := DefaultLimits
	for _, f := range []struct {
		flag         string
		limit, usual time.Duration
	}{{"cpu", l.CPU, usual.CPU}, {"wall", l.Wall, usual.Wall}} {
		if f.limit != 0 && f.limit != f.usual {
			flags = append(flags, fmt.Sprintf("--%s %s", f.flag, f.limit))
		}
	}
	for _, f := range []struct {
		flag         string
		limit, usual uint64
	}{{"memory", l.Memory, usual.Memory}, {"output", l.Output, usual.Output}} {
		if f.limit != 0 && f.limit != f.usual {
			flags = append(flags, fmt.Sprintf("--%s %s", f.flag, sizeText(f.limit)))
		}
	}
	if l.Fixed != 0 {
		flags = append(flags, "--fixed "+l.Fixed.String())
	}
	if !l.Sigterm.IsZero() {
		flags = append(flags, "--sigterm-after "+l.Sigterm.String())
	}
	if l.Uncontained {
		flags = append(flags, "--no-containment")
	}
	return strings.Join(flags, " ")
}

// sizeText formats a number of bytes as the value of a flag.
func sizeText(n uint64) string {
	units := []string{"", "K", "M", "G"}
	unit := 0
	for n != 0 && n%1024 == 0 && unit+1 < len(units) {
		n /= 1024
		unit++
	}
	return fmt.Sprintf("%d%s", n, units[unit])
}
