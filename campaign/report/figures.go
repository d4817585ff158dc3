package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/oracle"
)

// figures returns all figures that are not empty.
func (d *Data) figures() []*figure {
	all := []*figure{d.discoveryFigure(), d.scatter(), d.cumulative(), d.times()}
	return slices.DeleteFunc(all, func(f *figure) bool {
		return !slices.ContainsFunc(f.Series, func(s *series) bool { return len(s.Points) > 0 })
	})
}

// discovery returns a line for every profile, one for findings seen during reductions, and one for the
// virtual best profile, which has each finding as soon as any profile has it.
func (d *Data) discovery() []*series {
	type first struct {
		at  float64
		key oracle.Key
	}
	names, firsts := d.sources()
	best := make(map[oracle.Key]float64)
	build := func(name string, of []first) *series {
		slices.SortFunc(of, func(a, b first) int { return cmp.Or(cmp.Compare(a.at, b.at), a.key.Compare(b.key)) })
		s := &series{Name: name, Kind: steps}
		for i, f := range of {
			s.Points, s.labels = append(s.Points, point{f.at, float64(i + 1)}), append(s.labels, f.key.String())
		}
		return s
	}
	var lines []*series
	for _, name := range names {
		var of []first
		for key, h := range firsts[name] {
			of = append(of, first{h.at, key})
			if at, known := best[key]; !known || h.at < at {
				best[key] = h.at
			}
		}
		lines = append(lines, build(name, of))
	}
	var met, all []first
	for _, f := range d.Findings {
		if !f.MetIn.IsZero() {
			met = append(met, first{f.Elapsed, f.Key})
		}
	}
	for key, at := range best {
		all = append(all, first{at, key})
	}
	if len(met) > 0 {
		lines = append(lines, build("while reducing", met))
	}
	if len(names) > 1 {
		virtual := build("virtual best", all)
		virtual.Strong = true
		lines = append(lines, virtual)
	}
	return lines
}

func (d *Data) discoveryFigure() *figure {
	f := &figure{Name: "over-time", Title: "Distinct findings over time", Table: "over-time",
		X: "seconds since the start of the run", Y: "distinct findings", Series: d.discovery(),
		Note: "Every finding counts once for each profile, when the profile showed it first."}
	least, most := math.Inf(1), 0.0
	for _, s := range f.Series {
		for _, p := range s.Points {
			least, most = min(least, p.X), max(most, p.X)
		}
	}
	f.LogX = most > 30*least
	return f
}

// scatter shows the length of each finding's trace before and after reduction.
func (d *Data) scatter() *figure {
	f := &figure{Name: "scatter", Title: "Calls before and after reduction", Table: "reductions",
		X: "calls of the trace as it was generated", Y: "calls of the minimal trace",
		LogX: true, LogY: true, Diagonal: true, Note: "Each point is a finding; points below the line became smaller."}
	byKind := make(map[string]*series)
	for _, found := range d.reduced() {
		kind, _, _ := strings.Cut(found.Class, ".")
		s := byKind[kind]
		if s == nil {
			s = &series{Name: faultKind(kind), Kind: dots}
			byKind[kind] = s
		}
		s.Points = append(s.Points, point{float64(found.Original.Calls), float64(found.Minimal.Calls)})
		s.labels = append(s.labels, fmt.Sprintf("%s: %d to %d calls", found.Key, found.Original.Calls, found.Minimal.Calls))
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		f.Series = append(f.Series, byKind[kind])
	}
	return f
}

func faultKind(kind string) string {
	names := map[string]string{"1": "crashes", "2": "wrong answers", "3": "resources", "4": "output",
		"5": "interface", "6": "proofs"}
	return strings.TrimSpace(kind + ".x " + names[kind])
}

// cumulative shows the distribution of the reductions.
func (d *Data) cumulative() *figure {
	f := &figure{Name: "cumulative", Title: "Reduction, cumulative", Table: "reductions",
		X: "reduced by at most so many percent", Y: "percent of the findings",
		Note: "The share of findings reduced by at most so many percent: the further right a line runs, the better."}
	for _, what := range []struct {
		name string
		of   func(Size) int
	}{{"text", func(s Size) int { return s.Bytes }}, {"calls", func(s Size) int { return s.Calls }},
		{"literals", func(s Size) int { return s.Literals }}, {"variables", func(s Size) int { return s.Vars }}} {
		var shares []float64
		for _, found := range d.reduced() {
			if from := what.of(found.Original); from > 0 {
				shares = append(shares, 100*float64(from-what.of(found.Minimal))/float64(from))
			}
		}
		slices.Sort(shares)
		s := &series{Name: what.name, Kind: steps}
		for i, share := range shares {
			s.Points = append(s.Points, point{max(share, 0), 100 * float64(i+1) / float64(len(shares))})
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// times shows the distribution of the wall time of traces, by target.
func (d *Data) times() *figure {
	f := &figure{Name: "times", Title: "Time of a trace", Table: "usage", X: "seconds", Y: "percent of the traces",
		LogX: true,
		Note: "The share of traces that took at most so long."}
	for i, run := range d.Runs {
		if run.Record.Measures == nil {
			continue
		}
		for _, u := range run.Record.Measures.Targets {
			s := &series{Name: strings.TrimSpace(d.label(i) + " " + u.Target), Kind: line}
			var so uint64
			for k, n := range u.Times {
				if so += n; so > 0 {
					s.Points = append(s.Points, point{float64(uint64(1)<<k) / 1e6, 100 * float64(so) / float64(max(u.Traces, 1))})
				}
			}
			f.Series = append(f.Series, s)
		}
	}
	return f
}
