package campaign

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/trace"
)

// checkLeak runs a suspicious trace many times in one fresh process.
func (l *lane) checkLeak(ctx context.Context, t *trace.Trace, from source.Origin) error {
	finding, who := trial.HeapFinding(t), l.targets[0]
	key := finding.Key(l.c.target(who).Name)
	if !l.c.registry.WantsLeakCheck(key) {
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
