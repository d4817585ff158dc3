package dd

import (
	"context"
	"math"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Failures that depend on chance (threads, addresses, time) show in some runs only.
// A single run is then not a verdict.
const (
	// always is the rate at which a failure counts as certain.
	always = 0.999
	// rare is the share of the original's rate at which a candidate no longer
	// counts: a failure must not be traded for a rarer one.
	rare = 3
	// mistake is the probability of a wrong verdict, either way.
	mistake = 0.05
	// longest bounds the runs of one candidate, as a multiple of those that the
	// original needs to fail once.
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
