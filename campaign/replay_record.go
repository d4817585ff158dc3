package campaign

import (
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A ReplayRecord is a Replayed as JSON has it.
type ReplayRecord struct {
	File       string            `json:"file"`
	Target     string            `json:"target"`
	Model      string            `json:"model"`
	End        string            `json:"end"`
	Call       int               `json:"end_call,omitempty"`
	Signal     int               `json:"signal,omitempty"`
	Stderr     string            `json:"stderr,omitempty"`
	Log        string            `json:"log"`
	Findings   []ReplayedFinding `json:"findings"`
	Mismatches []oracle.Mismatch `json:"mismatches,omitempty"`
	Slow       []string          `json:"slow,omitempty"`
}

// A ReplayedFinding is a finding of it.
type ReplayedFinding struct {
	Key      oracle.Key `json:"key"`
	Class    string     `json:"class"`
	Name     string     `json:"class_name"`
	Call     int        `json:"call"`
	Check    string     `json:"check"`
	Detail   string     `json:"detail"`
	Observed string     `json:"observed"`
	Expected string     `json:"expected"`
	Known    string     `json:"known_by"`
	Voted    bool       `json:"voted,omitempty"`
}

// Record returns the result for the target of that name; calls count from 1.
func (result *Replayed) Record(target string) ReplayRecord {
	record := ReplayRecord{File: result.Name, Target: target, Model: result.Trace.Model.Name,
		End: result.Run.End.String(), Signal: result.Run.Death.Signal, Stderr: result.Wrote(),
		Log: string(result.Trace.AppendLog(nil, &result.Run)), Findings: []ReplayedFinding{}, Mismatches: result.Mismatches, Slow: result.Slow}
	if result.Run.End != trace.Finished {
		record.Call = result.Run.Call + 1
	}
	for i := range result.Findings {
		f := &result.Findings[i]
		record.Findings = append(record.Findings, ReplayedFinding{Key: f.Key(target), Class: string(f.Class), Name: f.Class.Info().Name,
			Call: f.Call + 1, Check: f.Check, Detail: f.Detail, Observed: f.Observed, Expected: f.Expected, Known: f.Known, Voted: f.Voted})
	}
	return record
}
