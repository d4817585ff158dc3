package campaign

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// TestOnFindingMayCallBack checks that OnFinding may call the methods of its campaign
// without a deadlock, and that the campaign already counts the finding then.
func TestOnFindingMayCallBack(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
			config.Traces, config.Findings, config.Workers, config.Out = 20_000, 3, workers, t.TempDir()
			var c *Campaign
			var mu sync.Mutex
			called := 0
			config.OnFinding = func(f *store.Finding) {
				if !mu.TryLock() {
					t.Error("OnFinding is called twice at the same time")
					return
				}
				defer mu.Unlock()
				called++
				if s := c.Stats(); s.Findings < called {
					t.Errorf("finding %d: Stats has %d findings", called, s.Findings)
				}
				listed := false
				for _, view := range c.Watch() {
					listed = listed || view.Key == f.Key
				}
				if !listed {
					t.Errorf("Watch does not list %s", f.Key)
				}
				c.Pause(true)
				if !c.Paused() {
					t.Error("the campaign is not paused")
				}
				c.Pause(false)
			}
			c = newCampaign(t, config, unreduced)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := c.Run(ctx)
				done <- err
			}()
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(time.Minute):
				t.Fatal("the campaign does not end: OnFinding and the campaign wait for each other")
			}
			if called < 3 || c.Paused() {
				t.Errorf("OnFinding was called %d times, paused %v at the end", called, c.Paused())
			}
		})
	}
}
