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
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A Verdict is what a target came to on an instance.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"       // every answer was proven right
	Unproven Verdict = "unproven" // nothing wrong was found, and not every answer was proven right
	Disputed Verdict = "disputed" // targets differ, and nothing proves who is right
	Limit    Verdict = "limit"    // a limit was met, which is no fault
	GaveUp   Verdict = "unknown"  // it does not know, and may say so
	NotMade  Verdict = "not-made" // a solve was not made: the target cannot be given what it takes
	NotRun   Verdict = "not-run"  // the target does not serve the interface
	Wrong    Verdict = "wrong"    // a finding
)

// Verdicts are all of them, as tables list them.
var Verdicts = []Verdict{OK, Unproven, Disputed, Limit, GaveUp, NotMade, NotRun, Wrong}

// A Row is one instance on one target.
type Row struct {
	Instance  string
	Target    string
	Model     string
	Status    []string // of every solve: 10, 20, 30, 0, 40; - where there is none
	Objective []string // of every solve: - where there is none
	End       trace.End
	Wall      time.Duration // of all calls
	Solving   time.Duration // inside the solves that came to an end
	CPU       time.Duration // of programs with a file; 0 when it is not known
	PeakKB    uint64        // the same
	Verdict   Verdict
	Findings  []Finding
	Note      string // in words: why it was not run, which limit was met
}

// A Finding is a fault with its key; an instance shows it once.
type Finding struct {
	oracle.Finding
	Key oracle.Key
}

// Solved reports whether every solve has an answer that says something, and
// nothing of it is known to be wrong.
func (r *Row) Solved() bool {
	return r.Verdict == OK || r.Verdict == Unproven || r.Verdict == Disputed
}

func (r *Row) fill(result *trial.Replayed, kind replay.Kind) {
	run := &result.Run
	r.End, r.Wall, r.Solving = run.End, time.Duration(run.Usage.WallNanos), result.SolveTime()
	if kind == replay.File {
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
	r.Verdict = r.judge(result)
}

// answers fills in what the solves answered.
func (r *Row) answers(result *trial.Replayed) {
	t := result.Trace
	at := make(map[uint16]int) // the last solve of an instance
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

func (r *Row) judge(result *trial.Replayed) Verdict {
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
	if result.Undecided > 0 {
		verdict = Unproven
	}
	for i := range result.Trace.Calls {
		if result.Trace.Calls[i].Op != apimodel.OpSolve {
			continue
		}
		switch a := run.Answers.At(i); {
		case a.Kind != trace.Answered:
			r.Note = fmt.Sprintf("call %d: the target cannot be given this solve", i+1)
			return NotMade
		case a.Int() == apimodel.Interrupted, a.Int() == apimodel.Failure:
			verdict = GaveUp
		case result.Trace.Model == apimodel.IPAMIR && a.Int() == apimodel.Satisfiable && verdict == OK:
			verdict = Unproven // a solution, which need not be the best
		}
	}
	return verdict
}

// last is the last of the answers.
func last(answers []string) string {
	if len(answers) == 0 {
		return "-"
	}
	return answers[len(answers)-1]
}

// Answer is the answer to the last solve, in a word or two.
func (r *Row) Answer() string {
	return strings.TrimSuffix(last(r.Status)+" "+last(r.Objective), " -")
}
