package source

import (
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// AvoidShare is the distance of the traces that avoid features of known faults.
const AvoidShare = 4

// A Lesson is what a campaign knows about the faults of a target from some number of
// a cell on. A fault is avoided by leaving out one of the features that it needs.
type Lesson struct {
	From  uint64     `json:"from"`  // the first number that it applies to
	Needs [][]string `json:"needs"` // for each fault
}

// Lessons are the lessons of a cell, in order. They have their own lock because they
// are read while other locks are held.
type Lessons struct {
	mu  sync.Mutex
	all []Lesson
}

// Now returns the lessons so far.
func (l *Lessons) Now() []Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// Set replaces the lessons. The slice must not be changed afterwards.
func (l *Lessons) Set(all []Lesson) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

// Avoids returns the features that the trace of a number lacks, which follow from
// the lessons and the seed. Of the traces that avoid anything, half avoid all faults
// and half avoid a single one, so that failures that need the features of the other
// faults still show. For each fault, one of its features is drawn.
func Avoids(lessons []Lesson, number, seed uint64) []string {
	if number%AvoidShare != AvoidShare-1 {
		return nil
	}
	at := -1
	for i := range lessons {
		if lessons[i].From <= number {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	draw := draw.New(^seed)
	faults := lessons[at].Needs
	if len(faults) > 1 && draw.Below(2) == 0 {
		one := draw.Below(uint32(len(faults)))
		faults = faults[one : one+1]
	}
	var without []string
	for _, needs := range faults {
		if len(needs) > 0 && !slices.ContainsFunc(needs, func(f string) bool { return slices.Contains(without, f) }) {
			without = append(without, needs[draw.Below(uint32(len(needs)))])
		}
	}
	slices.Sort(without)
	return without
}

// Learned returns what the last lesson says.
func Learned(lessons []Lesson) [][]string {
	if len(lessons) == 0 {
		return nil
	}
	return lessons[len(lessons)-1].Needs
}
