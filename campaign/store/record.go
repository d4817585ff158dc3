package store

import (
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A Record is what campaign.json says.
type Record struct {
	Targets  []TargetRecord `json:"targets"`
	Against  []TargetRecord `json:"against,omitempty"`
	Cells    []CellRecord   `json:"cells"`
	Run      string         `json:"run"` // tells the run from others, for ever
	Seed     uint64         `json:"seed"`
	Shard    uint64         `json:"shard"`
	Of       uint64         `json:"of,omitempty"`    // so many shards
	Parts    []Part         `json:"parts,omitempty"` // what it was joined from
	Way      replay.Way     `json:"way"`
	Avoid    []string       `json:"avoid,omitempty"` // traces that have one of these are not run
	Workers  int            `json:"workers"`
	Fair     bool           `json:"fair,omitempty"`
	Started  time.Time      `json:"started"`
	Ended    *time.Time     `json:"ended,omitempty"`
	Stats    *stats.Stats   `json:"stats,omitempty"`
	Findings []string       `json:"findings,omitempty"`
	// answers that targets differ in while nothing proves who is right
	Disputed    uint64                `json:"disputed,omitempty"`
	Hits        map[oracle.Key]uint64 `json:"hits,omitempty"`        // runs that showed a finding, by its key
	Unconfirmed []oracle.Key          `json:"unconfirmed,omitempty"` // keys that were seen and did not happen again
	Tally       *oracle.Tally         `json:"tally,omitempty"`
	Measures    *stats.Measures       `json:"measures,omitempty"`
}

// A CellRecord says what a cell is: its target, the traces that it makes, and the
// seed for which 'ipafuzz gen' makes them.
type CellRecord struct {
	Target   string        `json:"target"`
	Kind     string        `json:"kind"` // of traces, in a word or the flags that choose them
	Seed     uint64        `json:"seed"`
	Generate source.Record `json:"generate"`
}

type TargetRecord struct {
	Name      string            `json:"name"`
	Model     string            `json:"model"`
	Kind      replay.Kind       `json:"kind"`
	Signature string            `json:"signature"`
	Options   []replay.Setting  `json:"options,omitempty"`
	Policies  map[string]string `json:"policies,omitempty"`
	replay.Identity
}
