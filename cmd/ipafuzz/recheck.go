package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/recheck"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// faults checks which faults of campaigns the target still has.
func (c *checkCommand) faults(ctx context.Context) error {
	faults, err := c.readFaults()
	if err != nil {
		return err
	}
	target, file, err := c.resolve(c.Target)
	if err != nil {
		return err
	}
	places := make(map[*apimodel.Model]*recheck.Place)
	checker := recheck.Checker{Limits: limitsOf, Open: func(model *apimodel.Model) (*recheck.Place, error) {
		if p, opened := places[model]; opened {
			return p, nil
		}
		p, err := openPlace(target, model, file)
		places[model] = p
		return p, err
	}}
	report, err := checker.Check(ctx, c.Target, faults)
	if err != nil {
		if ctx.Err() != nil && report != nil && len(report.Faults) > 0 { // say what the checks that ran showed
			report.Dirs = c.Suite
			err = errors.Join(c.write(report, report.WriteJUnit, report.WriteText), err)
		}
		return err
	}
	report.Dirs = c.Suite
	if err := c.write(report, report.WriteJUnit, report.WriteText); err != nil {
		return err
	}
	switch {
	case report.Count(recheck.Remains)+report.Count(recheck.Partly) > 0:
		return exit.ErrFindings
	case report.Count(recheck.Unknown) > 0:
		return exit.ErrDoubt
	}
	return nil
}

func (c *checkCommand) readFaults() ([]fault.Fault, error) {
	if err := store.Distinct(c.Suite); err != nil {
		return nil, exit.MisuseOfDirectory(err)
	}
	var stored []store.FindingRecord
	var names []string
	for _, dir := range c.Suite {
		s, err := store.ReadStored(dir)
		if err != nil {
			return nil, exit.MisuseOfDirectory(err)
		}
		for _, f := range s.Findings {
			if c.Of == "" || f.Target.Name == c.Of {
				stored = append(stored, f)
			}
			if !slices.Contains(names, f.Target.Name) {
				names = append(names, f.Target.Name)
			}
		}
	}
	switch dirs := strings.Join(c.Suite, ", "); {
	case len(names) == 0:
		return nil, exit.Misusef("%s has no findings, so there is nothing to check", dirs)
	case len(stored) == 0:
		return nil, exit.Misusef("--of %s: %s has no findings of that target, only of %s", c.Of, dirs,
			strings.Join(names, ", "))
	case len(names) > 1 && c.Of == "":
		return nil, exit.Misusef("%s has findings of several targets (%s); name one with --of", dirs,
			strings.Join(names, ", "))
	}
	faults, err := fault.Read(stored)
	return faults, exit.MisuseOfDirectory(err)
}

// serving returns the target for a model, or nil if it does not support the model.
func serving(target *replay.Target, model *apimodel.Model, file *targets.File) (*replay.Target, error) {
	served, err := targets.ForModel(target, model, file)
	if _, cannot := errors.AsType[*replay.TargetError](err); cannot && model != target.Model {
		return nil, nil
	}
	return served, err
}

// openPlace opens the target for a model. It returns nil if the target does not support the model.
func openPlace(target *replay.Target, model *apimodel.Model, file *targets.File) (*recheck.Place, error) {
	served, err := serving(target, model, file)
	if served == nil || err != nil {
		return nil, err
	}
	description, err := trial.Describe(served, replay.DefaultLimits)
	if err != nil {
		return nil, err
	}
	return &recheck.Place{Target: served, Description: description}, nil
}

// limitsOf returns the limits in the notes of a minimal trace.
func limitsOf(f *store.Finding) (replay.Limits, error) {
	var flags limitFlags
	noted := notes.ResultOf(f.Minimal.Notes).Limits
	parser, err := kong.New(&flags)
	if err == nil {
		_, err = parser.Parse(strings.Fields(noted))
	}
	if err != nil {
		return replay.Limits{}, exit.Misuse(fmt.Errorf("the limits %q in the notes of minimal.trace: %w", noted, err))
	}
	return flags.limits(), nil
}

// write writes a result as text or JSON, and as JUnit XML beside it.
func (c *checkCommand) write(report any, asJUnit func(io.Writer) error, asText func(io.Writer, bool) error) error {
	text := os.Stdout
	if c.JUnit != "" {
		out := os.Stdout
		if c.JUnit != "-" {
			file, err := os.Create(c.JUnit)
			if err != nil {
				return exit.Misuse(fmt.Errorf("the result cannot be written: %w", err))
			}
			defer file.Close()
			out = file
		} else {
			text = os.Stderr
		}
		if err := asJUnit(out); err != nil {
			return err
		}
	}
	if c.JSON {
		return writeJSON(text, report)
	}
	shown := new(bytes.Buffer)
	if err := asText(shown, c.All); err != nil {
		return err
	}
	_, err := text.WriteString(printable.Text(shown.String()))
	return err
}
