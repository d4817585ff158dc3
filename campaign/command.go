package campaign

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
)

// ReplayCommand is what a person types to see a finding again. The targets may
// be names of a targets file. It has the limits, since what met a lower one than
// the usual, or needs more than that, is not seen with another.
func ReplayCommand(program, targetsFile string, limits replay.Limits, path string, targets ...string) string {
	command := fmt.Sprintf("%s replay %s%s", program, shell.Quote(path), targetsFileFlag(targetsFile))
	if flags := limits.Flags(); flags != "" {
		command += " " + flags
	}
	for _, target := range targets {
		command += " --target " + shell.Quote(target)
	}
	return command
}

// GenCommand is what a person types to have the trace of a cell and a number made
// again, as the generator made it; without are the features that it was made
// without beside those of the cell.
func (c *Config) GenCommand(program string, cell int, number uint64, without []string) string {
	return c.Cells[cell].GenCommand(program, c.TargetsFile, c.CellSeed(cell), c.Shard, number, without)
}

// replaysElsewhere is a replay command for a trace that was moved.
func replaysElsewhere(command, program, path string) string {
	_, rest, found := strings.Cut(command, "minimal.trace")
	if !found {
		return command
	}
	return fmt.Sprintf("%s replay %s%s", program, shell.Quote(path), strings.TrimPrefix(rest, "'"))
}

func targetsFileFlag(path string) string {
	if path == "" {
		return ""
	}
	return " --targets-file " + shell.Quote(path)
}

// ReplayTargets are those of all targets that it takes to see the finding: its
// own, and the others when only a comparison shows it.
func (f *Found) ReplayTargets(all []string) []string {
	targets := []string{f.Target}
	for _, other := range all {
		if f.Compared() && other != f.Target {
			targets = append(targets, other)
		}
	}
	return targets
}

// Compared are the names of the targets that run the traces of a cell, that of
// the one that is fuzzed first.
func (c *Config) Compared(cell int) []string {
	names := []string{c.Cells[cell].Target.Name}
	for _, t := range c.Against {
		names = append(names, t.Name)
	}
	return names
}
