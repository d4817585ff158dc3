package replay

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/trace"
)

// MistakePrefix begins the line on stderr by which a runner, an adapter or a wrapper says that it is at fault itself,
// and not its solver. It then ends its process. The text goes on up to the end of the output.
const MistakePrefix = "ipafuzz-mistake: "

// A MistakeError reports a runner, an adapter or a wrapper that is at fault itself. It says nothing about the
// solver, so it is never a finding.
type MistakeError struct {
	Target string
	Reason string
	Trace  *trace.Trace // the one in progress
	Call   string       // in which it failed
}

// Error returns the message.
func (e *MistakeError) Error() string {
	return fmt.Sprintf("target %s: what serves the solver failed in %s, not the solver: %s", e.Target, e.Call,
		printable.Text(e.Reason))
}

// mistakeIn returns the MistakeError for a run in which the target said that it is at fault itself, or nil.
func mistakeIn(target *Target, t *trace.Trace, run *trace.Run) error {
	if run.End != trace.Exited {
		return nil
	}
	at := strings.LastIndex("\n"+run.Death.Stderr, "\n"+MistakePrefix)
	if at < 0 {
		return nil
	}
	call := "the end of the trace"
	if run.Call < len(t.Calls) {
		call = fmt.Sprintf("call %d (%s)", run.Call+1, Excerpt(t.AppendRequest(nil, run.Call)))
	}
	return &MistakeError{Target: target.Name, Reason: strings.TrimSpace(run.Death.Stderr[at+len(MistakePrefix):]),
		Trace: t.Clone(), Call: call}
}

// A candidQueue turns the mistakes that targets admit into errors, whatever kind of target it is.
type candidQueue struct {
	Queue
	target *Target
}

// Collect implements Queue.
func (q candidQueue) Collect() (*Batch, error) {
	b, err := q.Queue.Collect()
	if err != nil {
		return nil, err
	}
	for i := b.Fresh; i < b.Done; i++ {
		if err := mistakeIn(q.target, b.Traces[i], &b.Runs[i]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// PeakKB implements Peaks.
func (q candidQueue) PeakKB() (resident, space uint64) {
	if exact, ok := q.Queue.(Peaks); ok {
		return exact.PeakKB()
	}
	return 0, 0
}
