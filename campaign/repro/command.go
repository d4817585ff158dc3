package repro

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

// ReplaysElsewhere is a replay command for a trace that was moved.
func ReplaysElsewhere(command, program, path string) string {
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
