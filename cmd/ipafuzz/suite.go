package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/suite"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagrules"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type suiteCommand struct {
	Build suiteBuild `cmd:""`
}

// suiteWithin is the time limit for one test while a suite is built.
const suiteWithin = time.Second

type suiteBuild struct {
	Traces []string `arg:"" placeholder:"DIR"`
	Out    string   `required:"" type:"path" placeholder:"DIR"`
	Name   string   `placeholder:"NAME"`
	Target string   `default:"ref" placeholder:"TARGET"`
	targetFlags
}

// Run runs the command.
func (s *suiteBuild) Run(ctx context.Context) error {
	if err := suite.Vacant(s.Out); err != nil { // before the work, not after it
		return exit.Misuse(err)
	}
	name := cmp.Or(s.Name, filepath.Base(s.Out))
	targets := &suiteTargets{spec: s.Target, flags: &s.targetFlags, limits: replay.DefaultLimits}
	defer targets.close()
	if err := targets.find(); err != nil {
		return err
	}
	files := traceSources()
	files.Files = true // any target can be tested with them
	builder := suite.NewBuilder(name, s.Target, suiteWithin, targets.open)
	for item, err := range sources.Read(s.Traces, files) {
		if err != nil {
			return err
		}
		if s.Model != "" && s.Model != item.Trace.Model.Name {
			builder.Left = append(builder.Left, fmt.Sprintf("%s: --model does not want %s", item.Name, item.Trace.Model.Name))
			continue
		}
		if err := builder.Add(ctx, item); err != nil {
			return err
		}
	}
	for _, left := range builder.Left {
		fmt.Fprintf(os.Stderr, "left out: %s\n", printable.Text(left))
	}
	if len(builder.Entries) == 0 {
		return exit.Misusef("none of these traces can become a test")
	}
	if err := builder.Write(s.Out); err != nil {
		return exit.Misusef("the suite cannot be written: %w (name another directory with --out)", err)
	}
	formulas := 0
	for i := range builder.Entries {
		if builder.Entries[i].WCNF != "" {
			formulas++
		}
	}
	return printText(fmt.Sprintf("%s: %s, %d of them also as WCNF; %d left out\n",
		s.Out, printable.Things(len(builder.Entries), "test"), formulas, len(builder.Left)))
}

// suiteTargets opens a target, once for each model.
type suiteTargets struct {
	spec   string
	flags  *targetFlags
	limits replay.Limits
	target *replay.Target
	file   *targets.File
	opened map[*apimodel.Model]*suite.Opened
	ends   []func()
}

// find resolves the target, so that a mistake in its name is reported at once.
func (s *suiteTargets) find() (err error) {
	s.target, s.file, err = s.flags.resolve(s.spec)
	return err
}

func (s *suiteTargets) open(model *apimodel.Model) (*suite.Opened, error) {
	if o, known := s.opened[model]; known {
		return o, nil
	}
	if s.opened == nil {
		s.opened = make(map[*apimodel.Model]*suite.Opened)
	}
	s.opened[model] = nil
	target, err := serving(s.target, model, s.file)
	if target == nil || err != nil {
		return nil, err
	}
	runner, err := replay.Open(target, replay.Fork, s.limits)
	if err != nil {
		return nil, err
	}
	s.ends = append(s.ends, runner.Close)
	description, err := runner.Description()
	if err != nil {
		return nil, err
	}
	s.opened[model] = &suite.Opened{Runner: runner, Description: description}
	return s.opened[model], nil
}

func (s *suiteTargets) close() {
	for _, do := range s.ends {
		do()
	}
}

type checkCommand struct {
	Suite      []string `arg:"" optional:"" placeholder:"SUITE"`
	Target     string   `placeholder:"TARGET"`
	Of         string   `placeholder:"TARGET"`
	Anytime    bool
	Unweighted bool
	Strict     bool
	Timeout    flagvalue.Duration `default:"10s" placeholder:"10s"`
	JUnit      string             `name:"junit" placeholder:"FILE"`
	JSON       bool
	All        bool
	List       bool
	targetFlags
}

// Run runs the command.
func (c *checkCommand) Run(ctx context.Context) error {
	if c.JUnit == "-" && c.JSON {
		return exit.Misusef("--junit - and --json would print to the same place; name a file")
	}
	if c.Target == "" && !c.List {
		return exit.Misusef("missing flags: --target=TARGET (only --list does without one)")
	}
	if flagrules.AreCampaigns(c.Suite) {
		return c.faults(ctx)
	}
	limits := replay.DefaultLimits
	limits.CPU, limits.Wall = c.Timeout.Duration, 4*c.Timeout.Duration
	targets := &suiteTargets{spec: c.Target, flags: &c.targetFlags, limits: limits}
	defer targets.close()
	if !c.List {
		if err := targets.find(); err != nil {
			return err
		}
	}
	s, err := c.suite(targets.target)
	if err != nil {
		return err
	}
	if c.Model != "" {
		s.Entries = slices.DeleteFunc(s.Entries, func(e suite.Entry) bool { return e.Model != c.Model })
		if len(s.Entries) == 0 {
			return exit.Misusef("%s has no test of model %s", s.Name, c.Model)
		}
	}
	if c.List {
		return c.list(s)
	}
	rules := suite.Rules{Anytime: c.Anytime, Unweighted: c.Unweighted, Strict: c.Strict}
	report, err := s.Check(ctx, c.Target, targets.open, rules)
	if err != nil {
		if ctx.Err() != nil && len(report.Verdicts) > 0 { // say what the tests that ran showed
			err = errors.Join(c.write(report, report.WriteJUnit, report.WriteText), err)
		}
		return err
	}
	if report.Count(suite.Skipped) == len(report.Verdicts) {
		return exit.Misusef("%s has no test that %s can run: %s", s.Name, c.Target, report.Reasons())
	}
	if err := c.write(report, report.WriteJUnit, report.WriteText); err != nil {
		return err
	}
	failed := report.Count(suite.Failed) > 0 || c.Strict && report.Count(suite.Warned) > 0
	return exit.Of(failed, report.Unchecked(), c.Strict)
}

// suite returns the tests. The target is nil if they only are to be listed.
func (c *checkCommand) suite(target *replay.Target) (*suite.Suite, error) {
	if len(c.Suite) == 0 {
		return suite.First()
	}
	if _, err := os.Stat(filepath.Join(c.Suite[0], "suite.json")); err != nil || len(c.Suite) > 1 {
		options := traceSources()
		if target != nil {
			options = sourcesFor(options, target.Model)
		}
		items, err := sources.All(c.Suite, options)
		if err != nil {
			return nil, err
		}
		return suite.Of(strings.Join(c.Suite, ", "), items), nil
	}
	s, err := suite.Read(os.DirFS(c.Suite[0]), c.Suite[0])
	if format := new(suite.FormatError); errors.As(err, &format) {
		return nil, exit.Misuse(err)
	}
	return s, err
}

// list prints the tests that the flags choose.
func (c *checkCommand) list(s *suite.Suite) error {
	if c.Unweighted {
		s.Entries = slices.DeleteFunc(s.Entries, func(e suite.Entry) bool { return !e.Unweighted })
	}
	if c.JSON {
		return writeJSON(os.Stdout, s.Entries)
	}
	var out strings.Builder
	for i := range s.Entries {
		e := &s.Entries[i]
		fmt.Fprintf(&out, "%-62s %-6s %-1s %s\n", e.Name, e.Model, e.Weights, strings.Join(e.Answers, ", "))
	}
	return printText(out.String())
}
