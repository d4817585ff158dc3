package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
)

// statistics prints the properties of a family's formulas, or of those of all
// families, as the tables of the published studies do.
func (g *genCommand) statistics(ctx context.Context) error {
	names := []string{g.Family}
	if g.Family == "" {
		names = nil
		for _, f := range family.All()[1:] { // tiny makes no formulas apart from its traces
			names = append(names, f.Name)
		}
	}
	var rows []measure.Statistics
	decider, err := trial.OpenDecider(ctx)
	if err != nil {
		return err
	}
	defer decider.Close()
	for _, name := range names {
		source, err := family.NewSource(name)
		if err != nil {
			return exit.Misuse(err)
		}
		rows = append(rows, measure.StatisticsOf(ctx, source, uint64(g.Seed), g.N, decider.Decide))
		if err := cmp.Or(decider.Err, ctx.Err()); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(os.Stdout)
	switch g.Format {
	case "json":
		encoder := json.NewEncoder(out)
		for i := range rows {
			if err := encoder.Encode(&rows[i]); err != nil {
				return err
			}
		}
	case "csv":
		table := csv.NewWriter(out)
		table.Write(measure.StatisticsColumns)
		for i := range rows {
			table.Write(rows[i].Row())
		}
		table.Flush()
		if err := table.Error(); err != nil {
			return err
		}
	default:
		if err := statisticsText(out, rows); err != nil {
			return err
		}
	}
	return out.Flush()
}

func statisticsText(out io.Writer, rows []measure.Statistics) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper(strings.Join(measure.StatisticsColumns, "\t")))
	for i := range rows {
		fmt.Fprintln(table, strings.Join(rows[i].Row(), "\t"))
	}
	return table.Flush()
}
