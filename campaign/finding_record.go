package campaign

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A findingRecord is what finding.json says.
type findingRecord struct {
	Key       oracle.Key    `json:"key"`
	Class     string        `json:"class"`
	Name      string        `json:"class_name"`
	Check     string        `json:"check"`
	Detail    string        `json:"detail"`
	Weights   string        `json:"weight_class"`
	Call      int           `json:"call"` // of the minimal trace, counted from 1; one more than there are: the final release
	CallText  string        `json:"call_text,omitempty"`
	Solve     int           `json:"solve,omitempty"` // the call of the minimal trace whose answer is wrong, counted from 1; 0: it is not one of solve
	Instance  uint16        `json:"instance"`
	Without   []string      `json:"without,omitempty"` // features that the trace was made without, since known faults need them
	Observed  string        `json:"observed"`
	Expected  string        `json:"expected"`
	Known     string        `json:"known_by"`
	Certified bool          `json:"certified"`
	Voted     bool          `json:"voted,omitempty"` // a majority says so, and nothing proves it
	Also      []otherRecord `json:"also,omitempty"`
	Target    targetRecord  `json:"target"`
	Model     string        `json:"model"`
	Seed      string        `json:"seed"`
	Run       string        `json:"run"`
	Cell      int           `json:"cell"` // of the run, counted from 0
	Shard     uint64        `json:"shard"`
	Number    uint64        `json:"number"`
	MetIn     oracle.Key    `json:"met_while_reducing,omitzero"`
	History   int           `json:"history,omitempty"` // earlier traces of the process that are part of the minimal trace
	Original  int           `json:"original_calls"`
	Minimal   int           `json:"minimal_calls"`
	Least     bool          `json:"is_minimal"`            // nothing can be left out of it
	NotLeast  string        `json:"not_minimal,omitempty"` // why
	Tests     int           `json:"reduction_tests"`
	Reducing  float64       `json:"reduction_seconds"`
	Rate      trial.Rate    `json:"confirmed"` // runs of the minimal trace, each in a fresh process
	After     uint64        `json:"after_traces"`
	Elapsed   float64       `json:"after_seconds"`
	Death     *deathRecord  `json:"death,omitempty"`
	Replay    string        `json:"replay"`
	Program   string        `json:"program,omitempty"` // in C, that shows the fault
	Build     string        `json:"build,omitempty"`   // what builds it
	Generate  string        `json:"generate"`          // the original trace, as the generator made it
	Found     time.Time     `json:"found"`
}

// An otherRecord is another fault of the same run.
type otherRecord struct {
	Key      oracle.Key `json:"key"`
	Check    string     `json:"check"`
	Call     int        `json:"call"`
	Observed string     `json:"observed"`
	Expected string     `json:"expected"`
	Known    string     `json:"known_by"`
}

type deathRecord struct {
	How     string        `json:"how"`
	Signal  int           `json:"signal,omitempty"`
	Address string        `json:"fault_address,omitempty"`
	Thread  string        `json:"thread,omitempty"` // "other": one that the library had started
	Exit    *int          `json:"exit_code,omitempty"`
	Frames  []trace.Frame `json:"frames,omitempty"`
}

func (s *store) recordOf(f *Found) findingRecord {
	r := findingRecord{
		Key: f.Key, Class: string(f.Class), Name: f.Class.Info().Name, Check: f.Check, Detail: f.Detail,
		Weights: f.Weight.String(), Call: f.Call + 1, Solve: f.Solve + 1, Instance: f.Instance, Observed: f.Observed,
		Expected: f.Expected, Known: f.Known, Certified: f.Certified, Voted: f.Voted, Target: s.targetOf(f), Model: s.c.target(f.target).Model.Name,
		Seed: fmt.Sprintf("%#016x", f.Seed), Run: s.record.Run, Cell: f.Cell, Shard: s.record.Shard, Number: f.Number, Without: f.Without, History: f.History, MetIn: f.MetIn,
		Original: len(f.Original.Calls), Minimal: len(f.Minimal.Calls), Least: f.IsMinimal, NotLeast: f.NotMinimal, Tests: f.Tests, Reducing: f.Reducing.Seconds(), Rate: f.Rate, After: f.After,
		Elapsed: f.Elapsed.Seconds(), Replay: s.replayCommand(f), Generate: s.c.config.GenCommand(s.c.config.Program, f.Cell, f.Number, f.Without), Found: time.Now().UTC(),
	}
	for i := range f.Others {
		o := &f.Others[i]
		r.Also = append(r.Also, otherRecord{Key: o.Key(f.Target), Check: o.Check, Call: o.Call + 1,
			Observed: o.Observed, Expected: o.Expected, Known: o.Known})
	}
	if f.Program != nil {
		r.Program, r.Build = "repro.c", f.Program.Build
	}
	if f.Call < len(f.Minimal.Calls) {
		r.CallText = string(f.Minimal.AppendCall(nil, f.Call))
	}
	if f.Run.End != trace.Finished {
		d := &deathRecord{How: f.Run.End.String(), Signal: f.Run.Death.Signal, Frames: f.Run.Death.Frames}
		if f.Run.Death.Address != 0 {
			d.Address = fmt.Sprintf("%#x", f.Run.Death.Address)
		}
		if f.Run.Death.OtherThread {
			d.Thread = "other"
		}
		if f.Run.End == trace.Exited {
			d.Exit = &f.Run.Death.ExitCode
		}
		r.Death = d
	}
	return r
}

func (s *store) replayCommand(f *Found) string {
	return ReplayCommand(s.c.config.Program, s.c.config.TargetsFile, s.c.config.Limits, filepath.Join(f.Dir, "minimal.trace"), f.ReplayTargets(s.c.config.Compared(f.Cell))...)
}
