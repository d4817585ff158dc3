package campaign

import (
	"context"
	"fmt"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Held counts what a campaign keeps in memory beside its findings.
func (c *Campaign) held() map[string]int {
	held := map[string]int{"attempts": len(c.attempts), "failed": len(c.failed), "unconfirmed": len(c.unconfirmed),
		"first":    len(c.measures.Firsts),
		"reducing": len(c.reducing), "waiting": len(c.waiting.found), "hangs": len(c.hanging),
		"disputes": len(c.disputes.kept), "tallies": len(c.tallies), "hits": 0, "numbers": 0}
	for _, of := range c.hitLog.fresh {
		held["hits"] += len(of)
	}
	for _, of := range c.cells {
		held["numbers"] += len(of.numbers.Out) + len(of.numbers.Again) + len(of.numbers.Held) + len(of.numbers.Twice)
	}
	return held
}

// TestNothingGrows: what is kept does not depend on how many traces there were.
func TestNothingGrows(t *testing.T) {
	for _, target := range []string{"ref", "ref:defect=lost-watch"} {
		var before map[string]int
		for _, traces := range []uint64{2000, 12000} {
			config := testConfig(t, target, "ipasir")
			config.Traces, config.unreduced, config.Out, config.Workers = traces, true, t.TempDir(), 2
			c, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			now := c.held()
			for _, passing := range []string{"reducing", "waiting", "tallies", "hits", "numbers"} {
				if now[passing] != 0 {
					t.Errorf("%s, %d traces: %d of %s are kept", target, traces, now[passing], passing)
				}
			}
			if different := len(c.found) + len(c.unconfirmed); now["attempts"] > different || now["first"] > different {
				t.Errorf("%s, %d traces, %d failures: %v", target, traces, different, now)
			}
			if before != nil && target == "ref" && fmt.Sprint(now) != fmt.Sprint(before) {
				t.Errorf("%s: %v, with less traces %v", target, now, before)
			}
			before = now
		}
	}
}

// TestTooManyKinds: a target with ever new failures does not fill the memory.
func TestTooManyKinds(t *testing.T) {
	c, err := New(testConfig(t, "ref", "ipasir"))
	if err != nil {
		t.Fatal(err)
	}
	m := c.newMeasures()
	const kinds = mostKinds + 1000
	for i := range kinds {
		key := oracle.Key{Detail: fmt.Sprint("key ", i)}
		m.Firsts[key] = map[string]stats.First{"tiny/1": {Hits: 1}}
		if wanted := c.wants(key); wanted != (i < mostKinds) {
			t.Fatalf("failure %d is wanted: %v", i, wanted)
		}
		c.unconfirm(store.Unconfirmed{Key: key, Finding: oracle.Finding{Class: oracle.NotOptimal}})
	}
	c.measures.Add(m)
	for what, n := range c.held() {
		if n > mostKinds {
			t.Errorf("%d of %s are kept", n, what)
		}
	}
	if c.beyond < 1000 || len(c.unconfirmed) != mostUnconfirmed {
		t.Errorf("%d are counted beyond, %d unconfirmed are kept", c.beyond, len(c.unconfirmed))
	}
	if !c.wants(oracle.Key{Detail: "key 0"}) {
		t.Error("one that is known is not wanted any more")
	}
}
