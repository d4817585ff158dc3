// Package book keeps the numbers of a campaign's traces: which are handed out, which are done, and what they counted.
package book

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// A Cell is a stream of traces, with counts of those that ran. The book's lock guards every field but the stream.
type Cell struct {
	*source.Stream
	TargetNumber int
	Numbers      source.Ledger // guarded by the lock
	Counts       stats.Counts  // guarded by the lock
	profiles     map[string]*stats.ProfileUse
	findings     map[oracle.Class]int
	grown        atomic.Bool // some of its traces may be larger than the profile asks for
}

// A Book hands out the numbers of the cells, remembers which numbers are done, and adds up
// what their traces counted. It changes counts and done numbers together, so that a resumed
// campaign counts no trace twice.
type Book struct {
	Cells  []*Cell // not changed once traces run
	Judged atomic.Uint64
	Traces uint64 // of all cells; 0: no limit

	mu       sync.Mutex
	schedule *pace.Scheduler
	tally    oracle.Tally // of closed accounts
	accounts map[*Account]bool
	measures *stats.Measures
	faults   source.GeneratorFaults
}

// New returns a book without cells. The traces, 0 for any number, are shared by the cells.
func New(traces uint64, schedule *pace.Scheduler) *Book {
	return &Book{Traces: traces, schedule: schedule, accounts: make(map[*Account]bool)}
}

// Begin sets the measures of the campaign, to which lanes add theirs. All cells must have been added.
func (b *Book) Begin(measures *stats.Measures) { b.measures = measures }

// Add adds a cell with a target.
func (b *Book) Add(stream *source.Stream, target int) {
	b.Cells = append(b.Cells, &Cell{Stream: stream, TargetNumber: target, profiles: make(map[string]*stats.ProfileUse),
		findings: make(map[oracle.Class]int)})
}

// An Account is what the book has of an open lane.
type Account struct {
	tally oracle.Tally // what its judges decided so far
	doing activity
}

// Open returns the account of a new lane.
func (b *Book) Open() *Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := new(Account)
	b.accounts[a] = true
	return a
}

// cellOf returns the cell that a trace belongs to.
func (b *Book) cellOf(from source.Origin) *Cell { return b.Cells[from.Stream.Index] }

// NextTurn returns the next turn, or nil if all numbers have been taken.
func (b *Book) NextTurn() *Turn {
	b.mu.Lock()
	defer b.mu.Unlock()
	next, length := b.schedule.Next(func(i int) bool { return b.Cells[i].Numbers.HasMore(b.limit(b.Cells[i])) })
	if next < 0 {
		return nil
	}
	now := time.Now()
	return &Turn{Cell: b.Cells[next], Begun: now, ReadyAt: now, Length: length}
}

// EndTurn ends a turn, in which the worker rested for the given time.
func (b *Book) EndTurn(t *Turn, aside time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	took := max(0, time.Since(t.Begun)-aside)
	t.Cell.Counts.Busy += took
	b.schedule.Worked(t.Cell.Index, took)
}

// Take returns the next numbers of a turn, or none if the turn is over.
func (b *Book) Take(t *Turn, n int) source.Numbers {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.used && time.Since(t.ReadyAt) > t.Length {
		return source.Numbers{}
	}
	t.used = true
	return t.Cell.Numbers.Take(n, b.limit(t.Cell))
}

// limit returns the first number of a cell that must not run. A limited number of traces is shared evenly, so that no
// cell is left out because another one was quicker.
func (b *Book) limit(cell *Cell) uint64 {
	const none = 1<<64 - 1
	if b.Traces == 0 {
		return none
	}
	cells := uint64(len(b.Cells))
	limit := b.Traces / cells
	if uint64(cell.Index) < b.Traces%cells {
		limit++
	}
	return limit
}

// Done is what a lane did with numbers of a cell.
type Done struct {
	Cell     *Cell
	Needs    [][]string // what known faults needed when the traces were made
	Numbers  []source.Numbers
	Counts   *stats.Counts
	Profiles map[string]*stats.ProfileUse
	Measures *stats.Measures
	Tally    oracle.Tally // of all that the lane did so far
}

