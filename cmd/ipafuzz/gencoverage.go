package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// coverageTraces is how many traces --coverage looks at when no number is given.
const coverageTraces = 10_000

// coverage prints what the traces of a profile, or of every profile, reach of
// the model.
func (g *genCommand) coverage(ctx context.Context) error {
	config, err := g.config()
	if err != nil {
		return err
	}
	n := g.N
	if n == 1 {
		n = coverageTraces
	}
	names := []string{config.Profile}
	if config.Profile == "" {
		names = names[:0]
		for _, p := range gen.Profiles() {
			names = append(names, p.Name)
		}
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper("profile\t"+strings.Join(measure.CoverageColumns, "\t")))
	var last *measure.Coverage
	for _, name := range names {
		config.Profile = name
		if last, err = coverageOf(ctx, config, uint64(g.Seed), n); err != nil {
			return err
		}
		fmt.Fprintln(table, name+"\t"+strings.Join(last.Row(), "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(names) == 1 {
		listMissing(os.Stdout, "not reached", last.Missing())
		listMissing(os.Stdout, "arguments not met", last.MissingExtremes())
	}
	return nil
}

func listMissing(w io.Writer, what string, missing []string) {
	for _, m := range missing {
		fmt.Fprintf(w, "%s: %s\n", what, m)
	}
}

// coverageOf counts what the first n traces of a campaign reach.
func coverageOf(ctx context.Context, config gen.Config, campaign, n uint64) (*measure.Coverage, error) {
	generator, err := gen.New(config)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	coverage := measure.NewCoverage(config.Model)
	var t trace.Trace
	for number := uint64(0); number < n && ctx.Err() == nil; number++ {
		generator.Generate(gen.Seed(campaign, 0, number), &t)
		if err := coverage.Add(&t); err != nil {
			return nil, err
		}
	}
	return coverage, ctx.Err()
}
