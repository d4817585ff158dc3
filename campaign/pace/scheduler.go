package pace

import (
	"math"
	"math/rand/v2"
	"time"
)

// A Scheduler chooses the cell that a worker serves next. Its choices depend only on its seed and on the
// turns and findings that it is told about.
//
// It is a bandit (Thompson sampling). The findings of a cell per second of work have a gamma distribution
// around the recent rate; the scheduler draws a rate for each cell, and the highest wins. So a cell that
// still has findings gets most of the time, and a cell with little work so far gets a chance. A fair
// scheduler gives every cell the same time.
type Scheduler struct {
	Fair bool
	Turn uint64 // the number of the next turn
	Arms []Arm
	seed uint64
}

const (
	// turnTime is the length of all turns of a cell but its first.
	turnTime = 500 * time.Millisecond
	// firstTurn is short. Every cell has its first turn before any cell has a second, so that short
	// campaigns try all cells, too.
	firstTurn = 50 * time.Millisecond
	// fading is the work on a cell after which its earlier findings count half.
	fading = time.Minute
	// everyCell is the stride of the turns that go to the cell with the least time, whose findings would
	// otherwise stay unknown.
	everyCell = 8
	// The prior rate of a cell: one finding in its first second.
	priorNews, priorSeconds = 1, 1
)

// NewScheduler returns a scheduler that has not given any turn.
func NewScheduler(cells int, seed uint64, fair bool) *Scheduler {
	return &Scheduler{Fair: fair, seed: seed, Arms: make([]Arm, cells)}
}

// An Arm is what the scheduler knows about a cell.
type Arm struct {
	Spent  time.Duration `json:"spent_ns"` // in total
	Recent float64       `json:"recent"`   // seconds spent, recent ones counting more
	News   float64       `json:"news"`     // findings, recent ones counting more

	promised time.Duration // of turns in progress
}

// Next returns the cell of the next turn and the length of the turn. The cell is -1 if
// none is ready.
func (s *Scheduler) Next(ready func(cell int) bool) (int, time.Duration) {
	for i := range s.Arms {
		if a := &s.Arms[i]; a.Spent == 0 && a.promised == 0 && ready(i) {
			a.promised += turnTime
			return i, firstTurn
		}
	}
	best, highest := -1, 0.0
	draw := rand.New(rand.NewPCG(s.seed, s.Turn))
	least := s.Fair || s.Turn%everyCell == 0
	for i := range s.Arms {
		worth := 0.0
		if least {
			worth = -(s.Arms[i].Spent + s.Arms[i].promised).Seconds()
		} else {
			worth = s.Arms[i].draw(draw)
		}
		if ready(i) && (best < 0 || worth > highest) {
			best, highest = i, worth
		}
	}
	if best >= 0 {
		s.Turn++
		s.Arms[best].promised += turnTime
	}
	return best, turnTime
}

// Worked records the end of a turn and its length.
func (s *Scheduler) Worked(cell int, took time.Duration) {
	a := &s.Arms[cell]
	a.promised -= turnTime
	a.Spent += max(took, 1) // 0 would mark a cell without a first turn
	left := math.Exp2(-float64(took) / float64(fading))
	a.Recent, a.News = a.Recent*left+took.Seconds(), a.News*left
}

// Found records a new finding of a cell.
func (s *Scheduler) Found(cell int) { s.Arms[cell].News++ }

// draw draws a rate from the distribution of the cell.
func (a *Arm) draw(r *rand.Rand) float64 {
	return gamma(r, priorNews+a.News) / (priorSeconds + a.Recent + a.promised.Seconds())
}

// gamma draws from the gamma distribution with that shape, which is at least 1, and scale 1 (Marsaglia and
// Tsang, 2000).
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
