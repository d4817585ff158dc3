package campaign

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A loadedTarget is a target and what its library reported when it was loaded. A campaign
// numbers its targets: first the fuzzed ones, then their rivals.
type loadedTarget struct {
	*replay.Target
	description *apimodel.Description
	signature   string
}

// probe loads every target once, so that errors appear before the campaign starts or writes anything.
func (c *Campaign) probe() error {
	for i := range c.config.Cells {
		given := &c.config.Cells[i]
		for k := range c.config.Cells[:i] {
			if earlier := &c.config.Cells[k]; earlier.Name() == given.Name() {
				return &replay.TargetError{Target: given.Target.Name, Reason: "it is named twice with the same kind of traces: " +
					given.Name()}
			}
		}
		target := slices.IndexFunc(c.targets, func(s loadedTarget) bool { return s.Target == given.Target })
		if target < 0 {
			for _, s := range c.targets {
				if s.Name == given.Target.Name {
					return &replay.TargetError{Target: s.Name,
						Reason: "two targets have this name, so nobody could tell their findings apart"}
				}
			}
			target = len(c.targets)
			if err := c.probeTarget(given.Target); err != nil {
				return err
			}
		}
		asked := given.Generate
		asked.Model = given.Target.Model
		if err := asked.Beyond(c.targets[target].description); err != nil && given.From == nil {
			return &replay.TargetError{Target: given.Target.Name, Reason: err.Error()}
		}
		c.book.Add(source.NewStream(given, i, c.config.cellSeed(i), c.config.Shard, c.targets[target].description), target)
	}
	c.fuzzed = len(c.targets)
	for _, t := range c.config.Against {
		for _, s := range c.targets {
			if s.Name == t.Name {
				return &replay.TargetError{Target: t.Name, Reason: "it is named twice; a comparison needs different targets"}
			}
			if s.Model != t.Model {
				return &replay.TargetError{Target: t.Name, Reason: fmt.Sprintf("it is for %s, and %s for %s; choose one with "+
					"--model", t.Model.Name, s.Name, s.Model.Name)}
			}
		}
		if err := c.probeTarget(t); err != nil {
			return err
		}
	}
	return nil
}

func (c *Campaign) probeTarget(t *replay.Target) error {
	probe, err := replay.OpenFirst(t, c.config.Way, c.config.Limits, streamSize(c.config.Way))
	if err != nil {
		return err
	}
	defer probe.Close()
	description, err := probe.Description()
	if err != nil {
		return err
	}
	c.targets = append(c.targets, loadedTarget{t, description, probe.Signature()})
	return nil
}

// target returns the target with that number.
func (c *Campaign) target(target int) *replay.Target { return c.targets[target].Target }

// descriptionOf returns the description of the target with that number.
func (c *Campaign) descriptionOf(target int) *apimodel.Description {
	return c.targets[target].description
}

// group returns the numbers of the members of a fuzzed target's group: the target, then
// its rivals.
func (c *Campaign) group(target int) []int {
	group := []int{target}
	for other := c.fuzzed; other < len(c.targets); other++ {
		group = append(group, other)
	}
	return group
}

// compares reports whether there are rivals.
func (c *Campaign) compares() bool { return c.fuzzed < len(c.targets) }

// newGroup returns a group that confirms findings of a target and its rivals. Its runs have more time than
// those of lanes, and its judges ask the reference solver about every answer.
func (c *Campaign) newGroup(numbers []int) *trial.Group {
	g := &trial.Group{Rules: trial.LenientRules(c.config.Factor, trial.LeastLimit(c.config.Limits))}
	for _, target := range numbers {
		g.Sessions = append(g.Sessions,
			trial.NewSession(c.target(target), c.config.Limits.Longer(trial.Patience), c.judge(target, true, trial.Thorough)))
	}
	return g
}

// originOf returns the origin of the trace that first showed a finding.
func (c *Campaign) originOf(f *store.Finding) source.Origin {
	return source.Origin{Stream: c.book.Cells[f.Cell].Stream, Number: f.Number}
}

// number returns the number of the target with that name, which must exist.
func (c *Campaign) number(name string) int {
	return slices.IndexFunc(c.targets, func(s loadedTarget) bool { return s.Name == name })
}

