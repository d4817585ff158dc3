package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type conformCommand struct {
	Target  string   `placeholder:"TARGET" xor:"what"`
	Pipe    string   `placeholder:"COMMAND" xor:"what"`
	Show    string   `placeholder:"CASE" xor:"show"`
	List    bool     `xor:"what,show"`
	Group   []string `placeholder:"GROUP"`
	Case    []string `placeholder:"CASE"`
	Traces  []string `placeholder:"TRACES"`
	Verbose bool     `short:"v"`
	Format  string   `enum:"text,markdown,json,junit" default:"text"`
	JSON    bool
	targetFlags
	limitFlags
}

// Run runs the command.
func (c *conformCommand) Run(ctx context.Context) error {
	if c.Model != "" && apimodel.ByName(c.Model) == nil {
		return exit.Misusef("there is no API model %q; there are %s", c.Model, apimodel.Names())
	}
	if c.JSON && c.Format != "text" && c.Format != "json" {
		return exit.Misusef("--json excludes --format %s", c.Format)
	}
	if c.JSON {
		c.Format = "json"
	}
	if c.Pipe != "" {
		c.Target = "pipe:" + c.Pipe
	}
	switch {
	case c.Show != "" && c.Target == "":
		return c.show(apimodel.ByName(c.Model))
	case c.List:
		return c.list()
	case c.Target == "":
		return exit.Misusef("name a --target, a --pipe command, a case to --show, or --list")
	}
	target, err := c.resolveCalls(c.Target)
	if err != nil {
		return err
	}
	if c.Show != "" {
		return c.showRun(ctx, target)
	}
	return c.test(ctx, target)
}

// test runs the chosen cases on the target and prints the report.
func (c *conformCommand) test(ctx context.Context, target *replay.Target) error {
	cases, err := c.choose(target.Model, conform.For(target.Model))
	if err != nil {
		return err
	}
	if len(c.Traces) > 0 {
		if cases, err = c.casesOf(target.Model); err != nil {
			return err
		}
	}
	if target.Kind == replay.Pipe && len(c.Group) == 0 && len(c.Case) == 0 && len(c.Traces) == 0 {
		if err := c.checkPipe(target); err != nil {
			return err
		}
	}
	runner, err := replay.Open(target, replay.Fork, c.limits())
	if err != nil {
		return err
	}
	defer runner.Close()
	suite := conform.Suite{Runner: runner,
		OpenHeap: func() (conform.Runner, error) { return replay.OpenHeap(ctx, target, c.limits()) }}
	if c.Verbose {
		suite.Each = func(r *conform.Result) { fmt.Fprintf(os.Stderr, "%s: %s\n", r.Case.Name, r.Outcome) }
	}
	report := conform.Report{Target: c.Target, Model: target.Model.Name}
	report.Results, err = suite.Run(ctx, cases)
	if _, ok := errors.AsType[*conform.WrongCaseError](err); len(c.Traces) > 0 && ok {
		return exit.Misuse(err)
	}
	interrupted := err != nil && ctx.Err() != nil && len(report.Results) > 0
	if err != nil && !interrupted {
		return err
	}
	var out bytes.Buffer
	if err := report.Write(&out, c.Format); err != nil {
		return err
	}
	if err := printText(out.String()); err != nil {
		return err
	}
	if interrupted {
		fmt.Fprintf(os.Stderr, "ipafuzz: only %d of %d cases ran\n", len(report.Results), len(cases))
		return err
	}
	if c.Format == "json" || c.Format == "junit" {
		fmt.Fprintln(os.Stderr, report.Summary())
	}
	return conformed(&report)
}

// conformed returns the error that chooses the exit code. If no case applies to the target, nothing was checked.
func conformed(report *conform.Report) error {
	switch ran := report.Count(conform.Pass) + report.Count(conform.Unspecified); {
	case report.Count(conform.Fail) > 0:
		return exit.ErrFindings
	case ran == 0:
		fmt.Fprintln(os.Stderr, "ipafuzz: no case applies to the target: nothing was checked")
		return exit.ErrDoubt
	case report.Count(conform.Unchecked) > 0:
		return exit.ErrDoubt
	}
	return nil
}

// show prints the trace of a case.
func (c *conformCommand) show(m *apimodel.Model) error {
	found := conform.Find(c.Show, m)
	if found == nil {
		return exit.Misusef("unknown case %q; 'ipafuzz conform --list' lists them", c.Show)
	}
	return printText(found.Text)
}

