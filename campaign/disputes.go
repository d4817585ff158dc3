package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle/compare"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	disputesKept = 32
	// disputesSettled bounds the traces that are run again with more questions:
	// two targets may disagree all the time.
	disputesSettled = 2048
)

type disputes struct {
	mu      sync.Mutex
	kept    []store.Disagreement
	all     uint64
	settled int
}

// settle runs a trace again in which targets disagree, and asks for the models
// that prove who is right. What is still disputed then is counted and kept; a
// majority among three or more targets makes findings of it, which say that they
// are not proven.
func (l *lane) settle(ctx context.Context, t *trace.Trace, open []compare.Dispute, from source.Origin) error {
	asked := compare.Ask(t, open)
	compared := compare.Result{Disputes: open}
	if l.c.disputes.maySettle() {
		var err error
		if compared, err = l.group.Compare(ctx, asked); err != nil {
			return err
		}
		for place, who := range l.targets {
			for _, f := range compared.Findings[place] {
				if err := l.found(ctx, who, asked, f, from, 0); err != nil {
					return err
				}
			}
		}
	}
	for _, d := range compared.Disputes {
		if !d.Outvoted {
			if err := l.c.disagree(l.disagreement(d, from), from, asked); err != nil {
				return err
			}
		}
	}
	return nil
}

// maySettle reports whether another trace may be run again with more questions.
func (d *disputes) maySettle() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled++
	return d.settled <= disputesSettled
}

// count counts a disagreement and reports whether it is to be kept.
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

func (l *lane) disagreement(d compare.Dispute, from source.Origin) store.Disagreement {
	out := store.Disagreement{Target: l.c.target(l.targets[0]).Name, Number: from.Number, Seed: from.Seed(), Call: d.Call,
		About: d.About}
	for place, says := range d.Says {
		if says != "" {
			out.Says = append(out.Says, l.c.target(l.targets[place]).Name+": "+says)
		}
	}
	return out
}

// disagree counts a disagreement and keeps one of the first.
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

// prefix tells the files of several cells apart.
func (c *Campaign) prefix(of *source.Stream) string {
	if len(c.book.cells) == 1 {
		return ""
	}
	return fmt.Sprintf("cell-%d-", of.Index+1)
}
