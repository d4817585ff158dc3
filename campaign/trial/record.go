package trial

import (
	"github.com/ipafuzz/ipafuzz/oracle"
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
	Findings   []oracle.Record   `json:"findings"`
	Mismatches []oracle.Mismatch `json:"mismatches,omitempty"`
	Slow       []string          `json:"slow,omitempty"`
}

// Record returns the JSON form of the result for the named target. Calls count from 1.
func (result *Replayed) Record(target string) ReplayRecord {
	record := ReplayRecord{File: result.Name, Target: target, Model: result.Trace.Model.Name,
		End: result.Run.End.String(), Signal: result.Run.Death.Signal, Stderr: result.Wrote(),
		Log: string(result.Shown().AppendLog(nil, &result.Run)), Findings: []oracle.Record{}, Mismatches: result.Mismatches,
		Slow: result.Slow}
	if result.Run.End != trace.Finished {
		record.Call = result.Run.Call + 1
	}
	for i := range result.Findings {
		record.Findings = append(record.Findings, result.Findings[i].Record(target))
	}
	return record
}
