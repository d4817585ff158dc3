package dd

import (
	"context"
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Failures that depend on chance (threads, addresses, time) show only in some runs, so a
// verdict needs several runs.
const (
	// always is the rate at which a failure counts as certain.
	always = 0.999
	// A candidate counts as not failing if its rate is the original's divided by rare: a
	// reduction must not trade a failure for a rarer one.
	rare = 3
	// mistake is the probability of a wrong verdict, either way.
	mistake = 0.05
	// longest times as many runs as the original needs to fail once are the most for one
	// candidate.
	longest = 12
)

// Repeated returns a tester for a failure that shows in the given share of the
// runs. It runs a candidate until the runs clearly indicate the original's rate or
// one three times lower (Wald's sequential test). Clear cases take few runs, and a
// certain failure takes one.
func Repeated(t Tester, rate float64) Tester {
	if rate >= always {
		return t
	}
	return &repeated{t, rate}
}

type repeated struct {
	tester Tester
	rate   float64
}

// Test implements Tester.
func (r *repeated) Test(ctx context.Context, worker int, candidate *trace.Trace) (Verdict, error) {
	high, low := r.rate, r.rate/rare
	fails, passes := math.Log(high/low), math.Log((1-high)/(1-low))
	enough := math.Log((1 - mistake) / mistake)
	most := int(longest / r.rate)
	all := Verdict{Call: -1}
	for evidence, runs := 0.0, 0; ; {
		v, err := r.tester.Test(ctx, worker, candidate)
		if err != nil {
			return Verdict{}, err
		}
		all.Others = append(all.Others, v.Others...)
		if v.Same {
			evidence += fails
			all.Call, all.Shift = v.Call, v.Shift
		} else {
			evidence += passes
		}
		runs++
		switch {
		case evidence >= enough, runs >= most && evidence > 0:
			all.Same = true
			return all, nil
		case evidence <= -enough, runs >= most:
			return all, nil
		}
	}
}