func recordOfTarget(t *loadedTarget) store.TargetRecord {
	return store.TargetRecord{Name: t.Name, Model: t.Model.Name, Kind: t.Kind, Signature: t.signature, Options: t.Settings,
		Policies: t.Policies, Identity: t.Identify()}
}

// cellSeed returns the seed of a cell, from which the seeds of its traces derive. The first cell has the
// campaign's seed, so that 'ipafuzz gen' with that seed generates the same traces.
func (c *Config) cellSeed(cell int) uint64 {
	if cell == 0 {
		return c.Seed
	}
	const streams = 1 << 63 // keeps the streams of cells apart from the shards
	return gen.Seed(c.Seed, streams, uint64(cell))
}

// A width is what a campaign knows about the tables of a target: whether they grow with the largest
// variable of a trace instead of with the number of variables.
type width struct {
	mu       sync.Mutex
	measured bool
	bytes    float64 // for each variable up to the largest; 0: no tables that can be measured grow with it
	reserved float64 // address space for each, of which the target uses little
	noted    bool    // a trace failed because of it, which is no failure
	died     bool    // the target died in a trace, perhaps because it got no more address space
}

const (
	// wide is the least "largest variable" of a trace that may fail only because of tables.
	wide = 1 << 16
	// vast is one from which on even tables of a few bytes for each variable take gigabytes.
	vast = 1 << 28
)

// isTooWide reports whether a trace failed only because the tables of the target grow with the largest
// variable. That is so if the trace does not fail with its variables numbered from 1, and if the tables
// take long to fill or, for a crash or too much memory, take more than half of the memory limit. Such a
// failure is not reduced; the summary reports it once per target.
//
// Tables that nothing fills, and those of programs that end at once, cannot be measured. Of a target that
// dies of a vast variable and says that it got no memory, its word is enough. One that dies otherwise, since it does
// not check whether it got address space for a table, has a fault; the summary tells of the table, too.
func (f *follower) isTooWide(ctx context.Context, x *failure) (bool, error) {
	found := x.found
	crash := found.Class[0] == '1' || found.Class == oracle.TooMuchMemory
	if x.kind.Largest < wide || !crash && !found.IsTimeLimit() {
		return false, nil
	}
	dense := cause.Named("variable-gap").Versions(found.Original)
	if len(dense) == 0 {
		return false, nil
	}
	var run trace.Run
	findings, err := f.newHang(x).Run(ctx, dense[0].Trace, f.newHang(x).Shorter(), &run)
	if err != nil || trial.WithKey(findings, found.Target, found.Key) >= 0 {
		return false, err
	}
	w := f.c.widths[f.c.number(found.Target)]
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.measured {
		target := f.group.Session(found.Target).Target
		if w.bytes, w.reserved, err = trial.TableBytes(ctx, target, f.c.config.Limits); err != nil {
			return false, err
		}
		w.measured = true
	}
	const slow = 32 << 20 // bytes that take a while to fill
	least := float64(slow)
	if crash {
		least = float64(f.c.config.Limits.Memory) / 2
	}
	switch {
	case w.bytes > 0 && w.bytes*float64(x.kind.Largest) >= least:
		f.costs.TooWide(float64(f.c.config.Limits.Memory) / w.bytes)
	case x.kind.Largest >= vast && x.starved:
		f.costs.TooWide(vast)
	default:
		w.died = w.died || crash && w.reserved*float64(x.kind.Largest) >= float64(f.c.config.Limits.Memory)
		return false, nil
	}
	w.noted = true
	return true, nil
}

// tables returns the targets whose tables made traces fail, with the bytes for each variable, 0 if they
// cannot be measured. reserved has those that died in traces for which they reserve much address space.
func (c *Campaign) tables() (taken, reserved map[string]float64) {
	taken, reserved = make(map[string]float64), make(map[string]float64)
	for target, w := range c.widths {
		w.mu.Lock()
		name := c.target(target).Name
		if w.noted {
			taken[name] = w.bytes
		}
		if w.died {
			reserved[name] = w.reserved
		}
		w.mu.Unlock()
	}
	return taken, reserved
}
