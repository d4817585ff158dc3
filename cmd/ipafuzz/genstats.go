package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// statistics prints the properties of a family's formulas, or of those of all
// families, as the tables of the published studies do.
func (g *genCommand) statistics(ctx context.Context) error {
	names := []string{g.Family}
	if g.Family == "" {
		names = nil
		for _, f := range gen.Families()[1:] { // tiny makes no formulas apart from its traces
			names = append(names, f.Name)
		}
	}
	var rows []gen.Statistics
	solver, err := openDecider(ctx)
	if err != nil {
		return err
	}
	defer solver.close()
	for _, name := range names {
		source, err := gen.NewSource(name)
		if err != nil {
			return useError{err}
		}
		rows = append(rows, source.Statistics(uint64(g.Seed), g.N, solver.decide))
		if solver.err != nil {
			return solver.err
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
		table.Write(gen.StatisticsColumns)
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

func statisticsText(out io.Writer, rows []gen.Statistics) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper(strings.Join(gen.StatisticsColumns, "\t")))
	for i := range rows {
		fmt.Fprintln(table, strings.Join(rows[i].Row(), "\t"))
	}
	return table.Flush()
}

// deciderTime is how long one formula may take; after it the answer counts as
// not known. The formulas of the papers are decided in far less.
const deciderTime = 500 * time.Millisecond

// A decider asks the built-in library whether formulas are satisfiable.
type decider struct {
	ctx    context.Context
	runner replay.Runner
	t      trace.Trace
	run    trace.Run
	err    error // a failure of the surroundings
}

func openDecider(ctx context.Context) (*decider, error) {
	target, err := replay.Resolve("ref", apimodel.IPASIR.Name, nil)
	if err != nil {
		return nil, err
	}
	limits := replay.DefaultLimits
	limits.CPU = deciderTime
	runner, err := replay.Open(target, replay.Persistent, limits)
	if err != nil {
		return nil, err
	}
	return &decider{ctx: ctx, runner: runner}, nil
}

func (d *decider) close() { d.runner.Close() }

// decide solves the hard clauses, then all of them.
func (d *decider) decide(f *gen.Formula) (hard, all, known bool) {
	if d.err != nil {
		return false, false, false
	}
	d.t.Reset(apimodel.IPASIR)
	for _, soft := range []bool{false, true} {
		for i := range f.Clauses() {
			if lits, weight := f.Clause(i); (weight > 0) == soft {
				d.t.Clause(0, true, lits...)
			}
		}
		d.t.Plain(0, apimodel.OpSolve)
	}
	if d.err = d.runner.Run(d.ctx, &d.t, &d.run); d.err != nil || d.run.End != trace.Finished {
		return false, false, false
	}
	var status [2]int
	n := 0
	for i := range d.t.Calls {
		if d.t.Calls[i].Op == apimodel.OpSolve {
			status[n] = int(d.run.Answers.At(i).Int())
			n++
		}
	}
	final := func(s int) bool { return s == apimodel.Satisfiable || s == apimodel.Unsatisfied }
	return status[0] == apimodel.Satisfiable, status[1] == apimodel.Satisfiable, final(status[0]) && final(status[1])
}
