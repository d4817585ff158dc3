package campaign

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// A scheduler says whose turn it is: which cell a worker serves next. What it
// says follows from its seed and from what it was told, and from nothing else.
//
// It is a bandit (Thompson sampling): the rate of new findings of a cell, each a
// second of work, has a gamma distribution around what was seen of late; a rate
// is drawn for each cell and the highest wins. So a cell that still finds gets
// most of the time, and one of which little is known gets a chance. A fair
// scheduler gives every cell the same time.
type scheduler struct {
	fair bool
	seed uint64
	turn uint64 // the next one
	arms []schedulerArm
}

const (
	// scheduleStream is the number of no trace.
	scheduleStream = 1<<64 - 1

	turnTime = 500 * time.Millisecond
	// firstTurn is short, and every cell has one before any has another: so short
	// runs, too, try everything.
	firstTurn = 50 * time.Millisecond
	// fading is the work of a cell after which what it found counts half.
	fading = time.Minute
	// everyCell: every so many turns go to the cell that had the least time. What
	// it would find cannot be known otherwise.
	everyCell = 8
	// Of a cell of which nothing is known: as if it had found something in the
	// first second.
	priorNews, priorSeconds = 1, 1
)

func newScheduler(cells int, seed uint64, fair bool) *scheduler {
	return &scheduler{fair: fair, seed: seed, arms: make([]schedulerArm, cells)}
}

// A schedulerArm is a cell with the turns that it was given.
type schedulerArm struct {
	store.Arm
	promised time.Duration // turns under way
}

// next returns the cell of the next turn among those that are ready, -1 when
// none is, and how long the turn is.
func (s *scheduler) next(ready func(cell int) bool) (int, time.Duration) {
	for i := range s.arms {
		if a := &s.arms[i]; a.Spent == 0 && a.promised == 0 && ready(i) {
			a.promised += turnTime
			return i, firstTurn
		}
	}
	best, highest := -1, 0.0
	draw := rand.New(rand.NewPCG(s.seed, s.turn))
	least := s.fair || s.turn%everyCell == 0
	for i := range s.arms {
		worth := 0.0
		if least {
			worth = -(s.arms[i].Spent + s.arms[i].promised).Seconds()
		} else {
			worth = s.arms[i].draw(draw)
		}
		if ready(i) && (best < 0 || worth > highest) {
			best, highest = i, worth
		}
	}
	if best >= 0 {
		s.turn++
		s.arms[best].promised += turnTime
	}
	return best, turnTime
}

// worked notes the end of a turn, and what it took.
func (s *scheduler) worked(cell int, took time.Duration) {
	a := &s.arms[cell]
	a.promised -= turnTime
	a.Spent += max(took, 1) // it had its first turn, whatever that took
	left := math.Exp2(-float64(took) / float64(fading))
	a.Recent, a.News = a.Recent*left+took.Seconds(), a.News*left
}

// found notes that a cell has shown something new.
func (s *scheduler) found(cell int) { s.arms[cell].News++ }

// draw returns a rate from the distribution of the cell's.
func (a *schedulerArm) draw(r *rand.Rand) float64 {
	return gamma(r, priorNews+a.News) / (priorSeconds + a.Recent + a.promised.Seconds())
}

// gamma draws from the gamma distribution of that shape, at least 1, and scale 1
// (Marsaglia and Tsang, 2000).
func gamma(r *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
