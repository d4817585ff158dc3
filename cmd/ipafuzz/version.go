package main

import (
	"fmt"
	"runtime/debug"

	"github.com/ipafuzz/ipafuzz/trace"
)

// version is set by the build of a release.
var version = "development"

type versionCommand struct{}

func (versionCommand) Run() error {
	goVersion := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = ", built with " + info.GoVersion
	}
	return printText(fmt.Sprintf("ipafuzz %s, trace format %d%s\n", version, trace.FormatVersion, goVersion))
}
