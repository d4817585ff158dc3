package native

import (
	"math/bits"
	"time"
)

// A lifetime decides how long a process runs traces. Some failures depend on the random
// addresses of a process, so finding them takes many processes; others show only in a process
// that has run many traces. So lifetimes follow the sequence of Luby, Sinclair and Zuckerman:
// 1, 1, 2, 1, 1, 2, 4, 1, ... times shortest. In the long run, the processes of each length
// together get the same time.
type lifetime struct {
	number uint // of lifetimes that are over
	ends   time.Time
}

const (
	shortest = 5 * time.Second
	// A lifetime takes at least starts times as long as the start of the process, or as its first trace.
	starts = 100
)

// begins begins a lifetime of a process whose start took that long.
func (l *lifetime) begins(took time.Duration) { l.lasts(max(shortest, starts*took)) }

// warmed continues a lifetime after the first trace, which took that long: a target may fill its tables then.
func (l *lifetime) warmed(took time.Duration) {
	if starts*took > shortest {
		l.lasts(starts * took)
	}
}

func (l *lifetime) lasts(least time.Duration) {
	l.ends = time.Now().Add(time.Duration(luby(l.number+1)) * least)
}

// isOver reports whether the process has run for its lifetime. If so, isOver moves on to the
// next lifetime.
func (l *lifetime) isOver() bool {
	over := !time.Now().Before(l.ends)
	if over {
		l.number++
	}
	return over
}

// luby returns number n of the sequence, counted from 1.
func luby(n uint) uint {
	for {
		length := bits.Len(n)
		if n == 1<<length-1 {
			return 1 << (length - 1)
		}
		n -= 1<<(length-1) - 1
	}
}
