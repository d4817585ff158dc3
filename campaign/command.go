package campaign

import (
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
)

// ReplayCommand is what a person types to see a finding again. The targets may
// be names of a targets file. It has the limits, since what met a lower one than
// the usual, or needs more than that, is not seen with another.
func ReplayCommand(program, targetsFile string, limits replay.Limits, path string, targets ...string) string {
	command := fmt.Sprintf("%s replay %s%s", program, shell.Quote(path), targetsFileFlag(targetsFile))
	if flags := limitsFlags(limits); flags != "" {
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

// limitsFlags are the flags for the limits that are not the usual ones.
func limitsFlags(l replay.Limits) string {
	var flags []string
	usual := replay.DefaultLimits
	for _, f := range []struct {
		flag         string
		limit, usual time.Duration
	}{{"cpu", l.CPU, usual.CPU}, {"wall", l.Wall, usual.Wall}} {
		if f.limit != 0 && f.limit != f.usual {
			flags = append(flags, fmt.Sprintf("--%s %s", f.flag, f.limit))
		}
	}
	for _, f := range []struct {
		flag         string
		limit, usual uint64
	}{{"memory", l.Memory, usual.Memory}, {"output", l.Output, usual.Output}} {
		if f.limit != 0 && f.limit != f.usual {
			flags = append(flags, fmt.Sprintf("--%s %s", f.flag, sizeText(f.limit)))
		}
	}
	return strings.Join(flags, " ")
}

// sizeText is a number of bytes as flags take it.
func sizeText(n uint64) string {
	units := []string{"", "K", "M", "G"}
	unit := 0
	for n != 0 && n%1024 == 0 && unit+1 < len(units) {
		n /= 1024
		unit++
	}
	return fmt.Sprintf("%d%s", n, units[unit])
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
