package campaign

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// A cell is a stream of traces, with counts of those that ran. The book's lock guards every field except
// the stream.
type cell struct {
	*source.Stream
	target   int // the number of its target
	numbers  source.Ledger
	counts   stats.Counts
	profiles map[string]*stats.ProfileUse
	findings map[oracle.Class]int
	grown    atomic.Bool // some of its traces may be larger than the profile asks for
}

// A book hands out the numbers of the cells, remembers which numbers are done, and adds up
// what their traces counted. It changes counts and done numbers together, so that a resumed
// campaign counts no trace twice.
type book struct {
	cells  []*cell
	traces uint64 // of all cells; 0: no limit
	judged atomic.Uint64

	mu       sync.Mutex
	schedule *pace.Scheduler
	tally    oracle.Tally // of closed lanes
	tallies  map[*lane]oracle.Tally
	doing    map[*lane]activity // what each open lane does
	measures *stats.Measures
	faults   source.GeneratorFaults
}

// cellOf returns the cell that a trace belongs to.
func (b *book) cellOf(from source.Origin) *cell { return b.cells[from.Stream.Index] }

// nextTurn returns the next turn, or nil if all numbers have been taken.
func (b *book) nextTurn() *turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, length := b.schedule.Next(func(i int) bool { return b.cells[i].numbers.HasMore(b.limit(b.cells[i])) })
	if next < 0 {
		return nil
	}
	now := time.Now()
	return &turn{cell: b.cells[next], begun: now, readyAt: now, length: length}
}

// endTurn ends a turn, in which the worker rested for the given time.
func (b *book) endTurn(t *turn, aside time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	took := max(0, time.Since(t.begun)-aside)
	t.cell.counts.Busy += took
	b.schedule.Worked(t.cell.Index, took)
}

// take returns the next numbers of a turn, or none if the turn is over.
func (b *book) take(t *turn, n int) source.Numbers {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.used && time.Since(t.readyAt) > t.length {
		return source.Numbers{}
	}
	t.used = true
	return t.cell.numbers.Take(n, b.limit(t.cell))
}

// limit returns the first number of a cell that must not run. A limited number of traces is shared evenly, so that no
// cell is left out because another one was quicker.
func (b *book) limit(of *cell) uint64 {
	const none = 1<<64 - 1
	if b.traces == 0 {
		return none
	}
	cells := uint64(len(b.cells))
	limit := b.traces / cells
	if uint64(of.Index) < b.traces%cells {
		limit++
	}
	return limit
}

// commit adds what a lane counted and marks the numbers as done, both at once.
func (b *book) commit(l *lane, batch *numbered, through []source.Numbers, decided oracle.Tally) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := batch.cell
	if !source.SameToAvoid(batch.needs, source.Learned(of.Lessons.Now())) {
		l.counts.AvoidingAll, l.counts.AvoidingAllFailed = 0, 0
	}
	if !of.numbers.Twice[through[0].From] { // a number that runs twice comes alone
		of.counts.Add(&l.counts)
		stats.JoinProfiles(of.profiles, l.profiles)
		b.measures.Add(l.measures)
	} else {
		b.tally.Add(b.tallies[l])
		b.tally.Add(negative(decided))
	}
	b.tallies[l] = decided
	for _, done := range through {
		of.numbers.Done(done)
	}
}

// An activity is what a lane does, since when, and with which traces.
type activity struct {
	what  string
	since time.Time
	of    source.Numbers
}

// does notes what a lane does now.
func (b *book) does(l *lane, what string, of source.Numbers) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.doing[l] = activity{what, time.Now(), of}
}

// why describes the activity that has lasted longest, of all lanes.
func (b *book) why() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var longest *activity
	for _, a := range b.doing {
		if longest == nil || a.since.Before(longest.since) {
			longest = &a
		}
	}
	switch {
	case longest == nil:
		return "the target is being loaded"
	case longest.of.Empty():
		return longest.what
	case longest.of.From+1 == longest.of.To:
		return fmt.Sprintf("%s trace %d", longest.what, longest.of.From)
	}
	return fmt.Sprintf("%s one of the traces %d to %d", longest.what, longest.of.From, longest.of.To-1)
}

// closeLane adds the tally of a closed lane to the total.
func (b *book) closeLane(l *lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tally.Add(b.tallies[l])
	delete(b.tallies, l)
	delete(b.doing, l)
}

// hold keeps a number among those that a resumed campaign runs again, because follow-ups of its trace are
// pending. Each hold needs one release.
func (b *book) hold(of source.Origin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cellOf(of).numbers.Hold(of.Number)
}

// release gives up one hold on the number.
func (b *book) release(of source.Origin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cellOf(of).numbers.Release(of.Number)
}

