package campaign

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// header is that of the trace which was made last.
func (l *lane) header(of source.Origin, without []string) []string {
	traces, err := l.source(of.Stream, without)
	if err != nil {
		return nil
	}
	return append(traces.Notes(of.Number, of.Seed()), notes.Again(l.c.config.GenCommand("ipafuzz", of.Stream.Index, of.Number, without)))
}

// keep keeps the traces of a batch that were judged.
func (l *lane) keep(b *numbered, from, to int) {
	for i := from; i < to; i++ {
		if b.made[i] == source.NoTrace || b.made[i] == source.Filtered {
			continue
		}
		kept := *b.Traces[i]
		kept.Notes = b.notes[i]
		name := fmt.Sprintf("%d-%d-%d", b.cell.Index, l.c.config.Shard, b.first+uint64(i))
		if err := l.c.archivist.Add(name, &kept); err != nil {
			l.c.stop(err)
			return
		}
	}
}
