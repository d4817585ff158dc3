package pace

import (
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/testseed"
)

func anyCell(int) bool { return true }

// play gives turns to cells that have a finding after every so many seconds of work (0: never). It returns
// how long each cell worked.
func play(s *Scheduler, turns int, every ...float64) []time.Duration {
	due := make([]float64, len(every))
	for range turns {
		i, length := s.Next(anyCell)
		s.Worked(i, length)
		if due[i] += length.Seconds(); every[i] > 0 && due[i] >= every[i] {
			due[i] -= every[i]
			s.Found(i)
		}
	}
	worked := make([]time.Duration, len(every))
	for i := range worked {
		worked[i] = s.Arms[i].Spent
	}
	return worked
}

// TestScheduleFollowsFindings checks that cells that still have findings get most of the
// time, and that no cell starves.
func TestScheduleFollowsFindings(t *testing.T) {
	t.Parallel()
	s := NewScheduler(4, testseed.Of(t, 1), false)
	worked := play(s, 4000, 0, 5, 0, 0)
	if worked[1] < 1000*time.Second {
		t.Errorf("seed %d: a cell that finds something every 5 s had %v of 2000 s", testseed.Of(t, 1), worked[1])
	}
	for i := range worked {
		if worked[i] < 30*time.Second {
			t.Errorf("seed %d: cell %d had %v of 2000 s", testseed.Of(t, 1), i, worked[i])
		}
	}
	// From now on that cell has no findings, and another cell has some.
	before := s.Arms[2].Spent
	worked = play(s, 8000, 0, 0, 5, 0)
	if worked[2]-before < 1500*time.Second {
		t.Errorf("seed %d: the one that finds since had %v of 4000 s", testseed.Of(t, 1), worked[2]-before)
	}
}

func TestFairSchedule(t *testing.T) {
	s := NewScheduler(3, testseed.Of(t, 1), true)
	for i, worked := range play(s, 300, 0, 1, 0) {
		if worked != firstTurn+99*turnTime {
			t.Errorf("cell %d had %v of 150 s", i, worked)
		}
	}
}

// TestScheduleBeginsWithAll checks that every cell has a short turn before any has another.
func TestScheduleBeginsWithAll(t *testing.T) {
	t.Parallel()
	s := NewScheduler(7, testseed.Of(t, 1), false)
	for want := range 7 {
		i, length := s.Next(anyCell)
		if i != want || length != firstTurn {
			t.Fatalf("turn %d is cell %d's, for %v", want, i, length)
		}
		s.Worked(i, 0) // it may take no time at all
		s.Found(i)
	}
	if _, length := s.Next(anyCell); length != turnTime {
		t.Errorf("the turn behind them is %v long", length)
	}
}

// TestScheduleIsAFunction checks that the seed and the findings determine the turns, and
// that a resumed schedule continues them.
func TestScheduleIsAFunction(t *testing.T) {
	turns := func(s *Scheduler, n int) (all []int) {
		for range n {
			i, _ := s.Next(anyCell)
			s.Worked(i, time.Duration(i+1)*100*time.Millisecond)
			if i == 2 {
				s.Found(i)
			}
			all = append(all, i)
		}
		return all
	}
	whole := turns(NewScheduler(5, 7, false), 200)
	first := NewScheduler(5, 7, false)
	parts := turns(first, 90)
	second := NewScheduler(5, 7, false)
	second.Turn = first.Turn
	copy(second.Arms, first.Arms)
	parts = append(parts, turns(second, 110)...)
	for i := range whole {
		if whole[i] != parts[i] {
			t.Fatalf("turn %d is cell %d's, and %d's after a stop", i, whole[i], parts[i])
		}
	}
}

// TestScheduleSkipsWhatIsDone checks that cells without traces left get no turns.
func TestScheduleSkipsWhatIsDone(t *testing.T) {
	s := NewScheduler(3, 1, false)
	for range 50 {
		if i, _ := s.Next(func(i int) bool { return i == 1 }); i != 1 {
			t.Fatalf("cell %d got a turn", i)
		}
	}
	if i, _ := s.Next(func(int) bool { return false }); i != -1 {
		t.Fatalf("cell %d got a turn", i)
	}
	// Workers that ask at the same time get different cells.
	s = NewScheduler(3, 1, true)
	a, _ := s.Next(anyCell)
	b, _ := s.Next(anyCell)
	c, _ := s.Next(anyCell)
	if a == b || b == c || a == c {
		t.Errorf("three workers got the cells %d, %d, %d", a, b, c)
	}
}
