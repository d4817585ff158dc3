package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// newFound is a finding of a trace as it was generated.
func (c *Campaign) newFound(who int, f oracle.Finding, key oracle.Key, t *trace.Trace,
	from source.Origin) *store.Finding {
	original := t.Clone()
	original.Notes = c.notes(from)
	return &store.Finding{Finding: f, Key: key, Target: c.target(who).Name, Cell: from.Stream.Index,
		Number: from.Number, Seed: from.Seed(), Without: from.Without(), Original: original, Minimal: original}
}

// notes is the header of a stored trace: where it comes from, so that it can be
// made again from numbers alone.
func (c *Campaign) notes(from source.Origin) []string {
	var header []string
	if traces, err := from.Source(); err == nil {
		from.Make(context.Background(), traces, new(trace.Trace)) // some headers tell of the last trace
		header = traces.Notes(from.Number, from.Seed())
	}
	return append(header, notes.Again(c.config.GenCommand("ipafuzz", from.Stream.Index, from.Number, from.Without())))
}

// cutShort notes a failure that could not be confirmed before the run ended.
func (l *lane) cutShort(f oracle.Finding, key oracle.Key, from source.Origin) {
	l.unsettled = true
	l.c.registry.Unconfirmed(store.Unconfirmed{Finding: f, Key: key, Cell: from.Stream.Index, Number: from.Number,
		Seed: from.Seed(), CutShort: true})
}
