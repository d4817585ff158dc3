package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// leakChecksMost bounds the checks for a library that fills caches slowly.
const leakChecksMost = 64

// checkLeak runs a suspicious trace many times in one fresh process.
func (l *lane) checkLeak(ctx context.Context, t *trace.Trace, from source.Origin) error {
	finding, who := trial.HeapFinding(t), l.targets[0]
	key := finding.Key(l.c.target(who).Name)
	if !l.c.wantsLeakCheck(key) {
		return nil
	}
	growth, err := trial.HeapGrowth(ctx, l.c.target(who), l.c.config.Limits, t)
	if err != nil || growth == 0 {
		return err
	}
	finding.Observed = trial.ObservedLeak(growth)
	found := l.c.newFound(who, finding, key, t, from)
	if _, err := l.group.Session(l.c.target(who).Name).Run(ctx, found.Minimal, &found.Run); err != nil {
		return err
	}
	return l.reduce(ctx, found)
}

func (c *Campaign) wantsLeakCheck(key oracle.Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.byKey[key]; known != nil {
		known.Hits++
		return false
	}
	c.leakChecks++
	return c.leakChecks <= leakChecksMost
}
