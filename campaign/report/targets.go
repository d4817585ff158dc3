package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// A version is a target as it was when it was fuzzed.
type version struct{ target, signature, model string }

func versionOf(t *store.TargetRecord) version { return version{t.Name, t.Signature, t.Model} }

// effort sums up what all runs spent on a version and what they found.
type effort struct {
	busy                      time.Duration
	traces, solves, undecided uint64
	findings                  int
	faults                    map[string]bool
}

// targets has a row for each target, version and model, over all runs.
func (d *Data) targets() *Table {
	t := &Table{Name: "targets", Title: "Targets", text: 3,
		Note: "Of all runs together. Decided is the share of the solves whose answers were judged. A fault is counted " +
			"once, however many findings it causes, as far as the causes are known.",
		Columns: []string{"Target", "Version", "Model", "Time", "Traces", "Solves", "Decided", "Findings", "Faults"}}
	all := d.efforts()
	order := slices.SortedFunc(maps.Keys(all), func(a, b version) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.signature, b.signature), cmp.Compare(a.model, b.model))
	})
	for _, of := range order {
		e := all[of]
		t.add(of.target, of.signature, of.model, seconds(e.busy.Seconds()), e.traces, e.solves,
			percent(e.solves-min(e.undecided, e.solves), e.solves), e.findings, len(e.faults))
	}
	return t
}

func (d *Data) efforts() map[version]*effort {
	all := make(map[version]*effort)
	of := func(v version) *effort {
		if all[v] == nil {
			all[v] = &effort{faults: make(map[string]bool)}
		}
		return all[v]
	}
	for _, run := range d.Runs {
		if run.Record.Stats == nil {
			continue
		}
		for i := range run.Record.Stats.Cells {
			c := &run.Record.Stats.Cells[i]
			v := version{target: c.Target, model: c.Model}
			for j := range run.Record.Targets {
				if target := &run.Record.Targets[j]; target.Name == c.Target && target.Model == c.Model {
					v = versionOf(target)
				}
			}
			e := of(v)
			e.busy += c.Busy
			e.traces += c.Traces
			e.solves += c.Solves
			e.undecided += c.Undecided
		}
	}
	for _, f := range d.Findings {
		e := of(versionOf(&f.Target))
		e.findings++
		e.faults[cmp.Or(f.Fault, f.Dir)] = true
	}
	return all
}
