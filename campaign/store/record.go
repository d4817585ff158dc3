package store

import (
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Record is the content of campaign.json.
type Record struct {
	Targets []TargetRecord `json:"targets"`
	Against []TargetRecord `json:"against,omitempty"`
	Cells   []CellRecord   `json:"cells"`
	Run     string         `json:"run"` // random: unique to this run
	Seed    uint64         `json:"seed"`
	Shard   uint64         `json:"shard"`
	Of      uint64         `json:"of,omitempty"`    // the number of shards
	Parts   []Part         `json:"parts,omitempty"` // the shards that were merged
	Way     replay.Way     `json:"way"`
	Avoid   []string       `json:"avoid,omitempty"` // features and traits of traces that are not run
	Flags   string         `json:"flags,omitempty"` // that replays need, each after a blank
	Workers int            `json:"workers"`
	Fair    bool           `json:"fair,omitempty"`
	Started time.Time      `json:"started"`
	Ended   *time.Time     `json:"ended,omitempty"`
	// Interrupted says that somebody ended the run before it met a limit.
	Interrupted bool         `json:"interrupted,omitempty"`
	Stats       *stats.Stats `json:"stats,omitempty"`
	Findings    []string     `json:"findings,omitempty"`
	// Disputed counts the answers on which targets disagree and nothing proves which one is right.
	Disputed    uint64                `json:"disputed,omitempty"`
	Hits        map[oracle.Key]uint64 `json:"hits,omitempty"`        // runs that showed a finding, by its key
	Unconfirmed []oracle.Key          `json:"unconfirmed,omitempty"` // failures that could not be reproduced
	Reasons     map[oracle.Key]string `json:"reasons,omitempty"`     // why they are unconfirmed
	Hard        int                   `json:"hard,omitempty"`        // traces that met a limit, perhaps for a hard problem
	// Tables has the targets that failed because their tables grow with the largest variable, with the
	// bytes for each variable up to it, or 0 if these cannot be measured.
	Tables map[string]float64 `json:"bytes_per_variable,omitempty"`
	// Reserved has the targets that died in traces for which they reserve much address space, with the
	// bytes for each variable up to the largest.
	Reserved map[string]float64 `json:"reserved_bytes_per_variable,omitempty"`
	Tally    *oracle.Tally      `json:"tally,omitempty"`
	Measures *stats.Measures    `json:"measures,omitempty"`
}

// unconfirmed records failures, except those whose problems may be hard.
func (r *Record) unconfirmed(failures []Unconfirmed) {
	r.Unconfirmed, r.Reasons, r.Hard = nil, make(map[oracle.Key]string), 0
	for i := range failures {
		u := &failures[i]
		if u.Hard {
			r.Hard++
		} else if r.Hits[u.Key] == 0 {
			r.Unconfirmed = append(r.Unconfirmed, u.Key)
			r.Reasons[u.Key] = u.Reason()
		}
	}
}

// Unchecked lists what the campaign was asked to check and did not.
func (r *Record) Unchecked() []unchecked.Item {
	if r.Stats == nil {
		return []unchecked.Item{{Reason: unchecked.NotRun, Name: "the campaign"}}
	}
	return r.Stats.Unchecked(r.Tally,
		stats.Beside{Hard: r.Hard, Unconfirmed: len(r.Unconfirmed), Disputed: r.Disputed})
}

// A CellRecord describes a cell: its target, the kind of its traces, and the seed with which 'ipafuzz gen'
// makes them.
type CellRecord struct {
	Target   string        `json:"target"`
	Kind     string        `json:"kind"` // of traces: the profile, or the flags that choose them
	Seed     uint64        `json:"seed"`
	Generate source.Record `json:"generate"`
}

// A TargetRecord describes a target, and identifies the file that was fuzzed.
type TargetRecord struct {
	Name      string            `json:"name"`
	Model     string            `json:"model"`
	Kind      replay.Kind       `json:"kind"`
	Signature string            `json:"signature"`
	Options   []replay.Setting  `json:"options,omitempty"`
	Policies  map[string]string `json:"policies,omitempty"`
	replay.Identity
}
