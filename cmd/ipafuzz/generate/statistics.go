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

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
)

// StatisticsForms are the forms in which statistics can be written.
var StatisticsForms = []string{"text", "csv", "json"}

// A Row holds the measurements of one family.
type Row interface {
	Columns() []string
	Row() []string
}

// Statistics measures n formulas of the families of the kinds, or of every family of the model, as the tables of the
// published studies do. A nil model stands for the one that has the families.
func Statistics(ctx context.Context, model *apimodel.Model, kinds []gen.Config, seed, n uint64) ([]Row, error) {
	first := kinds[0].Family
	areQuantified := model == apimodel.QBF
	if _, err := family.NewSource(first); model == nil && err != nil && !family.IsTiny(first) {
		_, err := family.QuantifiedNamed(first)
		areQuantified = err == nil
	}
	all, about := family.All()[1:], apimodel.IPASIR // tiny makes formulas only together with their traces
	switch {
	case areQuantified:
		all, about = family.Quantified(), apimodel.QBF
	case model != nil && model.File:
		all = family.Of(model)
	}
	if first == "" {
		bounds := kinds[0].Bounds
		kinds = nil
		for _, f := range all {
			kinds = append(kinds, gen.Config{Family: f.Name, Bounds: bounds})
		}
	}
	solver, err := trial.OpenFormulaSolver(ctx, about)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	var rows []Row
	for i := range kinds {
		kinds[i].Model = model
		row, err := measured(ctx, solver, areQuantified, &kinds[i], seed, n)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		rows = append(rows, row)
		if err := cmp.Or(solver.Err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func measured(ctx context.Context, solver *trial.FormulaSolver, isQuantified bool, kind *gen.Config,
	seed, n uint64) (Row, error) {
	if isQuantified {
		source, err := family.NewQuantifiedSource(kind.Family)
		if err != nil {
			return nil, err
		}
		if kind.Bounds != (gen.Bounds{}) {
			return nil, fmt.Errorf("families of quantified formulas have sizes of their own: leave out the bounds, " +
				"or choose a smaller family ('gen --model qbf --list')")
		}
		found := measure.QuantifiedStatisticsOf(ctx, source, seed, n, solver.DecideQuantified)
		return &found, nil
	}
	source, err := boundedSource(kind)
	if err != nil {
		return nil, err
	}
	found := measure.StatisticsOf(ctx, source, seed, n, solver.Decide)
	return &found, nil
}

// WriteStatistics writes the rows in one of StatisticsForms; "" is text.
func WriteStatistics(w io.Writer, rows []Row, form string) error {
	out := bufio.NewWriter(w)
	switch form {
	case "json":
		encoder := json.NewEncoder(out)
		for i := range rows {
			if err := encoder.Encode(rows[i]); err != nil {
				return err
			}
		}
	case "csv":
		table := csv.NewWriter(out)
		table.Write(rows[0].Columns())
		for i := range rows {
			table.Write(rows[i].Row())
		}
		table.Flush()
		if err := table.Error(); err != nil {
			return err
		}
	default:
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, strings.ToUpper(strings.Join(rows[0].Columns(), "\t")))
		for i := range rows {
			fmt.Fprintln(table, strings.Join(rows[i].Row(), "\t"))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	return out.Flush()
}
