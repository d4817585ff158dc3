package trace

import (
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A Run is one execution of a trace on a target: the answers, and how it ended. If ipafuzz
// itself fails, there is an error and no Run.
type Run struct {
	Answers Answers
	End     End
	Call    int // the call in which the run ended, unless it finished; len(Calls) for the final release
	Death   Death
	Usage   Usage
	Output  Output
	Proofs  []Proof
	// FailedAllocation is 1 + the index of the first call in which the executor made an allocation fail,
	// or 0 if it made none fail.
	FailedAllocation int
	// FailedEarlier says that the executor made an allocation fail in an earlier trace of the process.
	FailedEarlier bool
}

// SolveTime returns the total time of the finished solves of the run.
func (r *Run) SolveTime() time.Duration {
	total := uint64(0)
	for i := range r.Answers.Of {
		total += r.Answers.EffortOf(&r.Answers.Of[i]).Nanos
	}
	return time.Duration(total)
}

// AllocationFailed reports whether the executor had made an allocation fail when the call returned. If so, at
// is the call in which it failed, or -1 if that was in an earlier trace of the process.
func (r *Run) AllocationFailed(call int) (at int, failed bool) {
	switch {
	case r.FailedEarlier:
		return -1, true
	case r.FailedAllocation > 0 && r.FailedAllocation <= call+1:
		return r.FailedAllocation - 1, true
	}
	return 0, false
}

// ProofFormats are the formats of proofs that a target may offer.
var ProofFormats = []string{"drat", "lrat", "frat", VeriPB}

// VeriPB is the format of proofs that a solution is optimal, or that there is none.
const VeriPB = apimodel.VeriPB

// MostProofBytes is how many bytes the executor keeps of a proof that a call returns. A proof of that length
// may be cut off.
const MostProofBytes = proofBytes

// A Proof is what a target wrote to prove its answer to a solve: that there is no solution
// or, for VeriPB, that a solution is optimal.
type Proof struct {
	Call   int // the solve
	Format string
	Text   []byte
	// IsMissing says that the target wrote no file, and IsCut that the file is too large to be read.
	IsMissing, IsCut bool

	// For VeriPB only:
	Formula   []byte // the file that the program read
	Extension string // extension of the file: .cnf, .wcnf or .opb
	Offset    uint64 // the cost in the trace minus the cost in the file
	Stated    []StatedCost
}

// A StatedCost is a cost that a program claims for its solution.
type StatedCost struct {
	Line string // o or v
	Cost uint64
}

// Output is what the target wrote to stdout and stderr in a finished run. Of a long output, it
// has only the beginning and the end.
type Output struct {
	Text string
	// One or more of Of consecutive traces wrote the text, and this trace is number At of
	// them, counted from 0. If Of is 1, this trace wrote it.
	Of, At int
}

// An End is how a run ended.
type End uint8

const (
	Finished    End = iota
	Killed          // by a signal: Death.Signal
	Exited          // the target ended the process itself: Death.ExitCode
	OutOfTime       // wall time limit
	OutOfCPU        // CPU time limit
	OutOfMemory     // memory limit
	OutOfOutput     // wrote more than the output limit
	OddOutput       // a program wrote something other than an answer: Death.Fault
	Trespassed      // made a forbidden system call: Death.Output
	Deadlocked      // every thread waits for another one: Death.Threads
)

var endNames = [...]string{
	"finished", "killed by a signal", "exited by itself", "wall time limit", "CPU time limit", "memory limit",
	"output limit", "output that is no answer", "forbidden system call", "deadlock",
}

// String returns the end in words.
func (e End) String() string { return endNames[e] }

// IsLimit reports whether the run exceeded a limit. Nobody knows what it would have done without.
func (e End) IsLimit() bool { return e >= OutOfTime && e <= OutOfOutput }

// IsTimeLimit reports whether the run exceeded a time limit.
func (e End) IsTimeLimit() bool { return e == OutOfTime || e == OutOfCPU }

// A Death describes a process that died in a call.
type Death struct {
	Signal   int
	Code     int    // si_code
	Address  uint64 // fault address
	ExitCode int
	// OtherThread reports that the signal hit another thread than the one that makes the calls.
	OtherThread bool
	Frames      []Frame
	Stderr      string // the end of the output
	Fault       string // for OddOutput: the kind of mistake in the output
	Output      string // for OddOutput: the line with the mistake; for Trespassed: the system call
	// AtExit reports that the process died after the trace, while it was exiting.
	AtExit bool
	// InParent reports that the process died that forks one for each trace, while that one ran.
	InParent bool
	// InInit reports that the process died in the init that the executor makes before an instance's
	// first call.
	InInit bool
	// For OutOfTime, Asleep reports that no thread of the process or of its children ran or wanted
	// to run, and Stopped that a signal had stopped the process.
	Asleep, Stopped bool
	Threads         int // for Deadlocked: how many threads wait
}

// A Frame is a place in the code, independent of load addresses. A function that the compiler
// inlined has a frame of its own, with the same module and offset as its caller.
type Frame struct {
	Module   string `json:"module"` // path of the library or program
	Offset   uint64 `json:"offset"`
	Function string `json:"function,omitempty"` // as in the source, if the module has symbols
	Place    string `json:"place,omitempty"`    // file:line, or the offset in the function
}

// Usage is the cost of a run. PeakKB is sampled; 0 means unknown.
type Usage struct {
	WallNanos uint64
	CPUNanos  uint64
	PeakKB    uint64
	HeapDelta int64 // growth of the C heap in bytes, from before the trace to after its last release; 0 if unknown
}