// Commit adds what a lane counted and marks the numbers as done, both at once.
func (b *Book) Commit(a *Account, d Done) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !source.SameToAvoid(d.Needs, source.Learned(d.Cell.Lessons.Now())) {
		d.Counts.AvoidingAll, d.Counts.AvoidingAllFailed = 0, 0
	}
	if !d.Cell.Numbers.Twice[d.Numbers[0].From] { // a number that runs twice comes alone
		d.Cell.Counts.Add(d.Counts)
		stats.JoinProfiles(d.Cell.profiles, d.Profiles)
		b.measures.Add(d.Measures)
	} else {
		b.tally.Add(a.tally)
		b.tally.Add(negative(d.Tally))
	}
	a.tally = d.Tally
	for _, done := range d.Numbers {
		d.Cell.Numbers.Done(done)
	}
}

// An activity is what a lane does, since when, and with which traces.
type activity struct {
	what    string // "": nothing yet
	since   time.Time
	numbers source.Numbers
}

// Does notes what a lane does now.
func (b *Book) Does(a *Account, what string, numbers source.Numbers) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a.doing = activity{what, time.Now(), numbers}
}

// Why describes the activity that has lasted longest, of all lanes.
func (b *Book) Why() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var longest *activity
	for a := range b.accounts {
		if a.doing.what != "" && (longest == nil || a.doing.since.Before(longest.since)) {
			longest = &a.doing
		}
	}
	switch {
	case longest == nil:
		return "the target is being loaded"
	case longest.numbers.Empty():
		return longest.what
	case longest.numbers.From+1 == longest.numbers.To:
		return fmt.Sprintf("%s trace %d", longest.what, longest.numbers.From)
	}
	return fmt.Sprintf("%s one of the traces %d to %d", longest.what, longest.numbers.From, longest.numbers.To-1)
}

// Close adds the tally of a closed lane to the total.
func (b *Book) Close(a *Account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tally.Add(a.tally)
	delete(b.accounts, a)
}

// Hold keeps a number among those that a resumed campaign runs again, because follow-ups of its trace are
// pending. Each hold needs one release.
func (b *Book) Hold(from source.Origin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cellOf(from).Numbers.Hold(from.Number)
}

// Release gives up one hold on the number.
func (b *Book) Release(from source.Origin) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cellOf(from).Numbers.Release(from.Number)
}

// Found counts a new finding for its cell and the schedule.
func (b *Book) Found(f *store.Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Cells[f.Cell].findings[f.Class]++
	b.schedule.Found(f.Cell)
}

// Teach changes a copy of the last lesson and applies it to all numbers that have not been taken. It holds
// the lock, so that every number is taken either before or after the lesson.
func (b *Book) Teach(cell *Cell, change func(*source.Lesson)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lessons := slices.Clone(cell.Lessons.Now())
	lesson := source.Lesson{}
	if len(lessons) > 0 {
		lesson = lessons[len(lessons)-1]
	}
	change(&lesson)
	if !source.SameToAvoid(lesson.Needs, source.Learned(lessons)) {
		cell.Counts.AvoidingAll, cell.Counts.AvoidingAllFailed = 0, 0
	}
	lesson.From = cell.Numbers.Next
	cell.Lessons.Set(append(lessons, lesson))
}

// Grow makes some traces of a cell larger, from the next number on.
func (b *Book) Grow(cell *Cell) {
	if cell.grown.CompareAndSwap(false, true) && cell.CanGrow() {
		b.Teach(cell, func(l *source.Lesson) { l.Grown = true })
	}
}

// Generated counts a trace that an external generator made, or its failure to make one. It returns an
// error, which ends the campaign, if the generator makes no traces.
func (b *Book) Generated(fault error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults.Generated(fault)
}

// NoTraces returns an error if an external generator made no trace at all.
func (b *Book) NoTraces() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults.NoTraces()
}
