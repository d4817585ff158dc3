package stats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// Stats is a snapshot of a running campaign.
type Stats struct {
	Elapsed     time.Duration `json:"elapsed_ns"`
	Traces      uint64        `json:"traces"`
	Calls       uint64        `json:"calls"`
	Solves      uint64        `json:"solves"`
	SolveTime   time.Duration `json:"solve_time_ns"` // inside the library
	Deaths      uint64        `json:"deaths"`        // traces that ended their process
	Undecided   uint64        `json:"undecided"`     // answers of solve that no check could decide
	Findings    int           `json:"findings"`
	Unconfirmed int           `json:"unconfirmed"`
	Cells       []CellStats   `json:"cells"`
}

// CellStats are those of one target and one kind of traces.
type CellStats struct {
	Target string `json:"target"`
	Model  string `json:"model"`
	Kind   string `json:"kind"` // of traces: the profile, and what else was chosen
	Counts
	// features that each of its known faults needs: some traces are made without
	Learned [][]string `json:"learned,omitempty"`
	// different ones that its traces showed, also those of a target that it is compared with
	Findings map[oracle.Class]int   `json:"findings,omitempty"`
	Profiles map[string]*ProfileUse `json:"profiles,omitempty"` // what was generated, by profile and version
}

func (s *Stats) AddCell(cell CellStats) {
	s.Cells = append(s.Cells, cell)
	s.Traces += cell.Traces
	s.Calls += cell.Calls
	s.Solves += cell.Solves
	s.SolveTime += cell.SolveTime
	s.Deaths += cell.Deaths
	s.Undecided += cell.Undecided
}

// Join adds what another part of the campaign counted, with its time.
func (s *Stats) Join(o *Stats) {
	if o == nil {
		return
	}
	sum := Stats{Elapsed: s.Elapsed + o.Elapsed}
	for i := range o.Cells {
		cell := o.Cells[i]
		cell.Profiles, cell.Findings = make(map[string]*ProfileUse), nil
		JoinProfiles(cell.Profiles, o.Cells[i].Profiles)
		if i < len(s.Cells) {
			cell.Counts.Add(&s.Cells[i].Counts)
			JoinProfiles(cell.Profiles, s.Cells[i].Profiles)
			if len(cell.Learned) < len(s.Cells[i].Learned) {
				cell.Learned = s.Cells[i].Learned
			}
		}
		sum.AddCell(cell)
	}
	*s = sum
}

// TracesPerSecond is the average over the run.
func (s Stats) TracesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Traces) / s.Elapsed.Seconds()
}

// Counts are what the judged traces of a cell add up to.
type Counts struct {
	Traces         uint64        `json:"traces"`
	Calls          uint64        `json:"calls"`
	Solves         uint64        `json:"solves"`
	SolveTime      time.Duration `json:"solve_time_ns"`             // inside the library
	Deaths         uint64        `json:"deaths"`                    // traces that ended their process
	Undecided      uint64        `json:"undecided"`                 // answers of solve that no check could decide
	Failed         uint64        `json:"failed"`                    // traces that showed a fault
	Avoiding       uint64        `json:"avoiding,omitempty"`        // traces without what known faults need
	AvoidingFailed uint64        `json:"avoiding_failed,omitempty"` // of these, with a fault
	// numbers whose traces were not run, since they had what was to be avoided
	Filtered uint64 `json:"filtered,omitempty"`
	// numbers of which another program was to make a trace and made none
	Faulty uint64 `json:"faulty,omitempty"`
	// time of the workers, confirming and reducing left out
	Busy time.Duration `json:"busy_ns"`
}

func (c *Counts) Add(o *Counts) {
	c.Traces += o.Traces
	c.Calls += o.Calls
	c.Solves += o.Solves
	c.SolveTime += o.SolveTime
	c.Deaths += o.Deaths
	c.Undecided += o.Undecided
	c.Failed += o.Failed
	c.Avoiding += o.Avoiding
	c.AvoidingFailed += o.AvoidingFailed
	c.Filtered += o.Filtered
	c.Faulty += o.Faulty
	c.Busy += o.Busy
}

// Tried are traces, and those of them that showed a fault.
type Tried struct{ Traces, Failed uint64 }

// Share is how many of them did, in percent.
func (t Tried) Share() string {
	if t.Traces == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(t.Failed)/float64(t.Traces))
}

// Learned is what was learned of the faults of a target: what traces do with and
// without the features that they need.
type Learned struct {
	Target        string
	Faults        [][]string // for each kind of fault the features that it needs
	With, Without Tried
}

// Needs says what the faults need.
func (l *Learned) Needs() string {
	var all []string
	for _, needs := range l.Faults {
		all = append(all, strings.Join(needs, " and "))
	}
	return strings.Join(all, "; others ")
}

// WithAndWithout are the targets of which something was learned.
func (s *Stats) WithAndWithout() []*Learned {
	var rows []*Learned
	for i := range s.Cells {
		c := &s.Cells[i]
		if len(c.Learned) == 0 && c.Avoiding == 0 {
			continue
		}
		at := slices.IndexFunc(rows, func(r *Learned) bool { return r.Target == c.Target })
		if at < 0 {
			at = len(rows)
			rows = append(rows, &Learned{Target: c.Target, Faults: c.Learned})
		}
		r := rows[at]
		r.With.Traces += c.Traces - c.Avoiding
		r.With.Failed += c.Failed - c.AvoidingFailed
		r.Without.Traces += c.Avoiding
		r.Without.Failed += c.AvoidingFailed
	}
	return rows
}

// Generated is what was generated by profile, of all cells.
func (s *Stats) Generated() map[string]*ProfileUse {
	all := make(map[string]*ProfileUse)
	for i := range s.Cells {
		JoinProfiles(all, s.Cells[i].Profiles)
	}
	return all
}
