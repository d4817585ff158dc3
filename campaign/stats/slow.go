package stats

import (
	"fmt"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// slowSolve is the mean time of a solve that is worth a line: a trace has several, and a second is long for each.
const slowSolve = 500 * time.Millisecond

// MeanSolve returns the mean time of solves that ended if that is long, or 0.
func (s *Stats) MeanSolve() time.Duration {
	if s.Solves == 0 || s.SolveTime/time.Duration(s.Solves) < slowSolve {
		return 0
	}
	return s.SolveTime / time.Duration(s.Solves)
}

// SlowSolves returns a line for each target whose solves take so long that most of its traces did not end.
func (s *Stats) SlowSolves() (lines []string) {
	targets := make(map[string]*Stats)
	var order []string
	for i := range s.Cells {
		name := s.Cells[i].Target
		if targets[name] == nil {
			targets[name] = new(Stats)
			order = append(order, name)
		}
		targets[name].AddCell(s.Cells[i])
	}
	for _, name := range order {
		of := targets[name]
		const more = "Higher limits (--cpu, --wall) let more of them end."
		switch mean := of.MeanSolve(); {
		case 2*of.SetAside <= of.Traces:
		case of.Solves == 0:
			lines = append(lines, fmt.Sprintf("No solve of %s has ended, in %s. If it always takes that long, give it more "+
				"time (--cpu, --wall).", name, printable.Things(of.Traces, "trace")))
		case mean > 0:
			lines = append(lines, fmt.Sprintf("A solve of %s takes %.1f s on average, so %s of %s did not end. %s", name,
				mean.Seconds(), printable.Count(of.SetAside), printable.Things(of.Traces, "trace"), more))
		}
	}
	return lines
}
