package trace

// A Run is what a replay observed of one trace: the answers up to where it got,
// and how it ended. It holds only what the target did; when ipafuzz itself
// fails, a replay returns an error and no run.
type Run struct {
	Answers Answers
	End     End
	Call    int // of an End other than Finished: the call in progress, len(Calls) for the final release
	Death   Death
	Usage   Usage
	Output  Output
}

// Output is what the target wrote to stdout and stderr in a run that finished.
// Of a long one the beginning and the end are kept.
type Output struct {
	Text string
	// Of so many consecutive traces of the process, of which this is number At
	// (from 0), one or more wrote the text: 1 when it is this one's for sure.
	Of, At int
}

// End says how a run ended.
type End uint8

const (
	Finished    End = iota
	Killed          // by a signal that the target raised: Death.Signal
	Exited          // the target ended the process itself: Death.ExitCode
	OutOfTime       // wall time limit
	OutOfCPU        // CPU time limit
	OutOfMemory     // memory limit
	OutOfOutput     // wrote more than the output limit
	OddOutput       // a program wrote something that is no answer: Death.Fault
)

var endNames = [...]string{"finished", "killed by a signal", "exited by itself", "wall time limit", "CPU time limit", "memory limit", "output limit", "output that is no answer"}

func (e End) String() string { return endNames[e] }

// Death is what is known of a process that died in a call.
type Death struct {
	Signal   int
	Code     int    // si_code
	Address  uint64 // fault address
	ExitCode int
	// OtherThread: the signal met a thread that the library had started, and
	// not the one that makes the calls.
	OtherThread bool
	Frames      []Frame
	Stderr      string // the tail of what the process wrote
	Fault       string // of OddOutput: what is wrong, in words that stay the same for the same fault
	Output      string // of OddOutput: the line
}

// A Frame is a place in the code, without the address that it was loaded at.
type Frame struct {
	Module   string `json:"module"` // path of the library or program
	Offset   uint64 `json:"offset"`
	Function string `json:"function,omitempty"` // where the module has symbols
}

// Usage is what a run cost. PeakKB and HeapKB are sampled, 0 when unknown.
type Usage struct {
	WallNanos uint64
	CPUNanos  uint64
	PeakKB    uint64
	HeapDelta int64 // bytes that the C heap grew by from before the trace to after its last release; 0 when unknown
}
