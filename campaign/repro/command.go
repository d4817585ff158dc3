// Package repro writes what reproduces a finding: commands to copy, and programs that call the library
// without ipafuzz. Package export writes the programs; repro chooses their limits, settings and build
// commands.
package repro

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
)

// ReplayCommand returns the command that replays a trace on targets, which may be names in a targets file.
// It has a flag for every limit that is not the default, because a finding may depend on it.
func ReplayCommand(program, targetsFile string, limits replay.Limits, path string, targets ...string) string {
	command := fmt.Sprintf("%s replay %s%s", program, shell.QuotePath(path), Flags(targetsFile, limits))
	for _, target := range targets {
		command += " --target " + shell.Quote(target)
	}
	return command
}

// MinimizeCommand returns the command that continues the reduction of the finding in a directory.
func MinimizeCommand(program, targetsFile string, limits replay.Limits, dir string) string {
	return fmt.Sprintf("%s minimize %s%s", program, shell.QuotePath(dir), Flags(targetsFile, limits))
}

// ReportCommand returns the command that reports on a campaign directory.
func ReportCommand(program, dir string) string { return program + " report " + shell.QuotePath(dir) }

// Flags returns the flags that a command needs for the same targets and limits, each after a blank.
func Flags(targetsFile string, limits replay.Limits) string {
	flags := ""
	if targetsFile != "" {
		flags = " --targets-file " + shell.Quote(targetsFile)
	}
	if of := limits.Flags(); of != "" {
		flags += " " + of
	}
	return flags
}

// ReplaysElsewhere returns the replay command of a finding whose trace is now at path.
func ReplaysElsewhere(command, program, path string) string {
	return elsewhere(command, program+" replay", "minimal.trace", path)
}

// ContinuesElsewhere returns the command that continues the reduction of a finding whose directory had the name
// was and is now dir.
func ContinuesElsewhere(command, program, was, dir string) string {
	return elsewhere(command, program+" minimize", was, dir)
}

// elsewhere replaces everything up to the path that ends in was by another begin and path.
func elsewhere(command, begin, was, path string) string {
	_, rest, found := strings.Cut(command, was)
	if !found {
		return command
	}
	return begin + " " + shell.QuotePath(path) + strings.TrimPrefix(rest, "'")
}
