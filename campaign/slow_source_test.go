package campaign

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

// slowSource generates traces as slowly as an external program. It records how many traces had run when the
// fourth was requested.
type slowSource struct {
	source.Source
	campaign **Campaign
	made     *int
	run      *uint64
}

func (s slowSource) Open(config gen.Config) (_ source.Source, err error) {
	s.Source, err = source.OpenSource(nil, config)
	return s, err
}

func (s slowSource) Flags() string { return "" }

func (s slowSource) Make(ctx context.Context, number, seed uint64, t *trace.Trace) error {
	if *s.made++; *s.made == 4 {
		*s.run = (*s.campaign).Stats().Traces
	}
	time.Sleep(110 * time.Millisecond) // longer than a lane takes for a batch
	return s.Source.Make(ctx, number, seed, t)
}

// TestSlowSource checks that a slow generator does not delay the judging of its first
// traces.
func TestSlowSource(t *testing.T) {
	var c *Campaign
	var made int
	var run uint64
	config := testConfig(t, "ref", "ipamir")
	config.Traces, config.Workers = 6, 1
	config.Cells[0].From = slowSource{campaign: &c, made: &made, run: &run}
	var err error
	if c, err = New(config); err != nil {
		t.Fatal(err)
	}
	summary, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if made != 6 || summary.Traces != 6 || run == 0 {
		t.Errorf("%d traces were made and %d run, %d of them before the fourth was made", made, summary.Traces, run)
	}
}
