package campaign

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestPause checks that a paused campaign takes no new traces, continues afterwards, and
// ends if its context ends during the pause.
func TestPause(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Traces = 3000
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.Pause(true)
	ended := make(chan Summary)
	go func() {
		s, err := c.Run(t.Context())
		if err != nil {
			t.Error(err)
		}
		ended <- s
	}()
	time.Sleep(50 * time.Millisecond)
	if s := c.Stats(); s.Traces != 0 || !c.Paused() {
		t.Errorf("%d traces while it is paused", s.Traces)
	}
	for range 5 {
		c.Pause(false)
		time.Sleep(2 * time.Millisecond)
		c.Pause(true)
	}
	c.Pause(false)
	if s := <-ended; s.Traces != config.Traces {
		t.Errorf("%d traces, want all %d", s.Traces, config.Traces)
	}

	if c, err = New(config); err != nil {
		t.Fatal(err)
	}
	c.Pause(true)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if s, err := c.Run(ctx); err != nil || s.Traces != 0 {
		t.Errorf("%d traces, %v", s.Traces, err)
	}
}

// TestReductionIsSeen checks that Watch lists a finding during its reduction, with its
// current number of calls, and afterwards.
func TestReductionIsSeen(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
	config.Traces, config.Findings = 100, 1
	found := *runCampaign(t, context.Background(), config, unreduced).Found[0]
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	all := len(found.Original.Calls)
	seen := func(reducing bool, calls, tests int) {
		t.Helper()
		views := c.Watch()
		if len(views) != 1 {
			t.Fatalf("%d are seen, want 1", len(views))
		}
		if s := views[0]; s.Key != found.Key || (s.Status < store.Finished) != reducing || len(s.Original.Calls) != all ||
			s.Size != calls || s.Tests != tests {
			t.Errorf("seen is %+v, want %d calls of %d after %d tests, reducing %v", s, calls, all, tests, reducing)
		}
	}
	if !c.registry.Reserve(&found) {
		t.Fatal("the key is reserved before any reduction")
	}
	seen(true, all, 0)
	c.registry.Progress(&found, dd.Progress{Size: dd.Size{Calls: all - 1}, Stats: engine.Stats{Tests: 7}})
	seen(true, all-1, 7)
	found.Minimal, found.Tests = testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n"), 9
	if err := c.registry.Add(&found); err != nil && err != registry.ErrEnough {
		t.Fatal(err)
	}
	c.registry.Release(&found)
	seen(false, 1, 9)
}

// TestWatch checks that Watch is consistent at any time.
func TestWatch(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
	config.Traces, config.Findings = 20000, 3
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx := t.Context(); ctx.Err() == nil; {
			found := 0
			for _, s := range c.Watch() {
				if s.Size > len(s.Original.Calls) || s.Minimal.Model == nil {
					t.Errorf("%s: %d calls of %d", s.Key, s.Size, len(s.Original.Calls))
				}
				if s.Status == store.Finished {
					found++
				}
			}
			if found == 3 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	summary, err := c.Run(t.Context())
	if err != nil || len(summary.Found) != 3 {
		t.Fatalf("%d findings, %v", len(summary.Found), err)
	}
	<-done
	if views := c.Watch(); len(views) != 3 || views[0].Key != summary.Found[2].Key || views[0].Status < store.Finished {
		t.Errorf("%d are seen at the end, want 3, the newest first", len(views))
	}
}
