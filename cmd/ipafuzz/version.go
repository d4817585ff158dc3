package main

import (
	"fmt"
	"runtime/debug"
)

// version is set by the build of a release.
var version = "development"

type versionCommand struct{}

func (versionCommand) Run() error {
	goVersion := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = ", built with " + info.GoVersion
	}
	fmt.Printf("ipafuzz %s, trace format 1%s\n", version, goVersion)
	return nil
}
