package campaign

import (
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/trace"
)

// count adds a run to what the lane hands in with the next commit.
func (l *lane) count(t *trace.Trace, run *trace.Run) {
	switch l.profile {
	case source.NoTrace:
		l.counts.Faulty++
		return
	case source.Filtered:
		l.counts.Filtered++
		return
	}
	l.c.book.judged.Add(1)
	l.counts.Traces++
	l.counts.Calls += uint64(len(t.Calls))
	for i := range t.Calls {
		if a := run.Answers.At(i); t.Calls[i].Op == apimodel.OpSolve && a.Kind == trace.Answered {
			l.counts.Solves++
			l.counts.SolveTime += time.Duration(run.Answers.EffortOf(a).Nanos)
		}
	}
	if run.End != trace.Finished {
		l.counts.Deaths++
	}
}

// countFault counts whether a trace showed a fault, with and without what known
// faults need.
func (l *lane) countFault(avoiding bool) {
	if l.profile == source.NoTrace || l.profile == source.Filtered {
		return
	}
	if avoiding {
		l.counts.Avoiding++
	}
	if l.failed {
		l.counts.Failed++
	}
	if l.failed && avoiding {
		l.counts.AvoidingFailed++
	}
}

// made counts a trace that a profile generated.
func (l *lane) made(number uint64, t *trace.Trace) {
	if l.profile == source.NoTrace || l.profile == source.Filtered {
		return
	}
	p := l.profiles[l.profile]
	if p == nil {
		p = new(stats.ProfileUse)
		l.profiles[l.profile] = p
	}
	p.Traces++
	if number%stats.SampleStride == 0 {
		p.Sample(t)
	}
}

// commit hands in what was counted, and that these traces of the batch are
// through: both at once, so that whoever goes on from there counts none twice.
func (l *lane) commit(b *numbered, from, to int) {
	decided := l.judge.Decided()
	if l.c.archivist != nil {
		l.keep(b, from, to)
	}
	l.c.registry.NoteHits(l.hits)
	l.c.book.commit(l, b.cell, source.Numbers{From: b.first + uint64(from), To: b.first + uint64(to)}, decided)
	l.hits = l.hits[:0]
	l.counts = stats.Counts{}
	clear(l.profiles)
	l.measures.Reset()
}
