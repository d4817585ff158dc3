package instances

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Verdict is the result of a target on an instance.
type Verdict string

// Verdicts.
const (
	OK       Verdict = "ok"       // every answer and every proof is checked
	Unproven Verdict = "unproven" // nothing is wrong, and something stayed unchecked
	Disputed Verdict = "disputed" // targets differ, and nothing proves which one is right
	Limit    Verdict = "limit"    // the run met a limit, which is not a fault
	GaveUp   Verdict = "unknown"  // a solve answered "unknown", as it may
	NotMade  Verdict = "not-made" // the target cannot express a solve
	NotRun   Verdict = "not-run"  // the target does not support the interface
	Wrong    Verdict = "wrong"    // a finding
)

// Verdicts lists all verdicts in the order of tables.
var Verdicts = []Verdict{OK, Unproven, Disputed, Limit, GaveUp, NotMade, NotRun, Wrong}

// A Row is the result of one instance on one target.
type Row struct {
	Instance  string
	Target    string
	Model     string
	Status    []string // of each solve: 10, 20, 30, 0, 40; -: no answer
	Objective []string // of each solve; -: none
	End       trace.End
	Wall      time.Duration // of all calls
	Solving   time.Duration // inside the solves that returned
	CPU       time.Duration // of file targets; 0: unknown
	PeakKB    uint64        // of file targets; 0: unknown
	Verdict   Verdict
	Findings  []Finding
	Note      string // why the instance did not run, or which limit it met
	Unchecked []unchecked.Item
}

// A Finding is a finding with its key. A row has each key once.
type Finding struct {
	oracle.Finding
	Key oracle.Key
}

// Solved reports whether every solve has a definite answer that is not known to be wrong.
func (r *Row) Solved() bool {
	return r.Verdict == OK || r.Verdict == Unproven || r.Verdict == Disputed
}

func (r *Row) fill(result *trial.Replayed, target *replay.Target) {
	run := &result.Run
	r.End, r.Wall, r.Solving = run.End, time.Duration(run.Usage.WallNanos), result.SolveTime()
	if target.Kind == replay.File {
		r.CPU, r.PeakKB = time.Duration(run.Usage.CPUNanos), run.Usage.PeakKB
	}
	r.answers(result)
	for i := range result.Findings {
		f := &result.Findings[i]
		key := f.Key(r.Target)
		if !slices.ContainsFunc(r.Findings, func(o Finding) bool { return o.Key == key }) {
			r.Findings = append(r.Findings, Finding{*f, key})
		}
	}
	r.Verdict = r.judge(result, target)
	if r.Unchecked = result.Unchecked.Items(); r.Verdict == OK && len(r.Unchecked) > 0 {
		r.Verdict = Unproven
	}
	if r.Note == "" && r.Verdict == Unproven {
		r.Note = r.why(result)
	}
}

// why says what stayed unchecked, with what a checker of proofs said.
func (r *Row) why(result *trial.Replayed) string {
	text := unchecked.Text(r.Unchecked)
	for _, note := range result.Notes {
		if note.Why != "" {
			return text + " " + note.Why
		}
	}
	return text
}

// answers sets Status and Objective.
func (r *Row) answers(result *trial.Replayed) {
	t := result.Trace
	at := make(map[uint16]int) // index of the last solve, by solver instance
	for i := range t.Calls {
		c, a := &t.Calls[i], result.Run.Answers.At(i)
		switch c.Op {
		case apimodel.OpSolve:
			at[c.Instance] = len(r.Status)
			status := "-"
			if a.Kind == trace.Answered {
				status = strconv.FormatInt(a.Int(), 10)
			}
			r.Status, r.Objective = append(r.Status, status), append(r.Objective, "-")
		case apimodel.OpObj:
			if solve, any := at[c.Instance]; any && a.Kind == trace.Answered {
				r.Objective[solve] = strconv.FormatUint(a.Num, 10)
			}
		}
	}
}

func (r *Row) judge(result *trial.Replayed, target *replay.Target) Verdict {
	run := &result.Run
	if len(result.Findings) > 0 {
		return Wrong
	}
	if run.End != trace.Finished {
		r.Note = run.End.String()
		if len(result.Slow) > 0 {
			r.Note = result.Slow[0]
		}
		return Limit
	}
	verdict := OK
	for i := range result.Trace.Calls {
		if result.Trace.Calls[i].Op != apimodel.OpSolve {
			continue
		}
		switch a := run.Answers.At(i); {
		case a.Kind != trace.Answered:
			r.Note = fmt.Sprintf("call %d: the target cannot read this formula", i+1)
			if a.Kind == trace.Withheld {
				r.Note = fmt.Sprintf("call %d: illegal after the earlier answers", i+1)
			}
			if driver, ok := target.Driver.(replay.ReadingDriver); ok {
				if why := driver.Unreadable(result.Trace, i); why != "" {
					r.Note += ": " + why
				}
			}
			return NotMade
		case a.Int() == apimodel.Interrupted, a.Int() == apimodel.Failure:
			verdict = GaveUp
		case result.Trace.Model.Optimizes() && a.Int() == apimodel.Satisfiable && verdict == OK:
			verdict = Unproven // the solution may be suboptimal
		}
	}
	return verdict
}

// last returns the last answer.
func last(answers []string) string {
	if len(answers) == 0 {
		return "-"
	}
	return answers[len(answers)-1]
}

// Answer returns the status and the objective of the last solve.
func (r *Row) Answer() string {
	return strings.TrimSuffix(last(r.Status)+" "+last(r.Objective), " -")
}
