package campaign

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// endless returns a campaign that nothing but its time ends.
func endless(t *testing.T, limit time.Duration) *Campaign {
	t.Helper()
	config := testConfig(t, "ref", "ipasir")
	config.Traces, config.Time, config.Out = 0, limit, t.TempDir()
	return newCampaign(t, config)
}

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

// TestTheEndCutsFollowUps ends a campaign while a follow-up of each stage waits for its end, for a turn, or to begin.
// All of them must see the end of the campaign without delay, and a failure that was not confirmed is kept with its
// trace.
func TestTheEndCutsFollowUps(t *testing.T) {
	t.Parallel()
	c := endless(t, 200*time.Millisecond)
	from := source.Origin{Stream: c.book.Cells[0].Stream}
	found := c.newFound(0, oracle.Finding{Class: "1.5", Detail: "in solve"}, oracle.Key{Target: "ref", Class: "1.5",
		Detail: "in solve"}, c.remake(from), from)
	cuts := make(chan pace.Stage, 1000)
	for n := range mostWaiting {
		stage := pace.Stage(n) % pace.Stages
		f := &followUp{Job: pace.Job{Stage: stage, Slow: n%4 < 2}, from: from,
			do: func(ctx context.Context, f *follower) error {
				<-c.ctx.Done()
				if ctx.Err() == nil {
					t.Error("the campaign has ended, and a follow-up goes on")
				}
				return context.Cause(ctx)
			}}
		if stage == pace.Confirming {
			f.seen = found
		} else {
			f.cut = func() { cuts <- stage }
		}
		c.followUps.add(f)
	}
	summary, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(cuts) != mostWaiting/2 || len(summary.Unconfirmed) != 1 || !summary.Unconfirmed[0].CutShort {
		t.Fatalf("%d of %d reductions were cut, and there are %d unconfirmed failures", len(cuts), mostWaiting/2,
			len(summary.Unconfirmed))
	}
	if text, err := os.ReadFile(summary.Unconfirmed[0].File); err != nil || len(text) == 0 {
		t.Errorf("the trace of the unconfirmed failure is not stored: %v", err)
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
	over, end := context.WithCancel(t.Context())
	end()
	if _, err := newCampaign(t, testConfig(t, "ref", "ipasir")).newLane(over, 0, replay.DefaultQueue); err != over.Err() {
		t.Errorf("a lane was opened after the end: %v", err)
	}
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
			c.followUps.add(&followUp{from: source.Origin{Stream: c.book.Cells[0].Stream}})
		}
		if got := c.followsUpLast(); got != row.rests {
			t.Errorf("%v before the end of %v: the search rests: %t", row.left, row.of, got)
		}
	}
}
