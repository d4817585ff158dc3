package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
)

// version is set when a release is built. For other builds, Go records the commit.
var version = ""

// release returns the name of this version of ipafuzz.
func release(build *debug.BuildInfo) string {
	if version != "" {
		return version
	}
	if build != nil && build.Main.Version != "" && build.Main.Version != "(devel)" {
		return build.Main.Version
	}
	return "development"
}

// versionFlag is the flag --version, which people try first.
type versionFlag bool

// BeforeReset prints the version and ends the program.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	err := versionCommand{}.Run()
	if err == nil {
		app.Exit(exit.Success)
	}
	return err
}

type versionCommand struct {
	JSON bool
}

// Run runs the command.
func (v versionCommand) Run() error {
	goVersion := ""
	build, ok := debug.ReadBuildInfo()
	if ok {
		goVersion = build.GoVersion
	}
	if v.JSON {
		return json.NewEncoder(os.Stdout).Encode(struct {
			Version string `json:"version"`
			Format  int    `json:"trace_format"`
			Go      string `json:"go,omitempty"`
		}{release(build), trace.FormatVersion, goVersion})
	}
	if goVersion != "" {
		goVersion = ", built with " + goVersion
	}
	return printText(fmt.Sprintf("ipafuzz %s, trace format %d%s\n", release(build), trace.FormatVersion, goVersion))
}
