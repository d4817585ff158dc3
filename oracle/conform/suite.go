package conform

import (
	"context"
	"errors"
	"fmt"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Runner runs one trace on the target, in a new process. A target that crashes or hangs is a run; an
// error is a failure of ipafuzz or of its environment.
type Runner interface {
	Run(ctx context.Context, t *trace.Trace, run *trace.Run) error
	Description() (*apimodel.Description, error)
	Close()
}

// A violation is an error of a Runner that the target caused by violating the Runner's protocol.
type violation interface{ Violation() string }

// A Suite runs cases on one target.
type Suite struct {
	Runner Runner
	// OpenHeap starts one process for many runs and sets Usage.HeapDelta. Without it the cases about
	// memory run only once.
	OpenHeap func() (Runner, error)
	// Each is called with every result as it comes, unless it is nil. A target that hangs takes seconds for each.
	Each func(*Result)
}

// An Outcome is the verdict on a case.
type Outcome string

// The outcomes.
const (
	Pass        Outcome = "pass"
	Fail        Outcome = "fail"
	Unsupported Outcome = "unsupported" // the target lacks something that the case needs, or takes no trace of its size
	Unspecified Outcome = "unspecified" // the standard leaves it open, or the target declares another policy
	Unchecked   Outcome = "unchecked"   // nothing was wrong, and something that the case asks was not checked
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{Pass, Fail, Unsupported, Unspecified, Unchecked}

// A Result is the outcome of one case. Unknown fields are empty.
type Result struct {
	Case      *Case   `json:"-"`
	Outcome   Outcome `json:"result"`
	Reason    string  `json:"reason,omitempty"` // in one line, unless the case passed
	Call      int     `json:"call,omitempty"`   // of a failure, from 1; one more than the calls: the final release
	Line      string  `json:"line,omitempty"`   // that call
	Observed  string  `json:"observed,omitempty"`
	Expected  string  `json:"expected,omitempty"`
	Class     string  `json:"class,omitempty"`  // of the fault, where it is one of docs/classes.md
	Detail    string  `json:"-"`                // of the fault, as in the key of a finding
	Alike     int     `json:"alike,omitempty"`  // cases that fail in this way, where these are several
	Stderr    string  `json:"stderr,omitempty"` // of a process that ended early
	Log       string  `json:"log,omitempty"`    // the trace with the answers that were observed
	WallNanos uint64  `json:"nanoseconds"`
	Breach    bool    `json:"-"` // of the protocol, by a runner

	says      map[string]string // the policies of the target's description
	noneRight bool              // no case got a right answer to a call like the one that failed
}

// Run runs the cases and returns a result for each, in their order.
func (s *Suite) Run(ctx context.Context, cases []*Case) ([]Result, error) {
	description, err := s.Runner.Description()
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(cases))
	for _, c := range cases {
		result, err := s.one(ctx, c, description)
		if err != nil {
			return results, fmt.Errorf("case %s: %w", c.Name, err)
		}
		results = append(results, result)
		if s.Each != nil {
			s.Each(&result)
		}
	}
	return results, nil
}

func (s *Suite) one(ctx context.Context, c *Case, d *apimodel.Description) (Result, error) {
	result := Result{Case: c}
	if d != nil {
		result.says = d.Policies
	}
	if lacking := c.lacking(d); lacking != "" {
		result.set(Unsupported, "the target lacks: "+lacking)
		return result, nil
	}
	if beyond := c.beyond(&d.Bounds); beyond != "" {
		result.set(Unsupported, beyond)
		return result, nil
	}
	for name, value := range c.Policies {
		if says := d.Policy(name); !covers(name, says, value) {
			result.set(Unspecified, fmt.Sprintf("rests on %s=%s; the target says %s", name, value, says))
			return result, nil
		}
	}
	var run trace.Run
	if err := s.Runner.Run(ctx, c.Trace, &run); err != nil {
		var v violation
		if errors.As(err, &v) {
			result.Breach = true
			result.set(Fail, "the runner does not keep to its protocol: "+v.Violation())
			return result, nil
		}
		return result, err
	}
	result.WallNanos = run.Usage.WallNanos
	result.Log = string(c.Trace.AppendLog(nil, &run))
	if err := result.judge(&run, d); err != nil {
		return result, err
	}
	if c.Memory && result.Outcome == Pass && s.OpenHeap != nil {
		return result, s.memory(ctx, &result)
	}
	return result, nil
}

// covers reports whether a case that rests on one value of a policy applies to a target with another
// value: one that accepts every answer, or a smaller range of weights.
func covers(name, says, rests string) bool {
	return says == rests || rests == "any" || name == "weight-sum" && says == "any" ||
		name == "unseen-val" && rests == "consistent" && says == "zero"
}

// lacking names the capability that the case needs and the target lacks.
func (c *Case) lacking(d *apimodel.Description) string {
	walker := apimodel.NewWalker(c.Model())
	for i := range c.Trace.Calls {
		call := &c.Trace.Calls[i]
		row := c.Model().Call(call.Op)
		if row.Optional != "" && !d.Has(row.Optional) {
			return row.Optional
		}
		if err := walker.Step(call.Instance, call.Op, apimodel.Outcome{Open: call.Flags&trace.Open != 0}); err != nil {
			continue // perhaps legal after the expected answers, on which the number of instances does not depend
		}
		live := 0
		walker.Live(func(uint16, apimodel.States) { live++ })
		if live > 1 && !d.Has("instances") {
			return "instances"
		}
	}
	return ""
}

// How often a case about memory runs in one process. The first half of the runs may fill caches.
const (
	memoryRuns       = 20
	memoryRunsJudged = 10
)

// memory fails the case if every late run in one process leaves the heap larger.
func (s *Suite) memory(ctx context.Context, result *Result) error {
	runner, err := s.OpenHeap()
	if err != nil {
		return err
	}
	defer runner.Close()
	var least int64
	for n := range memoryRuns {
		var run trace.Run
		if err := runner.Run(ctx, result.Case.Trace, &run); err != nil {
			return err
		}
		if run.End != trace.Finished {
			result.fail(run.Call, &oracle.Finding{Observed: fmt.Sprintf("run %d in one process: %s", n+1, run.End),
				Expected: "the end of the trace"})
			result.Stderr = run.Death.Stderr
			return nil
		}
		if n < memoryRuns-memoryRunsJudged {
			continue
		}
		if run.Usage.HeapDelta <= 0 {
			return nil
		}
		if least == 0 || run.Usage.HeapDelta < least {
			least = run.Usage.HeapDelta
		}
	}
	result.fail(len(result.Case.Trace.Calls), &oracle.Finding{Class: oracle.Leak,
		Observed: fmt.Sprintf("every run in one process leaves at least %d bytes more on the heap", least),
		Expected: "after the last release the heap is what it was"})
	return nil
}
