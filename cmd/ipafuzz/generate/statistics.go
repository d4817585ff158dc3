package generate

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
)

// StatisticsForms are how statistics can be written.
var StatisticsForms = []string{"text", "csv", "json"}

// Statistics measures n formulas of one family, or of every family, as the tables of
// the published studies do.
func Statistics(ctx context.Context, only string, seed, n uint64) ([]measure.Statistics, error) {
	names := []string{only}
	if only == "" {
		names = nil
		for _, f := range family.All()[1:] { // tiny makes no formulas apart from its traces
			names = append(names, f.Name)
		}
	}
	solver, err := trial.OpenFormulaSolver(ctx)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	var rows []measure.Statistics
	for _, name := range names {
		source, err := family.NewSource(name)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		rows = append(rows, measure.StatisticsOf(ctx, source, seed, n, solver.Decide))
		if err := cmp.Or(solver.Err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// WriteStatistics writes the rows in one of StatisticsForms; "" is text.
func WriteStatistics(w io.Writer, rows []measure.Statistics, form string) error {
	out := bufio.NewWriter(w)
	switch form {
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
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, strings.ToUpper(strings.Join(measure.StatisticsColumns, "\t")))
		for i := range rows {
			fmt.Fprintln(table, strings.Join(rows[i].Row(), "\t"))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return out.Flush()
}
