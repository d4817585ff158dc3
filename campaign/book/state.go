package book

import (
	"maps"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// Stats returns the counts, without those of the registry.
func (b *Book) Stats() (s stats.Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, cell := range b.Cells {
		counted := stats.CellStats{Target: cell.Target.Name, Model: cell.Target.Model.Name, Kind: cell.Kind(),
			Counts: cell.Counts, Learned: source.Learned(cell.Lessons.Now()), Findings: maps.Clone(cell.findings),
			Profiles: make(map[string]*stats.ProfileUse)}
		stats.JoinProfiles(counted.Profiles, cell.profiles)
		s.AddCell(counted)
	}
	return s
}

// Totals are the book's part of a summary.
type Totals struct {
	Tally    oracle.Tally
	Measures *stats.Measures // with the profiles of all cells
	Faults   source.GeneratorFaults
}

// Totals returns what all cells counted.
func (b *Book) Totals() Totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := Totals{b.tallyNow(), b.measures.Clone(), b.faults.Clone()}
	t.Measures.Profiles = make(map[string]*stats.ProfileUse)
	for _, cell := range b.Cells {
		stats.JoinProfiles(t.Measures.Profiles, cell.profiles)
	}
	return t
}

// tallyNow returns the tally of all lanes, open and closed.
func (b *Book) tallyNow() oracle.Tally {
	var all oracle.Tally
	all.Add(b.tally)
	for a := range b.accounts {
		all.Add(a.tally)
	}
	return all
}

// negative returns a tally that cancels t when added to it: the counters wrap around.
func negative(t oracle.Tally) oracle.Tally {
	n := oracle.Tally{Runs: -t.Runs, Solves: -t.Solves, Unchecked: unchecked.Counts{}.Minus(t.Unchecked),
		Rivals: unchecked.Counts{}.Minus(t.Rivals), Certified: -t.Certified}
	for _, c := range t.Checks {
		n.Checks = append(n.Checks, oracle.CheckCount{Check: c.Check, Decided: -c.Decided})
	}
	return n
}

// Save copies the book into a state.
func (b *Book) Save(s *store.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Judged, s.Turn, s.Tally, s.Measures = b.Judged.Load(), b.schedule.Turn, b.tallyNow(), b.measures.Clone()
	s.Faults = b.faults.Clone()
	for i, cell := range b.Cells {
		profiles := make(map[string]*stats.ProfileUse)
		stats.JoinProfiles(profiles, cell.profiles)
		unfinished, again := cell.Numbers.Unfinished()
		s.Cells = append(s.Cells, store.CellState{Next: cell.Numbers.Next, Unfinished: unfinished, Again: again,
			Counts: cell.Counts, Profiles: profiles, Findings: maps.Clone(cell.findings), Arm: b.schedule.Arms[i],
			Lessons: cell.Lessons.Now()})
	}
}

// Load continues from a saved state.
func (b *Book) Load(s *store.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.schedule.Turn = s.Turn
	b.Judged.Store(s.Judged)
	b.tally, b.faults = s.Tally, s.Faults
	if s.Measures != nil {
		b.measures.Add(s.Measures)
	}
	for i, cell := range b.Cells {
		saved := &s.Cells[i]
		cell.Numbers = source.ResumeLedger(saved.Next, saved.Unfinished, saved.Again)
		cell.Counts = saved.Counts
		stats.JoinProfiles(cell.profiles, saved.Profiles)
		maps.Copy(cell.findings, saved.Findings)
		b.schedule.Arms[i] = saved.Arm
		cell.Lessons.Set(saved.Lessons)
	}
}
