package store

import (
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A FindingRecord is the content of finding.json.
type FindingRecord struct {
	trial.Record // of the minimal trace
	// Fault is the name of the finding's fault at the end of the run.
	Fault    string      `json:"fault,omitempty"`
	Cause    cause.Cause `json:"cause,omitempty"`    // what the minimal trace needs to fail; "" unknown
	Sentence string      `json:"sentence,omitempty"` // states the cause in plain English
	Location string      `json:"location,omitempty"` // where it crashes
	// ExperimentsOf is the failure that the experiments look for; "" if it is that of the finding.
	ExperimentsOf string `json:"experiments_of,omitempty"`
	// Mistake is what is wrong in experiments/all-questions.trace; "" if that is unknown.
	Mistake cause.Mistake `json:"mistake,omitempty"`
	// Experiments are the versions of the minimal trace that establish the cause.
	Experiments []ExperimentRecord `json:"experiments,omitempty"`

	Variety  string `json:"variety,omitempty"` // tells findings with one key apart
	Hits     uint64 `json:"hits,omitempty"`    // runs that showed this variety
	CallText string `json:"call_text,omitempty"`
	// Solve is the solve with the wrong answer, counted from 1; 0: none.
	Solve    int            `json:"solve,omitempty"`
	Instance uint16         `json:"instance"`
	Without  []string       `json:"without,omitempty"` // features left out because known faults need them
	Larger   string         `json:"larger,omitempty"`  // the profile, if it is not that of the cell
	Also     []trial.Record `json:"also,omitempty"`    // other failures in the same run
	Target   TargetRecord   `json:"target"`
	Model    string         `json:"model"`
	Seed     string         `json:"seed"`
	Run      string         `json:"run"`
	Cell     int            `json:"cell"` // of the run, counted from 0
	Shard    uint64         `json:"shard"`
	Number   uint64         `json:"number"`
	MetIn    oracle.Key     `json:"met_while_reducing,omitzero"`
	History  int            `json:"history,omitempty"` // earlier traces of the process without which it does not fail
	Original int            `json:"original_calls"`
	Minimal  int            `json:"minimal_calls"`
	Least    bool           `json:"is_minimal"`            // nothing can be removed
	NotLeast string         `json:"not_minimal,omitempty"` // why
	Tests    int            `json:"reduction_tests"`
	Reducing float64        `json:"reduction_seconds"`
	Rate     trial.Rate     `json:"confirmed"` // runs of the minimal trace, each in a fresh process
	After    uint64         `json:"after_traces"`
	Elapsed  float64        `json:"after_seconds"`
	Death    *deathRecord   `json:"death,omitempty"`
	Replay   string         `json:"replay"`
	Continue string         `json:"continue,omitempty"` // the command that continues its reduction
	Program  string         `json:"program,omitempty"`  // a C program that shows the fault
	Build    string         `json:"build,omitempty"`    // the command that builds it
	Generate string         `json:"generate"`           // the command that makes the original trace
	Found    time.Time      `json:"found"`
}

type deathRecord struct {
	How     string        `json:"how"`
	Signal  int           `json:"signal,omitempty"`
	Address string        `json:"fault_address,omitempty"`
	Thread  string        `json:"thread,omitempty"` // "other": one that the library started
	Exit    *int          `json:"exit_code,omitempty"`
	Frames  []trace.Frame `json:"frames,omitempty"`
}

func (s *Store) recordOf(f *Finding) FindingRecord {
	r := FindingRecord{
		Record: trial.RecordOf(&f.Finding, f.Target), Solve: f.Solve + 1, Instance: f.Instance,
		Target: s.targetOf(f), Model: f.Original.Model.Name, Seed: fmt.Sprintf("%#016x", f.Seed),
		Run: s.Record.Run, Cell: f.Cell, Shard: s.Record.Shard, Number: f.Number, Without: f.Choice.Without,
		Larger:  f.Choice.Profile,
		History: f.History, MetIn: f.MetIn, Original: len(f.Original.Calls), Minimal: len(f.Minimal.Calls),
		Least: f.IsMinimal, NotLeast: f.NotMinimal, Tests: f.Tests, Reducing: f.Reducing.Seconds(), Rate: f.Rate,
		After: f.After, Elapsed: f.Elapsed.Seconds(), Replay: s.commands.Replay(f), Found: time.Now().UTC(),
		Continue: s.commands.Continue(f), Generate: s.commands.Generate(f),
	}
	r.Key, r.Location, r.Variety, r.Fault = f.Key, f.Location, f.Variety, f.Fault
	if f.Variety != "" {
		r.Hits = f.Hits
	}
	if f.Diagnosis != nil {
		r.ExperimentsOf, r.Mistake = f.Diagnosis.Of, f.Diagnosis.Mistake
		r.Cause, r.Sentence, r.Experiments = f.Diagnosis.Cause, f.Diagnosis.Sentence, experimentsOf(f.Diagnosis)
	}
	for i := range f.Others {
		r.Also = append(r.Also, trial.RecordOf(&f.Others[i], f.Target))
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
