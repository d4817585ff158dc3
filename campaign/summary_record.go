package campaign

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// A SummaryRecord is the JSON form of a Summary.
type SummaryRecord struct {
	Targets   []string          `json:"targets"`
	Against   []string          `json:"against,omitempty"`
	Seed      string            `json:"seed"`
	Stats     stats.Stats       `json:"stats"`
	Unchecked []unchecked.Item  `json:"unchecked"` // what the run was asked to check and did not
	Certified uint64            `json:"solves_certified"`
	Checks    map[string]uint64 `json:"decided_by"`
	Faults    []FaultRecord     `json:"faults"`
	Findings  []FoundRecord     `json:"findings"`
	// Unconfirmed are failures that could not be reproduced.
	Unconfirmed []UnconfirmedRecord   `json:"unconfirmed,omitempty"`
	Disputed    uint64                `json:"disputed,omitempty"`
	Generator   *generatorRecord      `json:"generator_faults,omitempty"`
	Disputes    []DisputeRecord       `json:"disputes,omitempty"`
	Known       map[oracle.Key]uint64 `json:"known,omitempty"` // hits of findings of earlier runs
	// KnownFaults counts the hits of faults of earlier runs, by name.
	KnownFaults map[string]uint64 `json:"known_faults,omitempty"`
	// Tables has the targets that failed because their tables grow with the largest variable, with the
	// bytes for each variable up to it, or 0 if these cannot be measured.
	Tables map[string]float64 `json:"bytes_per_variable,omitempty"`
	// Reserved has the targets that died in traces for which they reserve much address space, with the
	// bytes for each variable up to the largest.
	Reserved map[string]float64 `json:"reserved_bytes_per_variable,omitempty"`
	// Kinds says what the kinds of traces cost and found.
	Kinds []stats.KindUse `json:"kinds,omitempty"`
	// EndedBy describes which process of a target ended the run, or may have.
	EndedBy string `json:"ended_by_target,omitempty"`
	// Disturbed describes how a target disturbed ipafuzz otherwise, or may have.
	Disturbed string `json:"disturbed_by_target,omitempty"`
}

// generatorRecord counts the faults of an external generator.
type generatorRecord struct {
	Numbers uint64                     `json:"numbers"`
	By      map[external.Reason]uint64 `json:"by_reason"`
	First   []generatorFault           `json:"first"`
}

type generatorFault struct {
	Reason  external.Reason `json:"reason"`
	Command string          `json:"command"`
	Detail  string          `json:"detail"`
}

// A FaultRecord is the JSON form of a fault in a SummaryRecord.
type FaultRecord struct {
	Name     string       `json:"name"`
	Target   string       `json:"target"`
	Cause    cause.Cause  `json:"cause"`    // "" unknown
	Sentence string       `json:"sentence"` // says the cause in plain English, or why it is unknown
	Location string       `json:"location,omitempty"`
	Findings []oracle.Key `json:"findings"` // the simplest first
	Hits     uint64       `json:"hits"`
	Possibly []string     `json:"possibly_the_same,omitempty"`
	Under    string       `json:"under,omitempty"`    // the one in Possibly under which the summary lists this fault
	KnownAs  string       `json:"known_as,omitempty"` // the name of a fault of Config.Known
	Open     bool         `json:"open,omitempty"`     // time ran out: it may be one of the other faults
}

func faultRecord(f *fault.Fault) FaultRecord {
	r := FaultRecord{Name: f.Name, Target: f.Target, Cause: f.Cause, Sentence: f.Sentence, Location: f.Location,
		Hits: f.Hits(), Possibly: f.Possibly, Under: f.Under, KnownAs: f.KnownAs, Open: f.IsOpen()}
	for _, of := range f.Findings {
		r.Findings = append(r.Findings, of.Key)
	}
	if r.Sentence == "" {
		r.Sentence = f.Why()
	}
	return r
}

// A FoundRecord is the JSON form of a finding in a SummaryRecord.
type FoundRecord struct {
	trial.Record
	Fault  string `json:"fault,omitempty"` // the name of its fault
	Target string `json:"target"`
	// Cause is what the minimal trace needs to fail; "" unknown. Sentence says it in plain
	// English.
	Cause    cause.Cause `json:"cause,omitempty"`
	Sentence string      `json:"sentence,omitempty"`
	Number   uint64      `json:"number"`
	Seed     string      `json:"seed"`
	Hits     uint64      `json:"hits"`
	After    uint64      `json:"after_traces"`
	Calls    int         `json:"minimal_calls"`
	Dir      string      `json:"directory,omitempty"`
	Replay   string      `json:"replay,omitempty"`
}

