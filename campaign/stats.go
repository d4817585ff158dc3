package campaign

import (
	"maps"
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
	counts
	Learned  [][]string             `json:"learned,omitempty"`  // features that each of its known faults needs: some traces are made without
	Findings map[oracle.Class]int   `json:"findings,omitempty"` // different ones that its traces showed, also those of a target that it is compared with
	Profiles map[string]*ProfileUse `json:"profiles,omitempty"` // what was generated, by profile and version
}

// Stats returns what has happened so far. The cells are in the order of the
// configuration's.
func (c *Campaign) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.statsNow()
}

func (c *Campaign) statsNow() Stats {
	elapsed := c.before
	if !c.begun.IsZero() {
		elapsed = time.Since(c.begun)
	}
	s := Stats{Elapsed: elapsed, Findings: len(c.found), Unconfirmed: len(c.unconfirmed)}
	for _, of := range c.cells {
		cell := CellStats{Target: of.Target.Name, Model: of.Target.Model.Name, Kind: of.kind(), counts: of.counts, Learned: learned(of.lessons.now()), Findings: maps.Clone(of.findings), Profiles: make(map[string]*ProfileUse)}
		joinProfiles(cell.Profiles, of.profiles)
		s.addCell(cell)
	}
	return s
}

func (s *Stats) addCell(cell CellStats) {
	s.Cells = append(s.Cells, cell)
	s.Traces += cell.Traces
	s.Calls += cell.Calls
	s.Solves += cell.Solves
	s.SolveTime += cell.SolveTime
	s.Deaths += cell.Deaths
	s.Undecided += cell.Undecided
}

// join adds what another part of the campaign counted, with its time.
func (s *Stats) join(o *Stats) {
	if o == nil {
		return
	}
	sum := Stats{Elapsed: s.Elapsed + o.Elapsed}
	for i := range o.Cells {
		cell := o.Cells[i]
		cell.Profiles, cell.Findings = make(map[string]*ProfileUse), nil
		joinProfiles(cell.Profiles, o.Cells[i].Profiles)
		if i < len(s.Cells) {
			cell.counts.add(&s.Cells[i].counts)
			joinProfiles(cell.Profiles, s.Cells[i].Profiles)
			if len(cell.Learned) < len(s.Cells[i].Learned) {
				cell.Learned = s.Cells[i].Learned
			}
		}
		sum.addCell(cell)
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

// A Summary is what a campaign ends with.
type Summary struct {
	Stats
	Found       []*Found
	Unconfirmed []Unconfirmed
	Tally       oracle.Tally
	// Disagreements are the first few answers that targets differ in while nothing
	// proves who is right; Disputed counts them all.
	Disagreements []Disagreement
	Disputed      uint64
	Beyond        uint64 // failures that were not looked at: of too many different kinds
	Measures      *Measures
	Faults        GeneratorFaults
	Known         map[string]uint64 // hits of findings of earlier runs, by key
}

func (c *Campaign) summary() Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Summary{Stats: c.statsNow(), Found: c.found, Beyond: c.beyond, Tally: c.tallyNow(), Measures: c.measured()}
	s.Faults, s.Known = c.faults.clone(), c.knownHits()
	s.Disagreements, s.Disputed = c.disputes.kept, c.disputes.all
	for _, u := range c.unconfirmed {
		if c.byKey[u.Key] == nil { // no later run confirmed it
			s.Unconfirmed = append(s.Unconfirmed, u)
		}
	}
	return s
}

// negative is a tally that takes another one back when it is added: numbers wrap.
func negative(t oracle.Tally) oracle.Tally {
	n := oracle.Tally{Runs: -t.Runs, Solves: -t.Solves, Unknown: -t.Unknown, Certified: -t.Certified}
	for _, c := range t.Checks {
		n.Checks = append(n.Checks, oracle.CheckCount{Check: c.Check, Decided: -c.Decided})
	}
	return n
}

// tallyNow is the tally of all lanes, those that are at work included.
func (c *Campaign) tallyNow() oracle.Tally {
	var all oracle.Tally
	all.Add(c.tally)
	for _, t := range c.tallies {
		all.Add(t)
	}
	return all
}
