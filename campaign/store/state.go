package store

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Evidence is what is known of a fault.
type Evidence struct {
	Target  string         `json:"target"`
	Looked  int            `json:"looked"`            // traces that showed it
	With    map[string]int `json:"with"`              // those of them that have a feature
	Minimal []string       `json:"minimal,omitempty"` // features of the minimal trace, once there is one
	Needs   []string       `json:"needs,omitempty"`
}

// A StatsLine is a line of stats.jsonl.
type StatsLine struct {
	Time time.Time `json:"time"`
	stats.Stats
}

// A State is what a run that goes on needs beside its findings, which are stored
// one by one. It is of one moment: what is counted and which numbers are through
// belong together.
type State struct {
	Run          string                   `json:"run"`
	Elapsed      time.Duration            `json:"elapsed_ns"`
	Judged       uint64                   `json:"judged"`
	Turn         uint64                   `json:"turn"`
	Cells        []CellState              `json:"cells"`
	Hits         map[oracle.Key]uint64    `json:"hits,omitempty"`     // of the findings, by key
	Attempts     map[oracle.Key]int       `json:"attempts,omitempty"` // in vain: one that is under way begins anew
	Beyond       uint64                   `json:"beyond,omitempty"`
	Hangs        map[oracle.Key]int       `json:"hang_attempts,omitempty"`
	HangTime     time.Duration            `json:"hang_ns,omitempty"`
	HangReducing time.Duration            `json:"hang_reducing_ns,omitempty"`
	LeakChecks   int                      `json:"leak_checks,omitempty"`
	Evidence     map[oracle.Key]*Evidence `json:"evidence,omitempty"` // of what faults need, by key
	AloneChecks  uint64                   `json:"alone_checks,omitempty"`
	Unconfirmed  []Unconfirmed            `json:"unconfirmed,omitempty"`
	Disputes     DisputeState             `json:"disputes"`
	Faults       source.GeneratorFaults   `json:"generator_faults,omitzero"`
	Known        map[oracle.Key]uint64    `json:"known,omitempty"` // hits of findings of earlier runs
	Tally        oracle.Tally             `json:"tally"`
	Measures     *stats.Measures          `json:"measures"`
}

type CellState struct {
	Next       uint64                       `json:"next"`
	Unfinished []source.Numbers             `json:"unfinished,omitempty"` // below next
	Again      []uint64                     `json:"again,omitempty"`      // counted, and to be run again
	Counts     stats.Counts                 `json:"counts"`
	Profiles   map[string]*stats.ProfileUse `json:"profiles"`
	Findings   map[oracle.Class]int         `json:"findings,omitempty"`
	Arm        Arm                          `json:"arm"`
	Lessons    []source.Lesson              `json:"lessons,omitempty"`
}

type DisputeState struct {
	Kept    []Disagreement `json:"kept,omitempty"`
	All     uint64         `json:"all"`
	Settled int            `json:"settled"`
}

// stats are those of a campaign's state.
func (s *State) stats(r *Record) *stats.Stats {
	sum := &stats.Stats{Elapsed: s.Elapsed, Findings: len(s.Hits), Unconfirmed: len(s.Unconfirmed)}
	for i := range s.Cells {
		of := &s.Cells[i]
		cell := stats.CellStats{Target: r.Cells[i].Target, Kind: r.Cells[i].Kind, Counts: of.Counts,
			Learned: source.Learned(of.Lessons), Findings: of.Findings, Profiles: of.Profiles}
		if at := slices.IndexFunc(r.Targets, func(t TargetRecord) bool { return t.Name == cell.Target }); at >= 0 {
			cell.Model = r.Targets[at].Model
		}
		sum.AddCell(cell)
	}
	return sum
}

// WriteState writes state.json.
func (s *Store) WriteState(now *State) error { return s.failed(s.write("state.json", now)) }

// AddLine appends to stats.jsonl.
func (s *Store) AddLine(line StatsLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return s.failed(appendWhole(filepath.Join(s.Dir, "stats.jsonl"), append(text, '\n')))
}
