package store

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Evidence is what a campaign has learned about the traces of a finding.
type Evidence struct {
	Target  string         `json:"target"`
	Looked  int            `json:"looked"`            // traces that showed it
	With    map[string]int `json:"with"`              // how many of them have each feature
	Minimal []string       `json:"minimal,omitempty"` // features of the minimal trace, if there is one
	Cause   cause.Cause    `json:"cause,omitempty"`   // "" unknown
	Needs   []string       `json:"needs,omitempty"`
}

// A StatsLine is a line of stats.jsonl.
type StatsLine struct {
	Time time.Time `json:"time"`
	stats.Stats
}

// A State is what a resumed campaign needs, except for the findings, which have their own files. All of it
// is from one moment, so that counts and finished numbers agree.
type State struct {
	Run         string                   `json:"run"`
	Elapsed     time.Duration            `json:"elapsed_ns"`
	Judged      uint64                   `json:"judged"`
	Turn        uint64                   `json:"turn"`
	Cells       []CellState              `json:"cells"`
	Hits        map[oracle.Key]uint64    `json:"hits,omitempty"`     // by key of a finding
	Beside      map[oracle.Key][]uint64  `json:"beside,omitempty"`   // hits of each further finding of a key
	Attempts    map[oracle.Key]int       `json:"attempts,omitempty"` // that failed; one in progress starts again
	Beyond      uint64                   `json:"beyond,omitempty"`
	LeakChecks  int                      `json:"leak_checks,omitempty"`
	FollowUps   stats.FollowUps          `json:"follow_ups"`
	Evidence    map[oracle.Key]*Evidence `json:"evidence,omitempty"` // by key
	AloneChecks uint64                   `json:"alone_checks,omitempty"`
	Unconfirmed []Unconfirmed            `json:"unconfirmed,omitempty"`
	Disputes    DisputeState             `json:"disputes"`
	Faults      source.GeneratorFaults   `json:"generator_faults,omitzero"`
	Known       map[oracle.Key]uint64    `json:"known,omitempty"` // hits of findings of earlier campaigns
	Tally       oracle.Tally             `json:"tally"`
	Measures    *stats.Measures          `json:"measures"`
}

// allHits returns the hits of all findings of each key.
func (s *State) allHits() map[oracle.Key]uint64 {
	all := make(map[oracle.Key]uint64)
	maps.Copy(all, s.Hits)
	for key, hits := range s.Beside {
		for _, n := range hits {
			all[key] += n
		}
	}
	return all
}

func (s *State) findings() int {
	n := len(s.Hits)
	for _, hits := range s.Beside {
		n += len(hits)
	}
	return n
}

// A CellState is the state of a cell.
type CellState struct {
	Next       uint64                       `json:"next"`
	Unfinished []source.Numbers             `json:"unfinished,omitempty"` // below Next
	Again      []uint64                     `json:"again,omitempty"`      // counted, but run again
	Counts     stats.Counts                 `json:"counts"`
	Profiles   map[string]*stats.ProfileUse `json:"profiles"`
	Findings   map[oracle.Class]int         `json:"findings,omitempty"`
	Arm        pace.Arm                     `json:"arm"`
	Lessons    []source.Lesson              `json:"lessons,omitempty"`
}

// A DisputeState counts disputes and lists those that were kept.
type DisputeState struct {
	Kept    []Disagreement `json:"kept,omitempty"`
	All     uint64         `json:"all"`
	Settled int            `json:"settled"`
}

// stats returns the statistics of a campaign in this state.
func (s *State) stats(r *Record) *stats.Stats {
	sum := &stats.Stats{Elapsed: s.Elapsed, FollowUps: s.FollowUps, Findings: s.findings(),
		Unconfirmed: len(s.Unconfirmed)}
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
