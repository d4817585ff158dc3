package campaign

import (
	"path/filepath"

	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd/engine"
)

// commands makes the commands that are stored with findings.
type commands Campaign

// Replay implements store.Commands.
func (c *commands) Replay(f *store.Finding) string { return c.config.ReplayCommand(f) }

// Continue implements store.Commands.
func (c *commands) Continue(f *store.Finding) string { return c.config.ContinueCommand(f) }

// Generate implements store.Commands.
func (c *commands) Generate(f *store.Finding) string {
	return c.config.GenCommand(c.config.Program, f.Cell, f.Number, f.Choice)
}

// ReplayCommand returns the command that replays a stored finding.
func (c *Config) ReplayCommand(f *store.Finding) string {
	return repro.ReplayCommand(c.Program, c.TargetsFile, f.LimitsOf(c.Limits), filepath.Join(f.Dir, "minimal.trace"),
		f.ReplayTargets(f.Target, c.Compared(f.Cell))...)
}

// ReplayUnconfirmed returns the command that runs the trace of an unconfirmed failure again; "" if the
// trace is not stored.
func (c *Config) ReplayUnconfirmed(u *store.Unconfirmed) string {
	if u.File == "" {
		return ""
	}
	return repro.ReplayCommand(c.Program, c.TargetsFile, c.Limits, u.File,
		u.ReplayTargets(u.Key.Target, c.Compared(u.Cell))...)
}

// ContinueCommand returns the command that continues the reduction of a stored finding; "" if the finding
// is minimal or another attempt would get no further.
func (c *Config) ContinueCommand(f *store.Finding) string {
	switch f.NotMinimal {
	case store.RunEnded, store.BeingReduced, shrink.Interrupted, engine.ErrTime.Error():
	default:
		return ""
	}
	if f.Dir == "" || f.Compared() {
		return ""
	}
	return repro.MinimizeCommand(c.Program, c.TargetsFile, f.LimitsOf(c.Limits), f.Dir)
}

// ContinueAll returns the command that continues the reductions of all findings in the campaign directory for
// which ContinueCommand returns one.
func (c *Config) ContinueAll() string {
	return repro.MinimizeCommand(c.Program, c.TargetsFile, c.Limits, c.Out)
}

// ReportCommand returns the command that reports on a campaign directory.
func (c *Config) ReportCommand(dir string) string { return repro.ReportCommand(c.Program, dir) }

// GenCommand returns the command that generates the trace of a cell and a number again. The choice lists
// features that the trace avoids in addition to those that the cell avoids.
func (c *Config) GenCommand(program string, cell int, number uint64, choice source.Choice) string {
	stream := source.Stream{Cell: &c.Cells[cell], Seed: c.cellSeed(cell), Shard: c.Shard, TargetsFile: c.TargetsFile}
	commands := stream.GenCommands(program, choice)
	return commands.Of(number)
}

// Compared returns the names of the targets that run the traces of a cell: the fuzzed
// target, then its rivals.
func (c *Config) Compared(cell int) []string {
	names := []string{c.Cells[cell].Target.Name}
	for _, t := range c.Against {
		names = append(names, t.Name)
	}
	return names
}
