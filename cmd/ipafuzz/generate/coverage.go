package generate

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/trace"
)

// CoverageTraces is the default number of traces that are measured.
const CoverageTraces = 10_000

// WriteCoverage prints what the first n traces of each kind reach in the model. One kind without a profile and a
// family stands for every profile.
func WriteCoverage(ctx context.Context, out io.Writer, kinds []gen.Config, seed, n uint64) error {
	if first := kinds[0]; first.Profile == "" && first.Family == "" {
		kinds = nil
		for _, p := range gen.ProfilesOf(first.Model) {
			kind := first
			kind.Profile = p.Name
			kinds = append(kinds, kind)
		}
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper("profile\t"+strings.Join(measure.CoverageColumns, "\t")))
	var last *measure.Coverage
	for i := range kinds {
		var err error
		if last, err = coverageOf(ctx, kinds[i], seed, n); err != nil {
			return err
		}
		name := strings.TrimSpace(kinds[i].ProfileName() + " " + kinds[i].Family)
		fmt.Fprintln(table, name+"\t"+strings.Join(last.Row(), "\t"))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(kinds) == 1 {
		writeMissing(out, "not reached", last.Missing())
		writeMissing(out, "arguments not used", last.MissingExtremes())
	}
	return nil
}

func writeMissing(out io.Writer, what string, missing []string) {
	for _, m := range missing {
		fmt.Fprintf(out, "%s: %s\n", what, m)
	}
}

func coverageOf(ctx context.Context, config gen.Config, seed, n uint64) (*measure.Coverage, error) {
	generator, err := gen.New(config)
	if err != nil {
		return nil, err
	}
	coverage := measure.NewCoverage(config.Model)
	var t trace.Trace
	for number := uint64(0); number < n && ctx.Err() == nil; number++ {
		generator.Generate(gen.Seed(seed, 0, number), &t)
		if err := coverage.Add(&t); err != nil {
			return nil, err
		}
	}
	return coverage, ctx.Err()
}