// An UnconfirmedRecord is the JSON form of an unconfirmed failure in a SummaryRecord.
type UnconfirmedRecord struct {
	Key      oracle.Key `json:"key"`
	Target   string     `json:"target"`
	Number   uint64     `json:"number"`
	Seed     string     `json:"seed"`
	Why      string     `json:"why"`
	CutShort bool       `json:"cut_short,omitempty"` // the campaign ended before it was confirmed
	Hard     bool       `json:"hard,omitempty"`      // not a failure: the problem may be hard
	File     string     `json:"file,omitempty"`
	Replay   string     `json:"replay,omitempty"`
}

// A DisputeRecord is the JSON form of a disagreement in a SummaryRecord.
type DisputeRecord struct {
	Number uint64   `json:"number"`
	Seed   string   `json:"seed"`
	Call   int      `json:"call"`
	About  string   `json:"about"`
	Says   []string `json:"says"`
	File   string   `json:"file,omitempty"`
}

// Record returns the JSON form of the summary of a campaign with that configuration.
func (s *Summary) Record(config *Config) SummaryRecord {
	record := SummaryRecord{Targets: config.Fuzzed(), Against: config.ComparedWith(),
		Seed: fmt.Sprintf("%#x", config.Seed), Stats: s.Stats,
		Unchecked: append([]unchecked.Item{}, s.Unchecked()...), Certified: s.Tally.Certified,
		Checks: make(map[string]uint64), Faults: []FaultRecord{}, Findings: []FoundRecord{}}
	for _, check := range s.Tally.Checks {
		record.Checks[check.Check] = check.Decided
	}
	for i := range record.Stats.Cells {
		record.Stats.Cells[i].Profiles = nil // a table of its own, in campaign.json
	}
	record.Disputed = s.Disputed
	record.Reserved = s.Reserved
	record.Known, record.Tables, record.EndedBy, record.Disturbed = s.Known, s.Tables, s.EndedBy, s.Disturbed
	if s.Measures != nil {
		record.Kinds = s.Measures.Kinds
	}
	record.KnownFaults = config.KnownFaults(s.Known)
	if s.Generator.Numbers > 0 {
		record.Generator = &generatorRecord{Numbers: s.Generator.Numbers, By: s.Generator.By}
		for _, f := range s.Generator.First {
			record.Generator.First = append(record.Generator.First, generatorFault{f.Reason, f.Command, f.Detail})
		}
	}
	for _, d := range s.Disagreements {
		record.Disputes = append(record.Disputes, DisputeRecord{d.Number, fmt.Sprintf("%#x", d.Seed), d.Call + 1, d.About,
			d.Says, d.Dir})
	}
	for i := range s.Unconfirmed {
		u := &s.Unconfirmed[i]
		record.Unconfirmed = append(record.Unconfirmed, UnconfirmedRecord{Key: u.Key, Target: u.Key.Target, Number: u.Number,
			Seed: fmt.Sprintf("%#x", u.Seed), Why: u.Reason(), CutShort: u.CutShort, Hard: u.Hard, File: u.File,
			Replay: config.ReplayUnconfirmed(u)})
	}
	for _, f := range s.Found {
		found := config.FoundRecord(f)
		found.Fault = s.FaultOf(f)
		record.Findings = append(record.Findings, found)
	}
	for i := range s.Faults {
		record.Faults = append(record.Faults, faultRecord(&s.Faults[i]))
	}
	return record
}

// FoundRecord returns the JSON form of a finding of a campaign with that configuration.
func (c *Config) FoundRecord(f *store.Finding) FoundRecord {
	record := FoundRecord{Record: trial.RecordOf(&f.Finding, f.Target), Target: f.Target, Number: f.Number,
		Seed: fmt.Sprintf("%#x", f.Seed), Hits: f.Hits, After: f.After, Calls: len(f.Minimal.Calls), Dir: f.Dir}
	record.Key = f.Key
	if f.Diagnosis != nil {
		record.Cause, record.Sentence = f.Diagnosis.Cause, f.Diagnosis.Sentence
	}
	if f.Dir != "" {
		record.Replay = c.ReplayCommand(f)
	}
	return record
}
