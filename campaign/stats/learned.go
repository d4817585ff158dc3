package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tried counts traces, and how many of them failed.
type Tried struct{ Traces, Failed uint64 }

// Share returns the share of failing traces in percent.
func (t Tried) Share() string {
	if t.Traces == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f%%", 100*float64(t.Failed)/float64(t.Traces))
}

// Learned compares the traces of a target that avoid nothing with those that lack something of every known fault.
type Learned struct {
	Target        string
	Faults        [][]string // the features that each fault needs
	With, Without Tried
}

// Supported reports whether the counts support that failures need the features: they are clearly rarer in
// traces without them.
func (l *Learned) Supported() bool {
	if l.With.Traces == 0 || l.Without.Traces == 0 {
		return false
	}
	n, m := float64(l.With.Traces), float64(l.Without.Traces)
	with, without := float64(l.With.Failed)/n, float64(l.Without.Failed)/m
	all := float64(l.With.Failed+l.Without.Failed) / (n + m)
	const clearly, deviations = 0.8, 3
	return without < clearly*with && with-without > deviations*math.Sqrt(all*(1-all)*(1/n+1/m))
}

// Others reports whether many traces without the features fail, too, so that there are other faults.
func (l *Learned) Others() bool {
	const many = 0.25 // of the share with the features
	return float64(l.Without.Failed)*float64(l.With.Traces) > many*float64(l.With.Failed)*float64(l.Without.Traces)
}

// Needs describes what the faults need. It leaves out needs that include those of another finding: both may have one
// fault.
func (l *Learned) Needs() string {
	var all []string
	for i, needs := range l.Faults {
		if !slices.ContainsFunc(l.Faults, func(of []string) bool { return len(of) < len(needs) && subset(of, needs) }) &&
			!slices.ContainsFunc(l.Faults[:i], func(of []string) bool { return len(of) == len(needs) && subset(of, needs) }) {
			all = append(all, strings.Join(needs, " and "))
		}
	}
	return strings.Join(all, "; others ")
}

// subset reports whether all strings of a are in b.
func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// WithAndWithout returns a row for each target with known faults.
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
		r.Without.Traces += c.AvoidingAll
		r.Without.Failed += c.AvoidingAllFailed
	}
	return rows
}
