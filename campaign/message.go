package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A suspicion is an error message that one of several consecutive traces wrote,
// and it is not known which.
type suspicion struct {
	key         oracle.Key
	who         int
	stream      *source.Stream
	first, last uint64 // numbers of the suspects
	wanted      bool   // worth a confirmation, and the one who wrote it is not known

	// The latest suspect in which nothing else is wrong.
	trace   *trace.Trace
	finding oracle.Finding
	from    source.Origin
}

// suspected reports whether a message is this trace's: whether it writes it
// alone.
func (l *lane) suspected(ctx context.Context, who int, t *trace.Trace, f *oracle.Finding, key oracle.Key,
	from source.Origin) (bool, error) {
	s := &l.suspicion
	if first := from.Number - uint64(f.Suspect); s.key != key || s.stream != from.Stream || s.first != first ||
		s.who != who {
		*s = suspicion{key: key, who: who, stream: from.Stream, first: first, last: first + uint64(f.Suspects) - 1,
			wanted: l.c.registry.Wants(key, false)}
	}
	if !s.wanted {
		return false, nil
	}
	var run trace.Run
	same, err := l.group.Shows(ctx, l.c.target(who).Name, t, key, &run)
	if err != nil {
		return false, err
	}
	if s.wanted = same == nil; s.wanted {
		s.trace, s.finding, s.from = t.Clone(), *f, from
	}
	return same != nil, nil
}

// endSuspicion deals with a message that none of its suspects writes alone, when
// the last of them has been judged: it may take what ran before.
func (l *lane) endSuspicion(ctx context.Context, from source.Origin, before int) error {
	s := &l.suspicion
	if !s.wanted || from.Stream == s.stream && from.Number < s.last {
		return nil
	}
	s.wanted = false
	err := l.confirm(ctx, s.who, s.trace, s.finding, s.key, s.from, before)
	if err != nil && ctx.Err() != nil {
		l.cutShort(s.finding, s.key, s.from)
		return nil
	}
	return err
}
