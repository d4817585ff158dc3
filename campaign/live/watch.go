package live

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
)

// A Watch looks at a running campaign.
type Watch struct {
	Campaign *campaign.Campaign
	Config   campaign.Config
	End      context.CancelFunc // ends the run
}

// Sample asks the campaign and the system.
func (w *Watch) Sample() Sample {
	stats := w.Campaign.Stats()
	s := Sample{Elapsed: stats.Elapsed, Findings: stats.Findings, Doubtful: stats.Unconfirmed, Paused: w.Campaign.Paused()}
	s.Process, _ = Observe() // of no use, and no reason to stop, where /proc cannot be read
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
	for i := range stats.Cells {
		c := &stats.Cells[i]
		t := target(c.Target)
		t.Traces += c.Traces
		t.Solves += c.Solves
		t.Deaths += c.Deaths
		t.Solving += c.SolveTime
		t.Busy += c.Busy
	}
	for _, other := range w.Config.Against {
		target(other.Name)
	}
	for _, sight := range w.Campaign.Watch() {
		if !sight.Reducing {
			target(sight.Target).Findings[string(sight.Class)]++
		}
	}
	generated := stats.Generated()
	for _, name := range slices.Sorted(maps.Keys(generated)) {
		s.Kinds = append(s.Kinds, Kind{name, *generated[name]})
	}
	return s
}

// Findings are the newest first.
func (w *Watch) Findings() []Finding {
	var all []Finding
	for _, s := range w.Campaign.Watch() {
		all = append(all, w.finding(&s))
	}
	return all
}

func (w *Watch) finding(s *campaign.Sight) Finding {
	f := Finding{Key: s.Key, Target: s.Target, Class: string(s.Class), Title: s.Key.Failure(), Number: s.Number,
		Elapsed: s.Elapsed, Original: s.Original, Calls: s.Calls, Tests: s.Tests,
		Reducing: s.Reducing, Again: s.Again, Observed: s.Observed, Expected: s.Expected, Known: s.Known,
		Trace: string(s.Trace.AppendText(nil)), Dir: s.Dir}
	if s.Dir != "" {
		f.Replay = repro.ReplayCommand(w.Config.Program, w.Config.TargetsFile, w.Config.Limits,
			filepath.Join(s.Dir, "minimal.trace"), s.Replay...)
	} else {
		f.Replay = w.Config.GenCommand(w.Config.Program, s.Cell, s.Number, s.Without) + fmt.Sprintf(" # trace %d", s.Number)
	}
	return f
}

// Pause keeps the campaign from taking new traces, or lets it go on.
func (w *Watch) Pause(pause bool) { w.Campaign.Pause(pause) }

// Stop ends the run.
func (w *Watch) Stop() { w.End() }
