// Package suspect describes what the search hands to the follow-ups: a trace that failed, or that may have failed.
package suspect

import (
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Kind says what a follow-up has to find out.
type Kind int

// The kinds. The comment says what the search saw.
const (
	Failed  Kind = iota // it failed
	Wrote               // one of several traces wrote a message
	Leaked              // it left the heap larger
	Exits               // nothing, but it may fail when its process exits
	Grew                // one of a batch of traces made the peak memory of its process jump
	Mixed               // no check decides the answers of its instances, which may differ from those that each gives alone
	Differs             // targets disagree, and no check tells which is right
	Known               // it failed with a known key
	Hung                // it met the time limit in a call that is known to hang
)

// A Suspect is a trace that failed, or that may have failed.
type Suspect struct {
	Kind   Kind
	Target int            // the fuzzed target that ran it, perhaps beside rivals
	From   source.Origin  // of the trace
	Found  *store.Finding // how it failed, of most kinds; of the others, a copy of the trace and its kind:
	Trace  *trace.Trace
	Made   cost.Kind

	Run Run // how it failed

	OneOf     []*Suspect            // of Wrote: all that may have written the message, in order
	Batch     []*trace.Trace        // of Grew: from the number of From on
	Member    int                   // of Grew: of the group of the target
	Disputes  []compare.Dispute     // of Differs
	Known     *registry.Examination // of Known: what is known about the key
	Explained bool                  // of Known: a known cause explains the failure
	Limit     time.Duration         // of Known, if it is explained: of all trials
}

// A Run is a run that failed, as the follow-up needs it.
type Run struct {
	End     trace.End
	Took    time.Duration
	Asleep  bool            // at its time limit, it was waiting for something, not for a processor
	Starved bool            // it said that it got no memory, and died
	Growth  uint64          // by how many bytes the memory could grow before the lane set it aside
	History []source.Origin // traces that ran before it in its process, oldest first
	Cut     *Cut            // nil: no limit ended the run after the failure
}

// A Cut is how much of a trace its target ran before a limit ended the run. A failure that came first is confirmed and
// reduced with these calls: with the others, each run would meet the limit again, and a hang that nobody looks for
// would delay the failure.
type Cut struct {
	Calls int
	Took  time.Duration // by the solves among them
}
