package followup

import (
	"context"

	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// reproduceFixed makes a failure repeatable that recurs too rarely for a finding, or not at all in a process of its
// own: it looks for surroundings in which the trace alone always fails. Uninitialised memory, for example, is mostly
// zero in a new process, and always something else with --fixed memory. why says so if there are none.
func (f *follower) reproduceFixed(
	ctx context.Context, x *failure, rate trial.Rate,
) (same *oracle.Finding, why string, err error) {
	found := x.found
	if rate.Failed > 0 {
		why = tooRare(rate)
	}
	target := f.u.Number(found.Target)
	r, err := shrink.MakeRepeatable(ctx, f.u.All[target].Target, f.u.All[target].Description,
		f.group.Session(found.Target).Limits(), trial.Wanted{Key: found.Key}, found.Original)
	if err != nil || r.Fixed == 0 {
		return nil, why, err
	}
	found.Minimal, found.History, found.Parts = found.Original, 0, nil
	found.Fixed, found.Rate, found.Run = r.Fixed, r.Rate, r.Run
	return &r.Finding, "", nil
}
