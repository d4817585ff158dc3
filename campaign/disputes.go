package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/cost"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	disputesKept = 32
	// disputesSettled bounds the traces that run again with more queries: two targets may disagree all the
	// time.
	disputesSettled = 2048
)

// disputes holds the disagreements between targets that no check settles.
type disputes struct {
	mu      sync.Mutex
	kept    []store.Disagreement
	all     uint64
	settled int
}

// settleLater adds a follow-up that looks for a proof of which target is right.
func (l *lane) settleLater(t *trace.Trace, open []compare.Dispute, from source.Origin) {
	copied, kind := t.Clone(), l.kind
	l.c.followUps.add(&followUp{Job: pace.Job{Stage: pace.Confirming, Cost: time.Millisecond}, target: l.targets[0],
		from: from,
		do:   func(ctx context.Context, f *follower) error { return f.settle(ctx, copied, open, from, kind) }})
}

// settle runs a trace on which targets disagree again, with queries for models that prove which target is
// right. It counts and keeps the disputes that remain. Among three or more targets, those in the minority
// get findings, which say that only a vote supports them.
func (f *follower) settle(
	ctx context.Context, t *trace.Trace, open []compare.Dispute, from source.Origin, kind cost.Kind,
) error {
	asked := compare.Ask(t, open)
	compared := compare.Result{Disputes: open}
	if f.c.disputes.maySettle() {
		var err error
		if compared, err = f.group.Compare(ctx, asked); err != nil {
			return err
		}
		for member, target := range f.targets {
			for _, finding := range slices.Clone(compared.Findings[member]) {
				key := finding.Key(f.c.target(target).Name)
				f.c.registry.NoteHits([]registry.Hit{{Key: key, From: from}})
				if !f.c.registry.Wants(key, !finding.Voted) {
					continue
				}
				x := &failure{found: f.c.newFound(target, finding, key, asked, from), kind: kind}
				err := f.confirm(ctx, x)
				f.c.registry.Settled(key, !finding.Voted)
				if err != nil {
					return err
				}
			}
		}
	}
	for _, d := range compared.Disputes {
		if !d.Outvoted {
			if err := f.c.disagree(f.disagreement(d, from), from, asked); err != nil {
				return err
			}
		}
	}
	return nil
}

// maySettle reports whether another trace may run again with more queries.
func (d *disputes) maySettle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled++
	return d.settled <= disputesSettled
}

// count counts a disagreement and reports whether to keep it.
func (d *disputes) count() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all++
	return len(d.kept) < disputesKept
}

func (d *disputes) keep(one store.Disagreement) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.kept) < disputesKept {
		d.kept = append(d.kept, one)
	}
}

// now returns the disputes so far.
func (d *disputes) now() store.DisputeState {
	d.mu.Lock()
	defer d.mu.Unlock()
	return store.DisputeState{Kept: slices.Clone(d.kept), All: d.all, Settled: d.settled}
}

func (d *disputes) load(s store.DisputeState) { d.kept, d.all, d.settled = s.Kept, s.All, s.Settled }

func (f *follower) disagreement(d compare.Dispute, from source.Origin) store.Disagreement {
	out := store.Disagreement{Target: f.c.target(f.targets[0]).Name, Number: from.Number, Seed: from.Seed(), Call: d.Call,
		About: d.About}
	for member, says := range d.Says {
		if says != "" {
			out.Says = append(out.Says, f.c.target(f.targets[member]).Name+": "+says)
		}
	}
	return out
}

// disagree counts a disagreement and stores it if it is one of the first.
func (c *Campaign) disagree(d store.Disagreement, from source.Origin, t *trace.Trace) error {
	if !c.disputes.count() {
		return nil
	}
	var err error
	if c.store != nil {
		kept := t.Clone()
		kept.Notes = append(kept.Notes, fmt.Sprintf("targets disagree about the %s of the solve in call %d: %s",
			d.About, d.Call+1, strings.Join(d.Says, "; ")))
		d.Dir, err = c.store.PutDispute(fmt.Sprintf("%strace-%d-call-%d", c.prefix(from.Stream), d.Number, d.Call+1), kept)
	}
	c.disputes.keep(d)
	return err
}

// prefix returns a file name prefix that tells the cells apart.
func (c *Campaign) prefix(of *source.Stream) string {
	if len(c.book.Cells) == 1 {
		return ""
	}
	return fmt.Sprintf("cell-%d-", of.Index+1)
}
