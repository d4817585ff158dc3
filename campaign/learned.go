package campaign

import (
	"fmt"
	"slices"
	"strings"
)

// Tried are traces, and those of them that showed a fault.
type Tried struct{ Traces, Failed uint64 }

// Share is how many of them did, in percent.
func (t Tried) Share() string {
	if t.Traces == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(t.Failed)/float64(t.Traces))
}

// Learned is what was learned of the faults of a target: what traces do with and
// without the features that they need.
type Learned struct {
	Target        string
	Faults        [][]string // for each kind of fault the features that it needs
	With, Without Tried
}

// Needs says what the faults need.
func (l *Learned) Needs() string {
	var all []string
	for _, needs := range l.Faults {
		all = append(all, strings.Join(needs, " and "))
	}
	return strings.Join(all, "; others ")
}

// WithAndWithout are the targets of which something was learned.
func (s *Stats) WithAndWithout() []*Learned {
	var rows []*Learned
	for i := range s.Cells {
		c := &s.Cells[i]
		if len(c.Learned) == 0 && c.Avoiding == 0 {
			continue
		}
		at := slices.IndexFunc(rows, func(r *Learned) bool { return r.Target == c.Target })
		if at < 0 {
			at = len(rows)
			rows = append(rows, &Learned{Target: c.Target, Faults: c.Learned})
		}
		r := rows[at]
		r.With.Traces += c.Traces - c.Avoiding
		r.With.Failed += c.Failed - c.AvoidingFailed
		r.Without.Traces += c.Avoiding
		r.Without.Failed += c.AvoidingFailed
	}
	return rows
}
