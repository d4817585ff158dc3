// Package stats counts what a campaign does: traces, answers, time and memory, by cell,
// target and profile. Every lane has its own counts, which the campaign adds up; counts of
// shards add up in the same way. The package decides nothing.
package stats

import (
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Stats are the counts of a campaign at one moment.
type Stats struct {
	Elapsed     time.Duration `json:"elapsed_ns"`
	Traces      uint64        `json:"traces"`
	Calls       uint64        `json:"calls"`
	Solves      uint64        `json:"solves"`
	SolveTime   time.Duration `json:"solve_time_ns"`      // in solve calls
	Deaths      uint64        `json:"deaths"`             // traces that ended their process
	SetAside    uint64        `json:"set_aside"`          // deaths because of too much time or memory
	Undecided   uint64        `json:"undecided"`          // answers of solves that no check could decide
	Compared    uint64        `json:"compared,omitempty"` // solves that the target and all rivals answered
	Agreed      uint64        `json:"agreed,omitempty"`   // solves in Compared with the same answer
	Findings    int           `json:"findings"`
	Unconfirmed int           `json:"unconfirmed"`
	Cells       []CellStats   `json:"cells"`
	SearchTimes
	FollowUps FollowUps `json:"follow_ups"`
}

// CellStats are the counts of one cell.
type CellStats struct {
	Target string `json:"target"`
	Model  string `json:"model"`
	Kind   string `json:"kind"` // of traces: the profile, or the flags that choose them
	Counts
	// Learned lists the features that each known fault needs; some traces avoid them.
	Learned [][]string `json:"learned,omitempty"`
	// Findings counts the findings that its traces showed, including those of rivals.
	Findings map[oracle.Class]int   `json:"findings,omitempty"`
	Profiles map[string]*ProfileUse `json:"profiles,omitempty"` // by name and version
}

// AddCell appends a cell and adds its counts to the totals.
func (s *Stats) AddCell(cell CellStats) {
	s.Cells = append(s.Cells, cell)
	s.Traces += cell.Traces
	s.Calls += cell.Calls
	s.Solves += cell.Solves
	s.SolveTime += cell.SolveTime
	s.Deaths += cell.Deaths
	s.SetAside += cell.SetAside
	s.Undecided += cell.Undecided
	s.Compared += cell.Compared
	s.Agreed += cell.Agreed
	s.SearchTimes.add(&cell.SearchTimes)
}

// Join adds the counts and the time of another shard, which may be nil.
func (s *Stats) Join(o *Stats) {
	if o == nil {
		return
	}
	sum := Stats{Elapsed: s.Elapsed + o.Elapsed}
	sum.FollowUps.Confirming = s.FollowUps.Confirming + o.FollowUps.Confirming
	sum.FollowUps.Reducing = s.FollowUps.Reducing + o.FollowUps.Reducing
	sum.FollowUps.Causes = s.FollowUps.Causes + o.FollowUps.Causes
	sum.FollowUps.Standstill = pace.Standstill{
		Total:   s.FollowUps.Standstill.Total + o.FollowUps.Standstill.Total,
		Longest: max(s.FollowUps.Standstill.Longest, o.FollowUps.Standstill.Longest),
		Stopped: s.FollowUps.Standstill.Stopped + o.FollowUps.Standstill.Stopped}
	for i := range o.Cells {
		cell := o.Cells[i]
		cell.Profiles, cell.Findings = make(map[string]*ProfileUse), nil
		JoinProfiles(cell.Profiles, o.Cells[i].Profiles)
		if i < len(s.Cells) {
			cell.Counts.Add(&s.Cells[i].Counts)
			JoinProfiles(cell.Profiles, s.Cells[i].Profiles)
			cell.joinLearned(&s.Cells[i], &o.Cells[i])
		}
		sum.AddCell(cell)
	}
	*s = sum
}

// TracesPerSecond returns the average over the campaign.
func (s Stats) TracesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Traces) / s.Elapsed.Seconds()
}

// joinLearned keeps what the cell with more knowledge has learned. If the other has learned something else, its traces
// avoid something else.
func (c *CellStats) joinLearned(s, o *CellStats) {
	of, other := s, o
	if len(o.Learned) > len(s.Learned) {
		of, other = o, s
	}
	c.Learned = of.Learned
	if !slices.EqualFunc(of.Learned, other.Learned, slices.Equal) {
		c.AvoidingAll, c.AvoidingAllFailed = of.AvoidingAll, of.AvoidingAllFailed
	}
}

