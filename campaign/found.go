package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// newFound is a finding of a trace as it was generated.
func (c *Campaign) newFound(who int, f oracle.Finding, key string, t *trace.Trace, from origin) *Found {
	original := t.Clone()
	original.Notes = c.notes(from)
	return &Found{Finding: f, Key: key, Target: c.target(who).Name, target: who, from: from, Cell: from.cell.index,
		Number: from.number, Seed: from.seed(), Without: from.without(), Original: original, Minimal: original}
}

// unconfirmed is what is said of it when it is none.
func (f *Found) unconfirmed(why string) Unconfirmed {
	return Unconfirmed{Finding: f.Finding, Key: f.Key, Cell: f.Cell, Number: f.Number, Seed: f.Seed, Why: why}
}

// notes is the header of a stored trace: where it comes from, so that it can be
// made again from numbers alone.
func (c *Campaign) notes(from origin) []string {
	var notes []string
	if source, err := from.source(); err == nil {
		makeTrace(context.Background(), source, from, new(trace.Trace)) // some headers tell of the last trace
		notes = source.Notes(from.number, from.seed())
	}
	return append(notes, "again: "+c.config.GenCommand("ipafuzz", from.cell.index, from.number, from.without()))
}

// cutShort notes a failure that could not be confirmed before the run ended.
func (l *lane) cutShort(f oracle.Finding, key string, from origin) {
	l.unsettled = true
	l.c.unconfirm(Unconfirmed{Finding: f, Key: key, Cell: from.cell.index, Number: from.number, Seed: from.seed(), CutShort: true})
}

// settled lets go of a trace: what it showed need not be looked at again.
func (c *Campaign) settled(of origin) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of.cell.numbers.release(of.number)
}

// news tells the schedule and the cell of a finding.
func (c *Campaign) news(f *Found) {
	of := f.from.cell
	of.findings[f.Class]++
	c.schedule.found(of.index)
}
