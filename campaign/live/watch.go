package live

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// A Watch is a running campaign as the dashboard sees it.
type Watch struct {
	Campaign *campaign.Campaign
	Config   campaign.Config
	End      context.CancelFunc // ends the run
	Grouped  *Faults            // of the campaign
}

// Sample returns the state of the campaign and of its processes.
func (w *Watch) Sample() Sample {
	counts := w.Campaign.Stats()
	s := Sample{Elapsed: counts.Elapsed, Findings: counts.Findings, Doubtful: counts.Unconfirmed,
		Paused: w.Campaign.Paused()}
	s.Process, _ = Observe() // zero if /proc cannot be read
	s.Times, s.FollowUps = counts.SearchTimes, counts.FollowUps
	s.PutOff, s.Slow = stats.PutOff(w.Campaign.Kinds()), counts.SlowSolves()
	if since, why := w.Campaign.Standing(); since > standing && !s.Paused {
		s.Standing = fmt.Sprintf("no new trace for %s: %s", since.Truncate(time.Second), why)
	}
	at := make(map[string]int)
	target := func(name string) *Target {
		i, known := at[name]
		if !known {
			i = len(s.Targets)
			at[name] = i
			s.Targets = append(s.Targets, Target{Name: name, Findings: make(map[string]int)})
		}
		return &s.Targets[i]
	}
	for i := range counts.Cells {
		c := &counts.Cells[i]
		t := target(c.Target)
		t.Traces += c.Traces
		t.Solves += c.Solves
		t.Deaths += c.Deaths
		t.Library += c.Library
		t.Solving += c.SolveTime
		t.Busy += c.Busy
	}
	for _, other := range w.Config.Against {
		target(other.Name)
	}
	faults, _ := w.Grouped.Now()
	s.Found = w.Grouped.Count()
	for i := range faults {
		for _, f := range faults[i].Findings {
			target(f.Target).Findings[string(f.Class)]++
		}
		if !faults[i].IsOpen() {
			target(faults[i].Target).Faults++
			s.Faults++
		}
	}
	generated := counts.Generated()
	for _, name := range slices.Sorted(maps.Keys(generated)) {
		s.Kinds = append(s.Kinds, Kind{name, *generated[name]})
	}
	return s
}

// standing is how long no new trace must have run for a sample to say why.
const standing = 5 * time.Second

// Findings returns the simplest finding of each fault, the newest first, then the findings that are being
// reduced.
func (w *Watch) Findings() []Finding {
	var all []Finding
	faults, busy := w.Grouped.Now()
	faults = newestFirst(faults)
	for i := range faults {
		f := &faults[i]
		simplest := f.Simplest()
		of := w.finding(simplest)
		of.Title, of.Why, of.Findings = f.Headline(), f.Why(), len(f.Findings)
		of.Also, of.Possibly = strings.Join(f.Symptoms(), "; "), strings.Join(f.Possibly, ", ")
		all = append(all, of)
	}
	for i := range busy {
		all = append(all, w.finding(busy[i]))
	}
	return all
}

func (w *Watch) finding(v *store.Finding) Finding {
	f := Finding{Key: v.Key, Target: v.Target, Title: v.Title(),
		Elapsed: v.Elapsed, Original: len(v.Original.Calls), Calls: v.Size, Tests: v.Tests,
		Reducing: v.Status < store.Finished,
		Again:    v.Again, Observed: v.Observed, Expected: v.Expected, Known: v.Known,
		Trace: string(v.Minimal.AppendText(nil)), Dir: v.Dir}
	if v.Dir != "" {
		f.Replay = w.Config.ReplayCommand(v)
	} else {
		f.Generate = w.Config.GenCommand(w.Config.Program, v.Cell, v.Number, v.Choice)
	}
	return f
}

// Pause stops the campaign from taking new traces, or lets it continue.
func (w *Watch) Pause(pause bool) { w.Campaign.Pause(pause) }

// Stop ends the run.
func (w *Watch) Stop() { w.End() }
