// Package limit decides how long runs may take: in the search, while a hang is confirmed, and in reductions. Each
// limit is a multiple of what the target usually needs, between two bounds.
package limit

import (
	"time"
)

// The search waits for a trace for as long as the limit. Then it sets the trace aside: it runs again, to its end,
// beside the search. So the limit is a high multiple of what the kind of the trace usually needs, between leastCalm
// and mostCalm, or tenfold the usual time if that is more. A trace of an expensive kind may take threefold the time
// of its kind, up to mostCostly.
//
// Once the target is known to hang, or if more than hurriedShare of the time goes to traces that are set aside, the
// limit is lower. The more time they take, the lower it gets, down to tenfold the usual time.
const (
	calm       = 1000
	leastCalm  = 200 * time.Millisecond
	mostCalm   = 500 * time.Millisecond
	mostCostly = 1500 * time.Millisecond
	threefold  = 3
	tenfold    = 10

	hurriedShare = 0.1
	hurried      = 33
	leastHurried = 5 * time.Millisecond
	leastHanging = 2 * time.Millisecond // of a target that is known to hang

	unknown = 500 * time.Millisecond // before enough traces have run
)

// Search returns the processor time after which the search sets a trace aside. hangs reports whether the target hangs
// in some traces.
func Search(n Needs, hangs bool) time.Duration {
	if n.Basis < Traces || !hangs && n.Lost <= hurriedShare {
		return Calm(n)
	}
	least := leastHurried
	if hangs {
		least = leastHanging
	}
	times := max(hurried/max(n.Lost/hurriedShare, 1), tenfold)
	most := min(leastOf(n), max(mostCalm, tenfold*n.All))
	return max(least, min(multiple(times, n.Kind), most))
}

// Calm returns what Search would return if the search lost no time to traces that are set aside. A trace that runs
// for several times as long may hang. The limit doubles each time when one that was set aside ended after all.
func Calm(n Needs) time.Duration {
	if n.Basis < Traces {
		return max(leastOf(n), unknown, tenfold*n.Usual)
	}
	return min(leastOf(n)<<n.Patience, mostOf(n))
}

func leastOf(n Needs) time.Duration {
	return max(leastCalm, min(multiple(calm, n.Kind), mostOf(n)))
}

func mostOf(n Needs) time.Duration {
	return max(mostCalm, tenfold*n.All, min(threefold*n.Kind, mostCostly))
}

func multiple(times float64, usual time.Duration) time.Duration {
	return time.Duration(times * float64(usual))
}
