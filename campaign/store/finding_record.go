package store

import (
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// Facts are what a finding in memory and its record have in common.
type Facts struct {
	// Fault is the name of the finding's fault when the run ended; "" before.
	Fault    string `json:"fault,omitempty"`
	Location string `json:"location,omitempty"` // where the minimal trace crashes; "": nowhere, or unknown
	// Variety tells findings with one key apart. It is "" for the first finding of a key and names the
	// fault of the others.
	Variety string `json:"variety,omitempty"`
	Cell    int    `json:"cell"`   // index in the configuration of the cell that made the trace
	Number  uint64 `json:"number"` // of the trace in the cell and the shard
	// MetIn is the key of the finding whose reduction showed this one. It is zero if a generated trace
	// showed it.
	MetIn oracle.Key `json:"met_while_reducing,omitzero"`
	// History is the number of earlier traces of the same process without which the original does not fail;
	// 0: it fails alone.
	History   int  `json:"history,omitempty"`
	IsMinimal bool `json:"is_minimal"` // no call, literal or weight can be removed
	// NotMinimal says why the trace is not minimal; "" if it is minimal or was not reduced.
	NotMinimal string `json:"not_minimal,omitempty"`
	// Undecided reports that the cause is unknown only because the campaign ended or had no time left for experiments.
	Undecided bool       `json:"undecided,omitempty"`
	Tests     int        `json:"reduction_tests"` // runs that the reduction took
	Rate      trial.Rate `json:"confirmed"`       // runs of the minimal trace, each in a fresh process
	// After is the number of traces judged before it was confirmed (a hang: before it was observed).
	After uint64 `json:"after_traces"`
}

// A FindingRecord is the content of finding.json, in the directory that holds the traces.
type FindingRecord struct {
	Dir          string `json:"-"`
	trial.Record        // of the minimal trace
	Facts
	Cause    cause.Cause `json:"cause,omitempty"`    // what the minimal trace needs to fail; "" unknown
	Sentence string      `json:"sentence,omitempty"` // states the cause in plain English
	// ExperimentsOf is the failure that the experiments look for; "" if it is that of the finding.
	ExperimentsOf string `json:"experiments_of,omitempty"`
	// Mistake is what is wrong in experiments/all-questions.trace; "" if that is unknown.
	Mistake cause.Mistake `json:"mistake,omitempty"`
	// Experiments are the versions of the minimal trace that establish the cause.
	Experiments []ExperimentRecord `json:"experiments,omitempty"`

	Hits     uint64 `json:"hits,omitempty"` // runs that showed this variety
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
	Shard    uint64         `json:"shard"`
	Original int            `json:"original_calls"`
	Minimal  int            `json:"minimal_calls"`
	Reducing float64        `json:"reduction_seconds"`
	Elapsed  float64        `json:"after_seconds"`
	Death    *deathRecord   `json:"death,omitempty"`
	Replay   string         `json:"replay"`
	Continue string         `json:"continue,omitempty"` // the command that continues its reduction
	Program  string         `json:"program,omitempty"`  // a C program that shows the fault, or the target's input
	Build    string         `json:"build,omitempty"`    // the command that builds the C program
	Shows    string         `json:"command,omitempty"`  // the command that runs the target on the input
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
		Record: trial.RecordOf(&f.Finding, f.Target), Facts: f.Facts, Solve: f.Solve + 1, Instance: f.Instance,
		Target: s.targetOf(f), Model: f.Original.Model.Name, Seed: fmt.Sprintf("%#016x", f.Seed),
		Run: s.Record.Run, Shard: s.Record.Shard, Without: f.Choice.Without, Larger: f.Choice.Profile,
		Original: len(f.Original.Calls), Minimal: len(f.Minimal.Calls), Reducing: f.Reducing.Seconds(),
		Elapsed: f.Elapsed.Seconds(), Replay: s.commands.Replay(f), Found: time.Now().UTC(),
		Continue: s.commands.Continue(f), Generate: s.commands.Generate(f),
	}
	r.Key = f.Key
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
		r.Program, r.Build, r.Shows = f.Program.Name, f.Program.Build, f.Program.Run
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
