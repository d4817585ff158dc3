package file

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// usualStop is when anytime programs are told to stop, unless the user says otherwise.
var usualStop = replay.Span{From: 10 * time.Millisecond, To: 500 * time.Millisecond}

// stopGrace is how long an anytime program may run after it is told to stop.
const stopGrace = time.Second

// span returns when the program is told to stop.
func (e *Entry) span(how effort) (replay.Span, error) {
	switch {
	case e.Sigterm == "":
		return usualStop, nil
	case how != anytime:
		return replay.Span{}, errors.New(`sigterm-after is for programs of kind = "anytime"`)
	}
	span, err := replay.ParseSpan(e.Sigterm)
	if err != nil {
		return span, fmt.Errorf("sigterm-after: %w", err)
	}
	return span, nil
}

// stopsAfter returns when the program is told to stop on a file.
func (f *driver) stopsAfter(text []byte, limits *replay.Limits) time.Duration {
	hash := fnv.New64a()
	hash.Write(text)
	if !limits.Sigterm.IsZero() {
		return limits.Sigterm.Of(hash.Sum64())
	}
	return f.stop.Of(hash.Sum64())
}

// allowStop returns when the program is told to stop on a file. It raises the limits of an anytime program so that none
// is met before.
func (f *driver) allowStop(text []byte, limits *replay.Limits) time.Duration {
	if f.effort != anytime {
		return 0
	}
	after := f.stopsAfter(text, limits)
	for _, limit := range []*time.Duration{&limits.Wall, &limits.CPU} {
		if *limit > 0 {
			*limit = max(*limit, after+2*stopGrace)
		}
	}
	return after
}

// StopsAfter implements replay.StoppingDriver.
func (f *driver) StopsAfter(t *trace.Trace, limits replay.Limits) (time.Duration, bool) {
	if f.effort != anytime {
		return 0, false
	}
	text, _, err := f.text(format.Solves(t)[0], t)
	return f.stopsAfter(text, &limits), err == nil
}
