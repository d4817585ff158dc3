package trial

import (
	"cmp"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A ReplayRecord is the JSON form of a Replayed.
type ReplayRecord struct {
	File       string            `json:"file"`
	Target     string            `json:"target"`
	Model      string            `json:"model"`
	End        string            `json:"end"`
	Call       int               `json:"end_call,omitempty"`
	Signal     int               `json:"signal,omitempty"`
	Stderr     string            `json:"stderr,omitempty"`
	Log        string            `json:"log"`
	Findings   []Record          `json:"findings"`
	Mismatches []oracle.Mismatch `json:"mismatches,omitempty"`
	Slow       []string          `json:"slow,omitempty"`
	Unchecked  []unchecked.Item  `json:"unchecked"`
}

// Record returns the JSON form of the result for the named target. Calls count from 1.
func (result *Replayed) Record(target string) ReplayRecord {
	record := ReplayRecord{File: result.Name, Target: target, Model: result.Trace.Model.Name,
		End: result.Run.End.String(), Signal: result.Run.Death.Signal, Stderr: result.Wrote(),
		Log: string(result.Shown().AppendLog(nil, &result.Run)), Findings: []Record{}, Mismatches: result.Mismatches,
		Slow: result.Slow, Unchecked: append([]unchecked.Item{}, result.Unchecked.Items()...)}
	if result.Run.End != trace.Finished {
		record.Call = result.Run.Call + 1
	}
	for i := range result.Findings {
		record.Findings = append(record.Findings, RecordOf(&result.Findings[i], target))
	}
	return record
}

// A Record is a finding in JSON, for 'replay --json', the summary of a campaign and
// finding.json.
type Record struct {
	Key       oracle.Key `json:"key"`
	Class     string     `json:"class"`
	Name      string     `json:"class_name"`
	Check     string     `json:"check"`
	Detail    string     `json:"detail"`
	Weights   string     `json:"weight_class"`
	Call      int        `json:"call"` // counts from 1; one more than the number of calls means the final release
	Observed  string     `json:"observed"`
	Expected  string     `json:"expected"`
	Known     string     `json:"known_by"`
	Certified bool       `json:"certified"`
	Voted     bool       `json:"voted,omitempty"` // a majority says so, and nothing proves it
}

// RecordOf returns the record of a finding about a target.
func RecordOf(f *oracle.Finding, target string) Record {
	return Record{Key: f.Key(target), Class: string(f.Class), Name: f.Class.Info().Name, Check: f.Check,
		Detail: f.Detail, Weights: f.Weight.String(), Call: f.Call + 1,
		Observed: f.Observed, Expected: f.Expected, Known: f.Known,
		Certified: f.Certified, Voted: f.Voted}
}

// Finding returns the finding of the record.
func (r *Record) Finding() oracle.Finding {
	f := oracle.Finding{Class: oracle.Class(r.Class), Check: r.Check, Call: r.Call - 1, Weight: oracle.NoWeights,
		Detail:   cmp.Or(r.Key.Detail, r.Detail), // the key has names as this version shortens them
		Observed: r.Observed, Expected: r.Expected, Known: r.Known, Certified: r.Certified, Voted: r.Voted}
	if len(r.Weights) == 1 {
		f.Weight = oracle.WeightClass(r.Weights[0])
	}
	return f
}
