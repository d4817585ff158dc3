package campaign

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// held counts what a campaign keeps in memory in addition to its findings.
func (c *Campaign) held() map[string]int {
	var saved store.State
	c.registry.Save(&saved)
	held := map[string]int{"hits": len(c.registry.TakeHits()), "unconfirmed": len(saved.Unconfirmed),
		"keys": reflect.ValueOf(c.registry).Elem().FieldByName("entries").Len()} // no method returns this number
	for _, f := range c.registry.Watch() {
		if f.Status < store.Finished {
			held["reserved"]++
		}
	}
	held["following"], held["waiting"] = c.pacer.Waits()
	held["first"], held["disputes"] = len(c.book.Totals().Measures.Firsts), len(c.followUps.Disputes().Kept)
	held["tallies"] = reflect.ValueOf(c.book).Elem().FieldByName("accounts").Len()
	held["numbers"] = 0
	for _, of := range c.book.Cells {
		held["numbers"] += len(of.Numbers.Out) + len(of.Numbers.Again) + len(of.Numbers.Held) + len(of.Numbers.Twice)
	}
	return held
}

// TestNothingGrows checks that memory does not grow with the number of traces.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"ref", "ref:defect=lost-watch"} {
		var before map[string]int
		for _, traces := range []uint64{2000, 12000} {
			config := testConfig(t, target, "ipasir")
			config.Traces, config.Out, config.Workers = traces, t.TempDir(), 2
			c := newCampaign(t, config, unreduced)
			if _, err := c.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			now := c.held()
			for _, passing := range []string{"reserved", "following", "waiting", "tallies", "hits", "numbers"} {
				if now[passing] != 0 {
					t.Errorf("%s, %d traces: %d of %s are kept", target, traces, now[passing], passing)
				}
			}
			found, unconfirmed := c.registry.Counts()
			if now["keys"] > found+unconfirmed || now["first"] > found+unconfirmed {
				t.Errorf("%s, %d traces, %d failures: %v", target, traces, found+unconfirmed, now)
			}
			if before != nil && target == "ref" && fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("%s: %v, with less traces %v", target, now, before)
			}
			before = now
		}
	}
}
