package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Rules decide what a solver may do.
type Rules struct {
	Anytime    bool // suboptimal or missing answers are accepted
	Unweighted bool // only tests without weights above 1
	Strict     bool // nothing is only a warning: see outcomeOf
}

// An Outcome is the result of a test.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "pass"
	Warned  Outcome = "warning"
	Failed  Outcome = "error"
	Skipped Outcome = "skip"
	// Unchecked tests showed no error, and something that they ask stayed unchecked.
	Unchecked Outcome = "unchecked"
)

// A Verdict is the outcome of one entry.
type Verdict struct {
	Entry   *Entry  `json:"-"`
	Name    string  `json:"name"`
	Title   string  `json:"title"`
	Outcome Outcome `json:"outcome"`
	Class   string  `json:"class,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	Seconds float64 `json:"seconds"`
	Log     string  `json:"log,omitempty"` // set if the test did not pass
	// Unchecked lists what the test asked for and was not checked.
	Unchecked []unchecked.Item `json:"unchecked,omitempty"`
}

// A Report is the result of a check.
type Report struct {
	Suite    string    `json:"suite"`
	Target   string    `json:"target"`
	Rules    string    `json:"rules"`
	Verdicts []Verdict `json:"tests"`
	// Planned is the number of tests under these rules. All of them ran unless the check was cut short.
	Planned int `json:"planned"`
}

// Unchecked lists what the check was asked for and did not check.
func (r *Report) Unchecked() []unchecked.Item {
	var all []unchecked.Item
	for i := range r.Verdicts {
		all = append(all, r.Verdicts[i].Unchecked...)
	}
	if left := r.Planned - len(r.Verdicts); left > 0 {
		all = append(all, unchecked.Item{Reason: unchecked.NotRun, Count: uint64(left)})
	}
	return unchecked.Join(all)
}

// String returns the rules in words.
func (r Rules) String() string {
	words := []string{"exact", "all weights", "lenient"}
	if r.Anytime {
		words[0] = "anytime"
	}
	if r.Unweighted {
		words[1] = "unweighted"
	}
	if r.Strict {
		words[2] = "strict"
	}
	return strings.Join(words, ", ")
}

// Check runs the suite on a target. If ctx ends, it returns the report of the tests that ran with the error.
func (s *Suite) Check(ctx context.Context, target string, open Open, rules Rules) (*Report, error) {
	entries := s.Under(rules)
	report := &Report{Suite: s.Name, Target: target, Rules: rules.String(), Planned: len(entries)}
	for _, e := range entries {
		opened, err := open(e.Trace.Model)
		if err != nil {
			return nil, err
		}
		verdict := Verdict{Outcome: Skipped, Reason: "the target does not support " + e.Model}
		if opened != nil {
			if verdict, err = judge(ctx, e, opened, rules); err != nil {
				return report, fmt.Errorf("%s: %w", e.Name, err)
			}
		}
		verdict.Entry, verdict.Name, verdict.Title = e, e.Name, e.Title
		report.Verdicts = append(report.Verdicts, verdict)
	}
	return report, nil
}

// Under returns the entries to which the rules apply.
func (s *Suite) Under(rules Rules) (entries []*Entry) {
	for i := range s.Entries {
		if e := &s.Entries[i]; !rules.Unweighted || e.Unweighted {
			entries = append(entries, e)
		}
	}
	return entries
}

// judge runs one entry and judges it.
func judge(ctx context.Context, e *Entry, target *Opened, rules Rules) (v Verdict, err error) {
	t := suitedTo(e.Trace, target.Description)
	if t.Instances() > 1 && !target.Description.Has("instances") {
		return Verdict{Outcome: Skipped, Reason: "the target has one solver at a time"}, nil
	}
	if err := trace.CheckAgainst(t, target.Description); err != nil {
		return Verdict{Outcome: Skipped, Reason: err.Error()}, nil
	}
	var run trace.Run
	if err := target.Runner.Run(ctx, t, &run); err != nil {
		return v, err
	}
	v = Verdict{Outcome: Passed, Seconds: time.Duration(run.Usage.WallNanos).Seconds()}
	judge := trial.NewJudge(oracle.Config{Policies: target.Description.Policies, CrossCheck: true}, trial.Thorough)
	defer judge.Close()
	findings, err := judge.Judge(t, &run)
	if err != nil {
		return v, err
	}
	open := judge.Unchecked()
	if call := refused(t, &run); call >= 0 && len(findings) == 0 {
		v.Outcome, v.Unchecked = Unchecked, []unchecked.Item{{Reason: unchecked.NotTaken, Count: 1}}
		v.Reason = fmt.Sprintf("call %d (solve) answered 40: the target does not support an earlier call", call+1)
		return v, nil
	}
	for i := range findings {
		f := &findings[i]
		outcome := rules.outcomeOf(f)
		if outcome == Passed {
			open[unchecked.GaveUp]++
			continue
		}
		if outcome == Warned && f.IsTimeLimit() {
			open[unchecked.TimeLimit]++
		}
		v.take(outcome, string(f.Class), fmt.Sprintf("%s: %s, expected %s (known by %s)",
			place(t, f.Call), f.Observed, f.Expected, f.Known))
	}
	for _, m := range judge.Mismatches() {
		switch {
		case m.Proven:
			v.take(Warned, "", fmt.Sprintf("%s: the suite expects %s, which is wrong", place(t, m.Call), m.Want))
		case rules.Anytime && noBest(t, &run, m.Call):
		default:
			v.take(Failed, "", fmt.Sprintf("%s: %s, expected %s", place(t, m.Call), m.Got, m.Want))
		}
	}
	if v.Unchecked = open.Items(); len(v.Unchecked) > 0 {
		v.take(Unchecked, "", unchecked.Text(v.Unchecked))
	}
	if v.Outcome != Passed {
		v.Log = string(t.AppendLog(nil, &run))
		if run.Death.Stderr != "" {
			v.Log += "# stderr:\n# " + strings.ReplaceAll(strings.TrimRight(run.Death.Stderr, "\n"), "\n", "\n# ") + "\n"
		}
	}
	return v, nil
}

// suitedTo returns the trace without the options that the target lacks.
func suitedTo(t *trace.Trace, d *apimodel.Description) *trace.Trace {
	suited := &trace.Trace{Model: t.Model, Notes: t.Notes}
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Op == apimodel.OpOption {
			name, value := t.Option(c)
			if option := d.Option(name); option == nil || option.Accepts(value) != nil {
				continue
			}
		}
		suited.Append(t, c)
		suited.Want.Of = append(suited.Want.Of, *t.Want.At(i))
	}
	suited.TakeGiven(t)
	return suited
}

// take replaces the outcome by a worse one.
func (v *Verdict) take(outcome Outcome, class, reason string) {
	order := []Outcome{Passed, Unchecked, Warned, Failed}
	if slices.Index(order, outcome) > slices.Index(order, v.Outcome) {
		v.Outcome, v.Class, v.Reason = outcome, class, reason
	}
}

// outcomeOf rates a failure under the rules.
func (r Rules) outcomeOf(f *oracle.Finding) Outcome {
	switch f.Class {
	case oracle.GaveUp:
		if r.Anytime {
			return Passed
		}
	case oracle.TooSlow, oracle.TooMuchMemory:
		if r.Anytime && !r.Strict {
			return Warned
		}
	case oracle.TooMuchOutput, oracle.OddVerifier, oracle.ModelTooBig, oracle.Leak, oracle.LearnedTooLong:
		if !r.Strict {
			return Warned
		}
	}
	return Failed
}

// noBest reports whether a call is a solve, or asks about one, that ended without a proven optimum.
func noBest(t *trace.Trace, run *trace.Run, call int) bool {
	for i := call; i >= 0; i-- {
		if t.Calls[i].Op == apimodel.OpSolve && t.Calls[i].Instance == t.Calls[call].Instance {
			a := run.Answers.At(i)
			best := t.Want.At(i)
			stopped := a.Int() == apimodel.Interrupted || t.Model.Optimizes() && a.Int() == apimodel.Satisfiable
			// Under all rules, it is wrong to claim a solution of an unsatisfiable formula.
			return a.Kind == trace.Answered && stopped &&
				(a.Int() == apimodel.Interrupted || best.Kind != trace.Answered || best.Int() == apimodel.Optimum)
		}
	}
	return false
}

// refused returns the first solve that answered 40, or -1. A library answers 40 if it does not support an
// earlier call, which a policy may allow.
func refused(t *trace.Trace, run *trace.Run) int {
	for i := range t.Calls {
		a := run.Answers.At(i)
		if t.Model.Optimizes() && t.Calls[i].Op == apimodel.OpSolve &&
			a.Kind == trace.Answered && a.Int() == apimodel.Failure {
			return i
		}
	}
	return -1
}

// place names a call.
func place(t *trace.Trace, call int) string {
	if call >= len(t.Calls) {
		return "the final release"
	}
	return fmt.Sprintf("call %d (%s)", call+1, strings.TrimSpace(string(t.AppendRequest(nil, call))))
}

// Count returns the number of tests with the outcome.
func (r *Report) Count(outcome Outcome) (n int) {
	for i := range r.Verdicts {
		if r.Verdicts[i].Outcome == outcome {
			n++
		}
	}
	return n
}