// found counts a new finding for its cell and the schedule.
func (b *book) found(f *store.Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cells[f.Cell].findings[f.Class]++
	b.schedule.Found(f.Cell)
}

// teach changes a copy of the last lesson and applies it to all numbers that have not been taken. It holds
// the lock, so that every number is taken either before or after the lesson.
func (b *book) teach(of *cell, change func(*source.Lesson)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lessons := slices.Clone(of.Lessons.Now())
	lesson := source.Lesson{}
	if len(lessons) > 0 {
		lesson = lessons[len(lessons)-1]
	}
	change(&lesson)
	if !source.SameToAvoid(lesson.Needs, source.Learned(lessons)) {
		of.counts.AvoidingAll, of.counts.AvoidingAllFailed = 0, 0
	}
	lesson.From = of.numbers.Next
	of.Lessons.Set(append(lessons, lesson))
}

// grow makes some traces of a cell larger, from the next number on.
func (b *book) grow(of *cell) {
	if of.grown.CompareAndSwap(false, true) && of.CanGrow() {
		b.teach(of, func(l *source.Lesson) { l.Grown = true })
	}
}

// generated counts a trace that an external generator made, or its failure to make one. It returns an
// error, which ends the campaign, if the generator makes no traces.
func (b *book) generated(fault error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults.Generated(fault)
}

// noTraces returns an error if an external generator made no trace at all.
func (b *book) noTraces() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults.NoTraces()
}

// stats returns the counts, without those of the registry.
func (b *book) stats() (s stats.Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, of := range b.cells {
		cell := stats.CellStats{Target: of.Target.Name, Model: of.Target.Model.Name, Kind: of.Kind(), Counts: of.counts,
			Learned: source.Learned(of.Lessons.Now()), Findings: maps.Clone(of.findings),
			Profiles: make(map[string]*stats.ProfileUse)}
		stats.JoinProfiles(cell.Profiles, of.profiles)
		s.AddCell(cell)
	}
	return s
}

// totals is the book's part of a summary.
type totals struct {
	tally    oracle.Tally
	measures *stats.Measures // with the profiles of all cells
	faults   source.GeneratorFaults
}

func (b *book) totals() totals {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := totals{b.tallyNow(), b.measures.Clone(), b.faults.Clone()}
	t.measures.Profiles = make(map[string]*stats.ProfileUse)
	for _, of := range b.cells {
		stats.JoinProfiles(t.measures.Profiles, of.profiles)
	}
	return t
}

// tallyNow returns the tally of all lanes, open and closed.
func (b *book) tallyNow() oracle.Tally {
	var all oracle.Tally
	all.Add(b.tally)
	for _, t := range b.tallies {
		all.Add(t)
	}
	return all
}

// negative returns a tally that cancels t when added to it: the counters wrap around.
func negative(t oracle.Tally) oracle.Tally {
	n := oracle.Tally{Runs: -t.Runs, Solves: -t.Solves, Unchecked: unchecked.Counts{}.Minus(t.Unchecked),
		Certified: -t.Certified}
	for _, c := range t.Checks {
		n.Checks = append(n.Checks, oracle.CheckCount{Check: c.Check, Decided: -c.Decided})
	}
	return n
}

// save copies the book into a state.
func (b *book) save(s *store.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.Judged, s.Turn, s.Tally, s.Measures = b.judged.Load(), b.schedule.Turn, b.tallyNow(), b.measures.Clone()
	s.Faults = b.faults.Clone()
	for i, of := range b.cells {
		profiles := make(map[string]*stats.ProfileUse)
		stats.JoinProfiles(profiles, of.profiles)
		unfinished, again := of.numbers.Unfinished()
		s.Cells = append(s.Cells, store.CellState{Next: of.numbers.Next, Unfinished: unfinished, Again: again,
			Counts: of.counts, Profiles: profiles, Findings: maps.Clone(of.findings), Arm: b.schedule.Arms[i],
			Lessons: of.Lessons.Now()})
	}
}

// load continues from a saved state.
func (b *book) load(s *store.State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.schedule.Turn = s.Turn
	b.judged.Store(s.Judged)
	b.tally, b.faults = s.Tally, s.Faults
	if s.Measures != nil {
		b.measures.Add(s.Measures)
	}
	for i, of := range b.cells {
		was := &s.Cells[i]
		of.numbers = source.ResumeLedger(was.Next, was.Unfinished, was.Again)
		of.counts = was.Counts
		stats.JoinProfiles(of.profiles, was.Profiles)
		maps.Copy(of.findings, was.Findings)
		b.schedule.Arms[i] = was.Arm
		of.Lessons.Set(was.Lessons)
	}
}
