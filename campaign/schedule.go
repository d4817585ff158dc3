package campaign

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// A scheduler chooses the cell that a worker serves next. Its choices depend only on its
// seed and on the turns and findings that it was told of.
//
// It is a bandit (Thompson sampling). The findings of a cell per second of work have a
// gamma distribution around the recent rate; the scheduler draws a rate for each cell, and
// the highest wins. So a cell that still has findings gets most of the time, and a cell
// with little work so far gets a chance. A fair scheduler gives every cell the same time.
type scheduler struct {
	fair bool
	seed uint64
	turn uint64 // the number of the next turn
	arms []schedulerArm
}

const (
	// scheduleStream is a number that no trace has.
	scheduleStream = 1<<64 - 1

	turnTime = 500 * time.Millisecond
	// firstTurn is short. Every cell has its first turn before any has a second, so that
	// short campaigns try all cells, too.
	firstTurn = 50 * time.Millisecond
	// fading is the work on a cell after which its findings count half.
	fading = time.Minute
	// everyCell is the stride of the turns that go to the cell with the least time.
	// Otherwise the findings of that cell would stay unknown.
	everyCell = 8
	// The prior rate of a cell: one finding in its first second.
	priorNews, priorSeconds = 1, 1
)

func newScheduler(cells int, seed uint64, fair bool) *scheduler {
	return &scheduler{fair: fair, seed: seed, arms: make([]schedulerArm, cells)}
}

// A schedulerArm is a cell with its turns.
type schedulerArm struct {
	store.Arm
	promised time.Duration // of turns in progress
}

// next returns the cell of the next turn and the length of the turn. The cell is -1 if
// none is ready.
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

// worked notes the end of a turn and its length.
func (s *scheduler) worked(cell int, took time.Duration) {
	a := &s.arms[cell]
	a.promised -= turnTime
	a.Spent += max(took, 1) // not 0, which marks a cell without a first turn
	left := math.Exp2(-float64(took) / float64(fading))
	a.Recent, a.News = a.Recent*left+took.Seconds(), a.News*left
}

// found notes a new finding of a cell.
func (s *scheduler) found(cell int) { s.arms[cell].News++ }

// draw draws a rate from the distribution of the cell.
func (a *schedulerArm) draw(r *rand.Rand) float64 {
	return gamma(r, priorNews+a.News) / (priorSeconds + a.Recent + a.promised.Seconds())
}

// gamma draws from the gamma distribution of the shape, which is at least 1, and scale 1
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
