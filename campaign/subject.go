package campaign

import (
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A subject is a target that has been loaded once. Subjects are known by their
// numbers: first those that are fuzzed, then those that they are compared with.
type subject struct {
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
				return &replay.TargetError{Target: given.Target.Name, Reason: "it is named twice with the same kind of traces: " + given.Name()}
			}
		}
		who := slices.IndexFunc(c.subjects, func(s subject) bool { return s.Target == given.Target })
		if who < 0 {
			for _, s := range c.subjects {
				if s.Name == given.Target.Name {
					return &replay.TargetError{Target: s.Name, Reason: "two targets have this name, so that their findings would be one"}
				}
			}
			who = len(c.subjects)
			if err := c.probeTarget(given.Target); err != nil {
				return err
			}
		}
		c.cells = append(c.cells, &cell{
			Stream: source.NewStream(given, i, c.config.CellSeed(i), c.config.Shard, c.subjects[who].description), target: who,
			profiles: make(map[string]*stats.ProfileUse), findings: make(map[oracle.Class]int)})
	}
	c.fuzzed = len(c.subjects)
	for _, t := range c.config.Against {
		for _, s := range c.subjects {
			if s.Name == t.Name {
				return &replay.TargetError{Target: t.Name, Reason: "it is named twice; a comparison needs different targets"}
			}
			if s.Model != t.Model {
				return &replay.TargetError{Target: t.Name, Reason: fmt.Sprintf("it is for %s, and %s for %s; choose one with --model", t.Model.Name, s.Name, s.Model.Name)}
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
	c.subjects = append(c.subjects, subject{t, description, probe.Signature()})
	return nil
}

// target returns the target of that number.
func (c *Campaign) target(who int) *replay.Target { return c.subjects[who].Target }

// descriptionOf is what the target of that number says of itself.
func (c *Campaign) descriptionOf(who int) *apimodel.Description { return c.subjects[who].description }

// group returns the numbers of a target that is fuzzed and of all that it is
// compared with, its own first.
func (c *Campaign) group(who int) []int {
	group := []int{who}
	for other := c.fuzzed; other < len(c.subjects); other++ {
		group = append(group, other)
	}
	return group
}

// compares reports whether targets are compared.
func (c *Campaign) compares() bool { return c.fuzzed < len(c.subjects) }

// cellOf returns the cell that a trace belongs to.
func (c *Campaign) cellOf(from source.Origin) *cell { return c.cells[from.Stream.Index] }

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
	return source.Origin{Stream: c.cells[f.Cell].Stream, Number: f.Number}
}

// number returns the number of the target with that name, which it must have.
func (c *Campaign) number(target string) int {
	return slices.IndexFunc(c.subjects, func(s subject) bool { return s.Name == target })
}

func recordOfTarget(t *subject) store.TargetRecord {
	return store.TargetRecord{Name: t.Name, Model: t.Model.Name, Kind: t.Kind, Signature: t.signature, Options: t.Settings, Policies: t.Policies, Identity: t.Identify()}
}
