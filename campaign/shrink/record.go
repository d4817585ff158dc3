package shrink

import (
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Record is the JSON form of a Reduction.
type Record struct {
	File      string         `json:"file,omitempty"`
	Key       oracle.Key     `json:"key"`
	Class     string         `json:"weight_class"`
	Before    int            `json:"calls_before"`
	Calls     int            `json:"calls"`
	Literals  int            `json:"literals"`
	Variables int            `json:"variables"`
	Weights   float64        `json:"sum_of_weights"`
	Minimal   bool           `json:"is_minimal"`
	Ended     string         `json:"ended_by,omitempty"`
	Tests     int            `json:"tests"`
	Cached    int            `json:"known_verdicts"`
	Wasted    int            `json:"tests_in_vain"`
	Seconds   float64        `json:"seconds"`
	Confirmed trial.Rate     `json:"confirmed"`
	Program   string         `json:"program,omitempty"`
	Heavier   *OtherFailure  `json:"heavier,omitempty"` // has the weight class of the given trace
	Others    []OtherFailure `json:"other_failures,omitempty"`
	Cause     string         `json:"cause,omitempty"`    // what the failure needs
	Sentence  string         `json:"sentence,omitempty"` // states the cause in plain English
	Passes    []dd.PassStats `json:"passes"`
	Trace     string         `json:"trace"`
}

// An OtherFailure is another failure seen during a reduction.
type OtherFailure struct {
	Key     oracle.Key `json:"key"`
	Weights string     `json:"weight_class,omitempty"`
	Calls   int        `json:"calls"`
	File    string     `json:"file,omitempty"`
}

// Record returns the JSON form of the result. before is the number of calls of the given trace.
func (m *Reduction) Record(before int) Record {
	size := dd.SizeOf(m.Trace)
	record := Record{Key: m.Key, Class: m.Finding.Weight.String(), Before: before, Calls: size.Calls,
		Literals: size.Literals, Variables: size.Variables,
		Weights: size.Weights, Minimal: m.Minimal, Tests: m.Stats.Tests, Cached: m.Stats.Cached, Wasted: m.Stats.Wasted,
		Seconds: m.Time.Seconds(), Confirmed: m.After, Cause: m.Cause, Sentence: m.Sentence,
		Passes: m.Passes, Trace: m.Trace.String()}
	if heavier := m.Heavier(); heavier != nil {
		record.Heavier = &OtherFailure{Key: m.Key, Weights: m.Given.String(), Calls: len(heavier.Calls)}
	}
	if m.Ended != nil {
		record.Ended = m.Ended.Error()
	}
	return record
}
