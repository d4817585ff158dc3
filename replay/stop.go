package replay

import (
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/trace"
)

// A Span is how long an anytime program may run until it is told to stop: a time of its own for each file, between two
// times. The zero Span leaves the choice to the target.
type Span struct{ From, To time.Duration }

// Of returns the time for a file with that hash. It depends on nothing else, so that every replay of a trace uses the
// same.
func (s Span) Of(hash uint64) time.Duration {
	return s.From + time.Duration(hash%uint64(s.To-s.From+1))
}

// IsZero reports whether the target chooses.
func (s Span) IsZero() bool { return s == Span{} }

// String returns the text that ParseSpan reads.
func (s Span) String() string {
	if s.From == s.To {
		return s.From.String()
	}
	return s.From.String() + "-" + s.To.String()
}

// ParseSpan reads a time, or two with a - between them.
func ParseSpan(text string) (Span, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	from, err := time.ParseDuration(first)
	to, err2 := time.ParseDuration(last)
	if err != nil || err2 != nil || from <= 0 || to < from {
		return Span{}, fmt.Errorf("want a time such as 60s, or two such as 0.01s-0.5s, the first one above 0, got %q", text)
	}
	return Span{from, to}, nil
}

// UnmarshalText reads a span.
func (s *Span) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSpan(string(text))
	return err
}

// A StoppingDriver is the Driver of programs that are told to stop.
type StoppingDriver interface {
	Driver
	// StopsAfter returns when the program is told to stop on the first solve of a trace, and false if it is not.
	StopsAfter(t *trace.Trace, limits Limits) (time.Duration, bool)
}

// FixStop returns the limits with which all traces stop when t does, so that a reduction compares like with like.
func (l Limits) FixStop(target *Target, t *trace.Trace) Limits {
	if driver, ok := target.Driver.(StoppingDriver); ok {
		if after, stops := driver.StopsAfter(t, l); stops {
			l.Sigterm = Span{after, after}
		}
	}
	return l
}
