package source

import (
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/gen/draw"
)

// AvoidShare is how often a trace is made without features that known faults
// need: every AvoidShare-th.
const AvoidShare = 4

// A lesson is what was learned before a number of a cell was taken: which
// features the faults need, each of which is avoided by avoiding one of them.
type Lesson struct {
	From  uint64     `json:"from"`
	Needs [][]string `json:"needs"`
}

// lessons are those of a cell, in order. They have a lock of their own, since
// whoever stores a trace asks for them, with other locks held.
type Lessons struct {
	mu  sync.Mutex
	all []Lesson
}

func (l *Lessons) Now() []Lesson {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

func (l *Lessons) Set(all []Lesson) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = all
}

// Avoids returns the features that the trace of a number is made without: half of the
// traces avoid all faults, and half one of them, so that what needs the same as
// the others is seen beside that one. Of the features that a fault needs one is
// drawn. All that follows from the seed.
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

// Learned is what the last lesson says.
func Learned(lessons []Lesson) [][]string {
	if len(lessons) == 0 {
		return nil
	}
	return lessons[len(lessons)-1].Needs
}
