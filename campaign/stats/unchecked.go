package stats

import (
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// Beside counts what a campaign left unchecked beside answers and proofs.
type Beside struct {
	Hard        int    // traces that met a limit on a problem that may be hard
	Unconfirmed int    // failures that were seen and not confirmed
	Disputed    uint64 // answers on which targets differ
}

// Unchecked lists what the campaign was asked to check and did not: the tally's answers and proofs, and what it names
// itself. A target or profile without a trace comes first, since nothing is known about it.
func (s *Stats) Unchecked(tally *oracle.Tally, beside Beside) []unchecked.Item {
	items := s.parts()
	counts := unchecked.Counts{}
	if tally != nil {
		counts = tally.Unchecked
		counts.Add(tally.Rivals)
	}
	for i := range s.Cells {
		counts[unchecked.NotRun] += s.Cells[i].Faulty
	}
	counts[unchecked.TimeLimit] += uint64(beside.Hard)
	counts[unchecked.NotConfirmed] += uint64(beside.Unconfirmed)
	counts[unchecked.Disputed] += beside.Disputed
	return append(items, counts.Items()...)
}

// parts names the targets and profiles of which nothing was checked.
func (s *Stats) parts() (items []unchecked.Item) {
	var targets []*Stats
	var names []string
	for i := range s.Cells {
		c := &s.Cells[i]
		if len(names) == 0 || names[len(names)-1] != c.Target {
			names, targets = append(names, c.Target), append(targets, new(Stats))
		}
		targets[len(targets)-1].AddCell(*c)
	}
	for i, t := range targets {
		switch name := "target " + names[i]; {
		case t.Traces == 0:
			items = append(items, unchecked.Item{Reason: unchecked.NoTrace, Name: name})
			continue
		case t.Undecided >= t.Solves:
			items = append(items, unchecked.Item{Reason: unchecked.NoAnswer, Name: name})
		case 2*t.SetAside > t.Traces:
			items = append(items, unchecked.Item{Reason: unchecked.TimeLimit, Count: t.SetAside})
		}
		for k := range t.Cells {
			if c := &t.Cells[k]; c.Traces == 0 {
				items = append(items, unchecked.Item{Reason: unchecked.NoTrace, Name: "profile " + c.Kind + " of " + names[i]})
			}
		}
	}
	return items
}