// showRun prints the trace of a case, and then in comments what the target did.
func (c *conformCommand) showRun(ctx context.Context, target *replay.Target) error {
	found := conform.Find(c.Show, target.Model)
	switch {
	case found == nil:
		return exit.Misusef("unknown case %q; 'ipafuzz conform --list' lists them", c.Show)
	case found.Model() != target.Model:
		return exit.Misusef("the case %s is for %s, and %s serves %s (--model chooses another interface)", found.Name,
			found.Model().Name, target.Name, target.Model.Name)
	}
	runner, err := replay.Open(target, replay.Fork, c.limits())
	if err != nil {
		return err
	}
	defer runner.Close()
	suite := conform.Suite{Runner: runner}
	results, err := suite.Run(ctx, []*conform.Case{found})
	if err != nil {
		return err
	}
	report := conform.Report{Target: c.Target, Model: target.Model.Name, Results: results}
	var out strings.Builder
	if err := report.WriteText(&out); err != nil {
		return err
	}
	text := strings.TrimRight(found.Text, "\n") + "\n"
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		text += strings.TrimRight("# "+line, " ") + "\n"
	}
	if err := printText(text); err != nil {
		return err
	}
	return conformed(&report)
}

// casesOf makes a case of every trace.
func (c *conformCommand) casesOf(model *apimodel.Model) (cases []*conform.Case, err error) {
	if len(c.Group) > 0 || len(c.Case) > 0 {
		return nil, exit.Misusef("--traces excludes --group and --case, which choose cases of the suite")
	}
	others := 0
	for item, err := range sources.Read(c.Traces, traceSources()) {
		switch {
		case err != nil:
			return nil, err
		case item.Trace.Model != model:
			others++
		default:
			cases = append(cases, conform.CaseOf(item.Name, item.Trace))
		}
	}
	if len(cases) == 0 {
		return nil, exit.Misusef("there are no traces for %s in %s (--model chooses another interface)",
			model.Name, strings.Join(c.Traces, ", "))
	}
	if others > 0 {
		fmt.Fprintf(os.Stderr, "Skipped, because for another interface than %s: %s.\n", model.Name,
			printable.Things(others, "trace"))
	}
	return cases, nil
}

// checkPipe checks that a runner follows the protocol. If it does not, running the suite makes no sense.
func (c *conformCommand) checkPipe(target *replay.Target) error {
	checks, err := pipe.CheckRunner(target, c.limits())
	if err != nil {
		return err
	}
	out := os.Stdout
	if c.Format != "text" {
		out = os.Stderr
	}
	wrong := 0
	for _, check := range checks {
		switch {
		case check.Wrong != "":
			wrong++
			why := strings.ReplaceAll(strings.TrimSpace(check.Wrong), "\n", "\n  ")
			fmt.Fprintf(out, "protocol: FAIL  %s\n  %s\n", check.Name, why)
		case check.Absent != "":
			fmt.Fprintf(out, "protocol: skip  %s: %s\n", check.Name, check.Absent)
		default:
			fmt.Fprintf(out, "protocol: pass  %s\n", check.Name)
		}
	}
	if wrong > 0 {
		fmt.Fprintf(out, "The runner fails %d of %d checks of the protocol (docs/protocol.md); "+
			"the suite runs once they pass.\n",
			wrong, len(checks))
		return exit.ErrFindings
	}
	return nil
}

func (c *conformCommand) list() error {
	var out bytes.Buffer
	for _, m := range apimodel.Libraries() {
		if c.Model != "" && c.Model != m.Name {
			continue
		}
		cases, err := c.choose(m, conform.Cases(m))
		if err != nil && c.Model != "" {
			return err
		}
		for _, found := range cases {
			if c.JSON {
				line, err := json.Marshal(struct {
					Case  string `json:"case"`
					Title string `json:"title"`
				}{found.Name, found.Title})
				if err != nil {
					return err
				}
				fmt.Fprintf(&out, "%s\n", line)
				continue
			}
			fmt.Fprintf(&out, "%-45s  %s\n", found.Name, found.Title)
		}
	}
	if out.Len() == 0 {
		return exit.Misusef("that selection has no case of any model")
	}
	return printText(out.String())
}

// choose returns those of the cases for the model that --group and --case name.
func (c *conformCommand) choose(m *apimodel.Model, cases []*conform.Case) (chosen []*conform.Case, err error) {
	used := make([]bool, len(c.Group)+len(c.Case))
	for _, candidate := range cases {
		take := len(used) == 0
		for i, group := range c.Group {
			if group == candidate.Group() {
				used[i], take = true, true
			}
		}
		for i, pattern := range c.Case {
			short, err := path.Match(pattern, candidate.Short())
			if err != nil {
				return nil, exit.Misusef("--case %q: %v", pattern, err)
			}
			if whole, _ := path.Match(pattern, candidate.Name); short || whole {
				used[len(c.Group)+i], take = true, true
			}
		}
		if take {
			chosen = append(chosen, candidate)
		}
	}
	for i, found := range used {
		if found {
			continue
		}
		if i < len(c.Group) {
			return chosen, exit.Misusef("the suite for %s has no group %q; 'ipafuzz conform --list' lists its cases",
				m.Name, c.Group[i])
		}
		return chosen, exit.Misusef("the suite for %s has no case %q; 'ipafuzz conform --list' lists them",
			m.Name, c.Case[i-len(c.Group)])
	}
	return chosen, nil
}
