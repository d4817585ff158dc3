package pace

import (
	"math"

	"golang.org/x/sys/unix"
)

// places are numbers of jobs that have begun. Slow ones have places of their own: their trials take turns, so
// others must not wait for all of them. Of the slow ones, some may last minutes; of the quick ones, some began as
// reductions.
type places struct{ slow, lasting, quick, reducing int }

// A place is what a job takes. It stays as it is if the stage of the job changes.
type place struct{ isSlow, lasts, reduces bool }

func placeOf(j *Job) place {
	return place{isSlow: j.Slow, lasts: j.AtLimit || j.Stage == Reducing, reduces: j.Stage == Reducing}
}

func (p *places) add(one place, by int) {
	if one.isSlow {
		p.slow += by
		if one.lasts {
			p.lasting += by
		}
		return
	}
	p.quick += by
	if one.reduces {
		p.reducing += by
	}
}

// hasRoom reports whether the place is free if p of all places are taken.
func (p *places) hasRoom(wanted place, all *places) bool {
	if wanted.isSlow {
		return p.slow < all.slow && (!wanted.lasts || p.lasting < all.lasting)
	}
	return p.quick < all.quick && (!wanted.reduces || p.reducing < all.reducing)
}

const (
	forSlow = 4
	// forEnding is the number of slow places for neither hangs nor reductions: a new crash whose run takes a tenth of
	// a second must not wait until hangs are reduced.
	forEnding = 1
	// forConfirming is the number of quick places that only confirmations may take. A reduction may take a minute;
	// a new failure must not wait for it.
	forConfirming = 2
)

// placesFor divides the places of a campaign with that many workers, at most affordable ones.
func placesFor(workers, affordable int) places {
	all := min(4+2*workers+forSlow, affordable)
	slow := max(1, min(forSlow, 2*all/5))
	quick := max(1, all-slow)
	return places{slow: slow, lasting: max(1, slow-forEnding), quick: quick, reducing: max(1, quick-forConfirming)}
}

// affordable returns the number of follow-ups for which file descriptors remain beside the workers' lanes.
// Its constants are about twice the measured numbers.
func affordable(workers int) int {
	const ours, ofLane, ofFollowUp = 24, 24, 12 // a lane with its side lanes
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return math.MaxInt
	}
	left := int(min(limit.Cur, math.MaxInt32)) - ours - ofLane*workers
	return max(1, left/ofFollowUp)
}

// mostWaiting bounds the jobs that wait for a place. Each may hold the numbers of the thousands of traces that
// ran before its own.
const mostWaiting = 256

// Waits returns how many jobs have begun and how many wait for a place.
func (p *Pacer) Waits() (begun, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken.slow + p.taken.quick, len(p.queued)
}

// HasCapacity reports whether another job may wait for a place.
func (p *Pacer) HasCapacity() bool {
	_, waiting := p.Waits()
	return waiting < mostWaiting
}
