package campaign

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestTimeBeginsWithTheCommand checks that time which passed before New counts.
func TestTimeBeginsWithTheCommand(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipasir")
	config.Traces, config.Time, config.Begun = 0, time.Hour, time.Now().Add(-time.Hour)
	summary, err := newCampaign(t, config).Run(t.Context())
	if err != nil || summary.Elapsed < config.Time {
		t.Errorf("the campaign took %v (%v), of which an hour had passed before", summary.Elapsed, err)
	}
}

// A blockingSource makes no trace before its context ends.
type blockingSource struct{ source.Source }

func (s blockingSource) Open(config gen.Config) (_ source.Source, err error) {
	s.Source, err = source.OpenSource(nil, config)
	return s, err
}

func (s blockingSource) Flags() string { return "" }

func (s blockingSource) Make(ctx context.Context, number, seed uint64, t *trace.Trace) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TestTheEndCutsLanes checks that the end of a campaign ends the start of a target, a trace that hangs, and the wait
// for an external generator. Without that, each of them would last forever.
func TestTheEndCutsLanes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		target string
		from   source.Sourcing
		limit  time.Duration
	}{
		{"ref:burden=hangs", nil, 2 * time.Second},
		{"ref", blockingSource{}, 200 * time.Millisecond},
	} {
		config := testConfig(t, row.target, "ipasir")
		config.Cells[0].From, config.Time = row.from, row.limit
		config.Limits.CPU, config.Limits.Wall = time.Hour, time.Hour
		c := newCampaign(t, config)
		if _, err := c.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", row.target, err)
		}
		made := c.remake(source.Origin{Stream: c.book.Cells[0].Stream})
		if isOurs := row.from == nil; (made != nil) != isOurs {
			t.Errorf("%s: after the end, a trace was made again: %t", row.target, made != nil)
		}
	}
}

// TestLastMoments checks that the search rests in the last moments while there are follow-ups, and that the campaign
// ends early enough to write its findings.
func TestLastMoments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		left, of time.Duration
		failures bool
		rests    bool
	}{
		{time.Minute, time.Hour, true, false},
		{time.Second, time.Hour, true, true},
		{time.Second, time.Hour, false, false},
		{time.Second, time.Second, true, false},
		{time.Second, 10 * time.Second, true, true},
	} {
		config := testConfig(t, "ref", "ipasir")
		config.Traces, config.Time, config.Begun = 0, row.of, time.Now().Add(row.left-row.of)
		c := newCampaign(t, config)
		if row.failures {
			c.pacer.Queue(new(pace.Job))
		}
		if got := c.followsUpLast(); got != row.rests {
			t.Errorf("%v before the end of %v: the search rests: %t", row.left, row.of, got)
		}
	}
}
