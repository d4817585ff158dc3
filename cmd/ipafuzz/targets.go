package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

type targetsCommand struct {
	List    targetsListCommand    `cmd:"" default:"withargs" help:"List the built-in target and those of a targets file, and whether they load."`
	Inspect targetsInspectCommand `cmd:"" help:"Print all that is known of a target: functions, options, policies, versions."`
	Doctor  targetsDoctorCommand  `cmd:"" help:"Try a target, and say in plain words what to mend before it is fuzzed."`
}

type targetsListCommand struct {
	Files []string `arg:"" optional:"" help:"Targets files to list (default: that of --targets-file, else ipafuzz.toml)." placeholder:"FILE"`
	JSON  bool     `help:"Print a JSON object a line."`
	targetFlags
}

// targetRow is one line of the list.
type targetRow struct {
	Name         string      `json:"name"`
	File         string      `json:"file,omitempty"`
	Model        string      `json:"model,omitempty"`
	Way          replay.Kind `json:"way,omitempty"`
	Capabilities []string    `json:"capabilities"`
	Loads        bool        `json:"loads"`
	Signature    string      `json:"signature,omitempty"`
	Reason       string      `json:"reason,omitempty"` // why it does not load
}

func (c *targetsListCommand) Run() error {
	paths := c.Files
	if len(paths) == 0 {
		paths = []string{c.TargetsFile}
	}
	rows := []*targetRow{{Name: "ref"}}
	files := []*targets.File{nil}
	for _, path := range paths {
		file, err := targets.ReadFile(path)
		if err != nil {
			return exit.Misuse(err)
		}
		for _, name := range file.Names() {
			rows, files = append(rows, &targetRow{Name: name, File: file.Path()}), append(files, file)
		}
	}
	// Most of the time goes into starting processes, such as a Java machine.
	var fill sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	failed := make([]error, len(rows))
	for i, row := range rows {
		fill.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			failed[i] = row.fill(c.Model, files[i])
		})
	}
	fill.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return c.print(rows)
}

// fill tries the target. An error is not the target's.
func (r *targetRow) fill(model string, file *targets.File) error {
	target, err := targets.Resolve(r.Name, model, file)
	var hello replay.Hello
	if err == nil {
		r.Model, r.Way = target.Model.Name, target.Kind
		hello, err = replay.Greet(target, replay.DefaultLimits)
	}
	if unusable := new(replay.TargetError); errors.As(err, &unusable) {
		r.Reason = unusable.Reason
		return nil
	}
	if err == nil {
		r.Loads, r.Signature, r.Capabilities = true, hello.Signature, capabilities(hello.Description, target.Model)
	}
	return err
}

// capabilities lists what the target has of what a target of its model may have.
func capabilities(d *apimodel.Description, m *apimodel.Model) []string {
	had := []string{}
	for _, c := range apimodel.Capabilities() {
		if d.Has(c.Name) && m.Uses(c.Name) {
			had = append(had, c.Name)
		}
	}
	return had
}

func (c *targetsListCommand) print(rows []*targetRow) error {
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		for _, row := range rows {
			if err := encoder.Encode(row); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tMODEL\tWAY\tCAN\tLOADS")
	for _, row := range rows {
		loads := "yes, as " + orDash(row.Signature)
		if !row.Loads {
			loads = "no: " + firstLine(row.Reason)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", row.Name, orDash(row.Model), orDash(string(row.Way)), orDash(strings.Join(row.Capabilities, " ")), loads)
	}
	return table.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		line += " ..."
	}
	return line
}
