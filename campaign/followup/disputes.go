package followup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suspect"
	"github.com/ipafuzz/ipafuzz/oracle"
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

// settle runs a trace on which targets disagree again, with queries for models that prove which target is
// right. It counts and keeps the disputes that remain. Among three or more targets, those in the minority
// get findings, which say that only a vote supports them.
func (f *follower) settle(ctx context.Context, s *suspect.Suspect) (*task, error) {
	asked := compare.Ask(s.Trace, s.Disputes)
	compared := compare.Result{Disputes: s.Disputes}
	if f.u.disputes.maySettle() {
		var err error
		if compared, err = f.group.Compare(ctx, asked); err != nil {
			return nil, err
		}
		for member, target := range f.targets {
			for _, finding := range slices.Clone(compared.Findings[member]) {
				if err := f.confirmSettled(ctx, target, finding, asked, s); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, d := range compared.Disputes {
		if !d.Outvoted {
			if err := f.u.disagree(f.disagreement(d, s.From), s.From, asked); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// confirmSettled confirms a failure that a comparison with more queries showed.
func (f *follower) confirmSettled(
	ctx context.Context, target int, finding oracle.Finding, asked *trace.Trace, s *suspect.Suspect,
) error {
	name := f.u.All[target].Name
	key := finding.Key(name)
	f.u.Registry.NoteHits([]registry.Hit{{Key: key, From: s.From}})
	if !f.u.Registry.Wants(key, !finding.Voted) {
		return nil
	}
	defer f.u.Registry.Settled(key, !finding.Voted)
	x := &failure{found: store.New(ctx, name, finding, asked, s.From)}
	x.found.Made = s.Made
	next, err := f.confirm(ctx, x)
	if next != nil {
		f.u.add(next)
	}
	return err
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
	out := store.Disagreement{Target: f.u.All[f.targets[0]].Name, Number: from.Number, Seed: from.Seed(), Call: d.Call,
		About: d.About}
	for member, says := range d.Says {
		if says != "" {
			out.Says = append(out.Says, f.u.All[f.targets[member]].Name+": "+says)
		}
	}
	return out
}

// disagree counts a disagreement and stores it if it is one of the first.
func (u *FollowUps) disagree(d store.Disagreement, from source.Origin, t *trace.Trace) error {
	if !u.disputes.count() {
		return nil
	}
	var err error
	if u.Store != nil {
		kept := t.Clone()
		kept.Notes = append(kept.Notes, fmt.Sprintf("targets disagree about the %s of the solve in call %d: %s",
			d.About, d.Call+1, strings.Join(d.Says, "; ")))
		d.Dir, err = u.Store.PutDispute(fmt.Sprintf("%strace-%d-call-%d", u.prefix(from.Stream), d.Number, d.Call+1), kept)
	}
	u.disputes.keep(d)
	return err
}

// prefix returns a file name prefix that tells the cells apart.
func (u *FollowUps) prefix(of *source.Stream) string {
	if len(u.Book.Cells) == 1 {
		return ""
	}
	return fmt.Sprintf("cell-%d-", of.Index+1)
}

// Disputes returns the disagreements so far.
func (u *FollowUps) Disputes() store.DisputeState { return u.disputes.now() }

// LoadDisputes continues with the disagreements of an earlier part of the campaign.
func (u *FollowUps) LoadDisputes(s store.DisputeState) { u.disputes.load(s) }
