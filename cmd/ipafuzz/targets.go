package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/doctor"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

type targetsCommand struct {
	List    targetsListCommand    `cmd:"" default:"withargs"`
	Inspect targetsInspectCommand `cmd:""`
	Doctor  targetsDoctorCommand  `cmd:""`
}

type targetsListCommand struct {
	Files []string `arg:"" optional:"" placeholder:"FILE"`
	JSON  bool
	targetFlags
}

// Run runs the command.
func (c *targetsListCommand) Run() error {
	paths := c.Files
	if len(paths) == 0 {
		paths = []string{c.TargetsFile}
	}
	var files []*targets.File
	for _, path := range paths {
		file, err := targets.ReadFile(path)
		if err != nil {
			return exit.Misuse(err)
		}
		files = append(files, file)
	}
	c.contain()
	rows, err := doctor.List(c.Model, files)
	if err != nil {
		return err
	}
	if !c.JSON {
		return doctor.WriteList(os.Stdout, rows)
	}
	encoder := json.NewEncoder(os.Stdout)
	for _, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

type targetsInspectCommand struct {
	Target string `arg:"" placeholder:"TARGET"`
	JSON   bool
	targetFlags
}

// Run runs the command.
func (c *targetsInspectCommand) Run() error {
	target, _, err := c.resolve(c.Target)
	if err != nil {
		return err
	}
	sheet, unloadable, err := doctor.Inspect(c.Target, target)
	if err != nil {
		return err
	}
	if err := printResult(sheet, c.JSON); err != nil {
		return err
	}
	return unloadable
}

type targetsDoctorCommand struct {
	Target string `arg:"" placeholder:"TARGET"`
	JSON   bool
	targetFlags
	limitFlags
}

// Run runs the command.
func (c *targetsDoctorCommand) Run(ctx context.Context) error {
	target, err := c.resolveCalls(c.Target)
	if misnamed := new(replay.SpecError); errors.As(err, &misnamed) {
		return err
	}
	checkup := &doctor.Checkup{Target: c.Target, Limits: c.limits(), Program: programName(), Flags: c.flags()}
	finish := func() error { return writeJSON(os.Stdout, checkup) }
	if !c.JSON {
		finish = doctor.NewPage(checkup, os.Stdout).Close
	}
	if err := checkup.Examine(ctx, target, err); err != nil {
		return err
	}
	if err := finish(); err != nil {
		return err
	}
	switch {
	case checkup.IsWrong():
		return exit.ErrFindings
	case !checkup.Fine:
		return exit.ErrDoubt
	}
	return nil
}

// flags returns the flags with which another command runs the same target in the same way.
func (c *targetsDoctorCommand) flags() string {
	words := []string{"--target", c.Target}
	if c.Model != "" {
		words = append(words, "--model", c.Model)
	}
	if c.TargetsFile != "" {
		words = append(words, "--targets-file", c.TargetsFile)
	}
	return strings.TrimSuffix(shell.Join(words...)+" "+c.limits().Flags(), " ")
}

// printResult prints a result as text or as an indented JSON object.
func printResult(result interface{ WriteText(io.Writer) error }, asJSON bool) error {
	if !asJSON {
		return result.WriteText(os.Stdout)
	}
	return writeJSON(os.Stdout, result)
}

// writeJSON writes a value as an indented JSON object.
func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

type defectsCommand struct {
	JSON bool
}

func allDefects() []ref.Defect { return slices.Concat(ref.Defects(), ref.ProofDefects()) }

// Run runs the command.
func (c *defectsCommand) Run() error {
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(allDefects())
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tNAME\tMODEL\tCLASS\tWHAT GOES WRONG")
	for _, d := range allDefects() {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", d.Number, d.Name, d.Model, d.Class, d.Doc)
	}
	fmt.Fprintln(table, "\nPlant one with --target ref:defect=NAME (or NUMBER), two with ref:defect=NAME,second=NAME.")
	return table.Flush()
}
