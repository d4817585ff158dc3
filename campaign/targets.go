package campaign

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A target has been loaded once. Targets are known by their numbers: first those
// that are fuzzed, then their rivals.
type target struct {
	*replay.Target
	description *apimodel.Description
	signature   string
}

// probe loads every target once, so that what cannot work is said before
// anything is started or written.
func (c *Campaign) probe() error {
	for i := range c.config.Cells {
		given := &c.config.Cells[i]
		for k := range c.config.Cells[:i] {
			if earlier := &c.config.Cells[k]; earlier.Name() == given.Name() {
				return &replay.TargetError{Target: given.Target.Name, Reason: "it is named twice with the same kind of traces: " +
					given.Name()}
			}
		}
		who := slices.IndexFunc(c.targets, func(s target) bool { return s.Target == given.Target })
		if who < 0 {
			for _, s := range c.targets {
				if s.Name == given.Target.Name {
					return &replay.TargetError{Target: s.Name, Reason: "two targets have this name, so that their findings would be " +
						"one"}
				}
			}
			who = len(c.targets)
			if err := c.probeTarget(given.Target); err != nil {
				return err
			}
		}
		c.book.cells = append(c.book.cells, &cell{
			Stream: source.NewStream(given, i, c.config.CellSeed(i), c.config.Shard, c.targets[who].description), target: who,
			profiles: make(map[string]*stats.ProfileUse), findings: make(map[oracle.Class]int)})
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
	probe, err := replay.OpenQueue(t, c.config.Way, c.config.Limits, streamSize(c.config.Way))
	if err != nil {
		return err
	}
	defer probe.Close()
	description, err := probe.Description()
	if err != nil {
		return err
	}
	c.targets = append(c.targets, target{t, description, probe.Signature()})
	return nil
}

// target returns the target of that number.
func (c *Campaign) target(who int) *replay.Target { return c.targets[who].Target }

// descriptionOf is what the target of that number says of itself.
func (c *Campaign) descriptionOf(who int) *apimodel.Description { return c.targets[who].description }

// group returns the numbers of a target that is fuzzed and of all that it is
// compared with, its own first.
func (c *Campaign) group(who int) []int {
	group := []int{who}
	for other := c.fuzzed; other < len(c.targets); other++ {
		group = append(group, other)
	}
	return group
}

// compares reports whether targets are compared.
func (c *Campaign) compares() bool { return c.fuzzed < len(c.targets) }

// newGroup returns a group of a target and its rivals that confirms findings: it
// has more time than the campaign, and the reference solver is asked about
// everything, since a finding must stand up to it.
func (c *Campaign) newGroup(numbers []int) *trial.Group {
	g := &trial.Group{Rules: trial.LenientRules(c.config.Factor, c.timeLimit())}
	for _, who := range numbers {
		g.Sessions = append(g.Sessions,
			trial.NewSession(c.target(who), c.config.Limits.Longer(trial.Patience), c.judge(who, true, trial.Thorough)))
	}
	return g
}

// originOf returns the trace that a finding was first seen in.
func (c *Campaign) originOf(f *store.Finding) source.Origin {
	return source.Origin{Stream: c.book.cells[f.Cell].Stream, Number: f.Number}
}

// number returns the number of the target with that name, which it must have.
func (c *Campaign) number(name string) int {
	return slices.IndexFunc(c.targets, func(s target) bool { return s.Name == name })
}

func recordOfTarget(t *target) store.TargetRecord {
	return store.TargetRecord{Name: t.Name, Model: t.Model.Name, Kind: t.Kind, Signature: t.signature, Options: t.Settings,
		Policies: t.Policies, Identity: t.Identify()}
}

// names returns the names of targets.
func (c *Campaign) names(numbers []int) []string {
	var names []string
	for _, who := range numbers {
		names = append(names, c.target(who).Name)
	}
	return names
}

// CellSeed returns what the seeds of a cell are derived from. That of the first is
// the campaign's: 'ipafuzz gen' makes the same traces of the same seed.
func (c *Config) CellSeed(cell int) uint64 {
	if cell == 0 {
		return c.Seed
	}
	const streams = 1 << 63 // of cells, apart from the shards of a campaign
	return gen.Seed(c.Seed, streams, uint64(cell))
}
