package main

import (
	"fmt"
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign"
)

type summaryRecord struct {
	Target    string            `json:"target"`
	Model     string            `json:"model"`
	Seed      string            `json:"seed"`
	Stats     campaign.Stats    `json:"stats"`
	Unknown   uint64            `json:"solves_undecided"`
	Certified uint64            `json:"solves_certified"`
	Checks    map[string]uint64 `json:"decided_by"`
	Findings  []findingSummary  `json:"findings"`
}

type findingSummary struct {
	Key       string `json:"key"`
	Class     string `json:"class"`
	Name      string `json:"class_name"`
	Detail    string `json:"detail"`
	Observed  string `json:"observed"`
	Expected  string `json:"expected"`
	Known     string `json:"known_by"`
	Certified bool   `json:"certified"`
	Number    uint64 `json:"number"`
	Seed      string `json:"seed"`
	Hits      uint64 `json:"hits"`
	After     uint64 `json:"after_traces"`
	Calls     int    `json:"minimal_calls"`
	Dir       string `json:"directory,omitempty"`
	Replay    string `json:"replay,omitempty"`
}

func jsonSummary(s campaign.Summary, config campaign.Config) summaryRecord {
	record := summaryRecord{Target: config.Target.Name, Model: config.Target.Model.Name,
		Seed: fmt.Sprintf("%#x", config.Seed), Stats: s.Stats, Unknown: s.Tally.Unknown, Certified: s.Tally.Certified,
		Checks: make(map[string]uint64), Findings: []findingSummary{}}
	for _, check := range s.Tally.Checks {
		record.Checks[check.Check] = check.Decided
	}
	for _, f := range s.Found {
		entry := findingSummary{Key: f.Key, Class: string(f.Class), Name: f.Class.Info().Name, Detail: f.Detail,
			Observed: f.Observed, Expected: f.Expected, Known: f.Known, Certified: f.Certified, Number: f.Number,
			Seed: fmt.Sprintf("%#x", f.Seed), Hits: f.Hits, After: f.After, Calls: len(f.Minimal.Calls), Dir: f.Dir}
		if f.Dir != "" {
			entry.Replay = campaign.ReplayCommand(config.Program, filepath.Join(f.Dir, "minimal.trace"), config.Target.Name)
		}
		record.Findings = append(record.Findings, entry)
	}
	return record
}
