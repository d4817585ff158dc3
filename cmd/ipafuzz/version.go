package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/ipafuzz/ipafuzz/trace"
)

// version is set by the build of a release.
var version = "development"

type versionCommand struct {
	JSON bool `help:"Print a JSON object."`
}

func (v versionCommand) Run() error {
	goVersion := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
	}
	if v.JSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			Version string `json:"version"`
			Format  int    `json:"trace_format"`
			Go      string `json:"go,omitempty"`
		}{version, trace.FormatVersion, goVersion})
	}
	if goVersion != "" {
		goVersion = ", built with " + goVersion
	}
	return printText(fmt.Sprintf("ipafuzz %s, trace format %d%s\n", version, trace.FormatVersion, goVersion))
}
