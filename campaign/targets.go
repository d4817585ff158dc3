package campaign

import (
	"fmt"

	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// load loads every target once, so that errors appear before the campaign starts or writes anything.
func (c *Campaign) load() error {
	for i := range c.config.Cells {
		if err := c.loadCell(i); err != nil {
			return err
		}
	}
	c.lineup.Fuzzed = len(c.lineup.All)
	for _, rival := range c.config.Against {
		if c.lineup.Number(rival.Name) >= 0 {
			return &replay.TargetError{Target: rival.Name, Reason: "it is named twice; a comparison needs different targets"}
		}
		for _, t := range c.lineup.All {
			if t.Model != rival.Model {
				return &replay.TargetError{Target: rival.Name, Reason: fmt.Sprintf("it is for %s, and %s for %s; choose one with "+
					"--model", rival.Model.Name, t.Name, t.Model.Name)}
			}
		}
		if err := c.lineup.Load(rival); err != nil {
			return err
		}
	}
	return nil
}

// loadCell adds a cell to the book. It loads the target, unless an earlier cell has it.
func (c *Campaign) loadCell(i int) error {
	cell := &c.config.Cells[i]
	for k := range c.config.Cells[:i] {
		if c.config.Cells[k].Name() == cell.Name() {
			return &replay.TargetError{Target: cell.Target.Name, Reason: "it is named twice with the same kind of traces: " +
				cell.Name()}
		}
	}
	number := c.lineup.Number(cell.Target.Name)
	switch {
	case number >= 0 && c.lineup.All[number].Target != cell.Target:
		return &replay.TargetError{Target: cell.Target.Name,
			Reason: "two targets have this name, so nobody could tell their findings apart"}
	case number < 0:
		number = len(c.lineup.All)
		if err := c.lineup.Load(cell.Target); err != nil {
			return err
		}
	}
	description := c.lineup.All[number].Description
	asked := cell.Generate
	asked.Model = cell.Target.Model
	if why := asked.Beyond(description); why != "" && cell.From == nil {
		return &replay.TargetError{Target: cell.Target.Name, Reason: why}
	}
	stream := source.NewStream(cell, i, c.config.cellSeed(i), c.config.Shard, description)
	stream.TargetsFile = c.config.TargetsFile
	c.book.Add(stream, number)
	return nil
}

func recordOfTarget(t *lineup.Target) store.TargetRecord {
	return store.TargetRecord{Name: t.Name, Model: t.Model.Name, Kind: t.Kind, Signature: t.Signature, Options: t.Settings,
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