// Counts are the sums over the judged traces of a cell.
type Counts struct {
	Traces         uint64        `json:"traces"`
	Calls          uint64        `json:"calls"`
	Solves         uint64        `json:"solves"`
	SolveTime      time.Duration `json:"solve_time_ns"`             // in solve calls
	Deaths         uint64        `json:"deaths"`                    // traces that ended their process
	SetAside       uint64        `json:"set_aside"`                 // deaths because of too much time or memory
	Undecided      uint64        `json:"undecided"`                 // answers of solves that no check could decide
	Compared       uint64        `json:"compared,omitempty"`        // solves that the target and all rivals answered
	Agreed         uint64        `json:"agreed,omitempty"`          // solves in Compared with the same answer
	Failed         uint64        `json:"failed"`                    // traces with a failure
	Avoiding       uint64        `json:"avoiding,omitempty"`        // traces that avoid what known faults need
	AvoidingFailed uint64        `json:"avoiding_failed,omitempty"` // traces in Avoiding with a failure
	// AvoidingAll counts the traces in Avoiding that lack something of every fault in Learned, and AvoidingAllFailed those
	// with a failure. Both begin again when the campaign learns something else.
	AvoidingAll       uint64 `json:"avoiding_all,omitempty"`
	AvoidingAllFailed uint64 `json:"avoiding_all_failed,omitempty"`
	// Filtered counts the numbers whose traces did not run because they have a trait to avoid.
	Filtered uint64 `json:"filtered,omitempty"`
	// Postponed counts the numbers whose traces did not run because they are expensive.
	Postponed uint64 `json:"postponed,omitempty"`
	// Faulty counts the numbers for which an external generator made no trace.
	Faulty uint64 `json:"faulty,omitempty"`
	// Busy is the workers' time.
	Busy time.Duration `json:"busy_ns"`
	SearchTimes
}

// SearchTimes says where the time of a search goes. While a library runs a batch, its lane generates and
// judges others, so the times add up to more than the search took.
type SearchTimes struct {
	Library      time.Duration `json:"library_ns"`   // in calls of the library
	SetAsideTime time.Duration `json:"set_aside_ns"` // the part of Library in traces that were set aside
	Generating   time.Duration `json:"generating_ns"`
	Judging      time.Duration `json:"judging_ns"`
	Waiting      time.Duration `json:"waiting_ns"` // for the library, with nothing else to do
}

func (t *SearchTimes) add(o *SearchTimes) {
	t.Library += o.Library
	t.SetAsideTime += o.SetAsideTime
	t.Generating += o.Generating
	t.Judging += o.Judging
	t.Waiting += o.Waiting
}

// FollowUps counts what happens beside the search.
type FollowUps struct {
	Confirming time.Duration   `json:"confirming_ns"`
	Reducing   time.Duration   `json:"reducing_ns"`
	Causes     time.Duration   `json:"causes_ns,omitempty"` // the part of Reducing that determined causes
	InProgress int             `json:"in_progress,omitempty"`
	Queued     int             `json:"queued,omitempty"`
	Standstill pace.Standstill `json:"standstill"` // time of the search without a new trace
}

// Add adds the counts of o.
func (c *Counts) Add(o *Counts) {
	c.Traces += o.Traces
	c.Calls += o.Calls
	c.Solves += o.Solves
	c.SolveTime += o.SolveTime
	c.Deaths += o.Deaths
	c.SetAside += o.SetAside
	c.Undecided += o.Undecided
	c.Compared += o.Compared
	c.Agreed += o.Agreed
	c.Failed += o.Failed
	c.Avoiding += o.Avoiding
	c.AvoidingFailed += o.AvoidingFailed
	c.AvoidingAll += o.AvoidingAll
	c.AvoidingAllFailed += o.AvoidingAllFailed
	c.Filtered += o.Filtered
	c.Postponed += o.Postponed
	c.Faulty += o.Faulty
	c.Busy += o.Busy
	c.SearchTimes.add(&o.SearchTimes)
}

// Generated returns the generated traces of all cells by profile.
func (s *Stats) Generated() map[string]*ProfileUse {
	all := make(map[string]*ProfileUse)
	for i := range s.Cells {
		JoinProfiles(all, s.Cells[i].Profiles)
	}
	return all
}
