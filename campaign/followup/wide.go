package followup

import (
	"context"
	"sync"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A width is what a campaign knows about the tables of a target: whether they grow with the largest
// variable of a trace instead of with the number of variables.
type width struct {
	mu       sync.Mutex
	measured bool
	bytes    float64 // for each variable up to the largest; 0: no tables that can be measured grow with it
	reserved float64 // address space for each, of which the target uses little
	noted    bool    // a trace failed because of it, which is no failure
	died     bool    // the target died in a trace, perhaps because it got no more address space
}

const (
	// wide is the least "largest variable" of a trace that may fail only because of tables.
	wide = 1 << 16
	// vast is one from which on even tables of a few bytes for each variable take gigabytes.
	vast = 1 << 28
)

// isTooWide reports whether a trace failed only because the tables of the target grow with the largest
// variable. That is so if the trace does not fail with its variables numbered from 1, and if the tables
// take long to fill or, for a crash or too much memory, take more than half of the memory limit. Such a
// failure is not reduced; the summary reports it once per target.
//
// Unwritten tables, and those of programs that end at once, cannot be measured. If a target dies of a vast variable
// and says that it got no memory, we believe its message. One that dies otherwise, since it does
// not check whether it got address space for a table, has a fault; the summary tells of the table, too.
func (f *follower) isTooWide(ctx context.Context, x *failure) (bool, error) {
	found := x.found
	crash := found.Class[0] == '1' || found.Class == oracle.TooMuchMemory
	if found.Made.Largest < wide || !crash && !found.IsTimeLimit() {
		return false, nil
	}
	dense := cause.Named("variable-gap").Versions(found.Original)
	if len(dense) == 0 {
		return false, nil
	}
	var run trace.Run
	findings, err := f.newHang(x).Run(ctx, dense[0].Trace, f.newHang(x).Shorter(), &run)
	if err != nil || trial.WithKey(findings, found.Target, found.Key) >= 0 {
		return false, err
	}
	w := &f.u.widths[f.u.Number(found.Target)]
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.measured {
		target := f.group.Session(found.Target).Target
		if w.bytes, w.reserved, err = trial.TableBytes(ctx, target, f.u.Limits); err != nil {
			return false, err
		}
		w.measured = true
	}
	const slow = 32 << 20 // bytes that take a while to fill
	least := float64(slow)
	if crash {
		least = float64(f.u.Limits.Memory) / 2
	}
	switch {
	case w.bytes > 0 && w.bytes*float64(found.Made.Largest) >= least:
		f.costs.TooWide(float64(f.u.Limits.Memory) / w.bytes)
	case found.Made.Largest >= vast && x.run.Starved:
		f.costs.TooWide(vast)
	default:
		w.died = w.died || crash && w.reserved*float64(found.Made.Largest) >= float64(f.u.Limits.Memory)
		return false, nil
	}
	w.noted = true
	return true, nil
}

// Tables returns the targets whose tables made traces fail, with the bytes for each variable, 0 if they
// cannot be measured. reserved has those that died in traces for which they reserve much address space.
func (u *FollowUps) Tables() (taken, reserved map[string]float64) {
	taken, reserved = make(map[string]float64), make(map[string]float64)
	for target := range u.widths {
		w := &u.widths[target]
		w.mu.Lock()
		name := u.All[target].Name
		if w.noted {
			taken[name] = w.bytes
		}
		if w.died {
			reserved[name] = w.reserved
		}
		w.mu.Unlock()
	}
	return taken, reserved
}
