package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

var statisticsForms = []string{"text", "csv", "json"}

// checkFormat reads --format: a form of the statistics, or a format of traces.
func (g *genCommand) checkFormat() error {
	if g.Stats {
		if g.Format != "" && !slices.Contains(statisticsForms, g.Format) {
			return exit.Misusef("--format %s: statistics are written as %s", g.Format, strings.Join(statisticsForms, ", "))
		}
		return nil
	}
	if g.Format == "" {
		return nil
	}
	f, err := format.Parse(g.Format)
	if err != nil {
		return exit.Misusef("--format: %w; with --stats there are %s", err, strings.Join(statisticsForms, ", "))
	}
	if g.fileFormat = f; f == format.Trace {
		g.fileFormat = ""
		return nil
	}
	if g.Binary || g.JSON {
		return exit.Misusef("--format %s: --binary and --json are for traces", f)
	}
	if g.N > 1 && g.Out == "" {
		return exit.Misusef("--format %s: %d traces need --out with a directory, for a file each", f, g.N)
	}
	if g.Model == "" && len(g.Mutate) == 0 && !format.Of(f).Soft {
		g.Model = apimodel.IPASIR.Name // it has no words for costs
	}
	return nil
}

// A formula is what one file says of a trace.
type formula struct {
	text []byte
	err  error // a *format.CannotSayError, in place of the text
}

// formulas says the trace in the format: in one file where it can, else in one
// for each of its solvers, or for each solve.
func formulas(t *trace.Trace, f format.Format) ([]formula, error) {
	var all []formula
	for _, solver := range solversOf(t) {
		if format.Of(f).Many {
			var out bytes.Buffer
			err := format.Write(&out, f, solver)
			all = append(all, formula{out.Bytes(), err})
			continue
		}
		for _, solve := range format.Solves(solver) {
			var out bytes.Buffer
			_, err := format.WriteFormula(&out, f, solve, solver)
			all = append(all, formula{out.Bytes(), err})
		}
	}
	for _, one := range all {
		var cannot *format.CannotSayError
		if one.err != nil && !errors.As(one.err, &cannot) {
			return nil, one.err
		}
	}
	return all, nil
}

// solversOf takes the trace apart: the calls of each solver that solves, from
// its beginning to its release.
func solversOf(t *trace.Trace) []*trace.Trace {
	var all []*trace.Trace
	now := make(map[uint16]*trace.Trace)
	for i := range t.Calls {
		c := &t.Calls[i]
		solver := now[c.Instance]
		if solver == nil {
			part := *t
			part.Calls = nil
			solver = &part
			now[c.Instance] = solver
			all = append(all, solver)
		}
		solver.Calls = append(solver.Calls, *c)
		if c.Op == apimodel.OpRelease {
			delete(now, c.Instance)
		}
	}
	return slices.DeleteFunc(all, func(solver *trace.Trace) bool { return solver.Solves() == 0 })
}

// writeFormulas writes what the format can say of the trace. What it cannot is
// counted.
func (out *genOut) writeFormulas(t *trace.Trace, number uint64) error {
	all, err := formulas(t, out.fileFormat)
	if err != nil {
		return err
	}
	if out.Out == "" && len(all) > 1 {
		return exit.Misusef("--format %s: trace %d makes %d files, standard output takes one: name a directory with --out, "+
			"or ask for traces of one solve with --profile published", out.fileFormat, number, len(all))
	}
	for i, one := range all {
		if one.err != nil {
			if out.unsaid++; out.firstUnsaid == nil {
				out.firstUnsaid = fmt.Errorf("trace %d: %w", number, one.err)
			}
			continue
		}
		out.said++
		if out.Out == "" {
			if _, err := out.printed.Write(one.text); err != nil {
				return err
			}
			continue
		}
		name := fmt.Sprintf("%d-%d", number, i+1)
		if len(all) == 1 {
			name = fmt.Sprint(number)
		}
		path := filepath.Join(out.Out, name+format.Of(out.fileFormat).Extensions[0])
		if err := os.WriteFile(path, one.text, 0o644); err != nil {
			return out.unwritable(err)
		}
	}
	return nil
}

// tellUnsaid says what is missing in the output.
func (out *genOut) tellUnsaid() error {
	switch {
	case out.unsaid == 0:
		return nil
	case out.said == 0:
		return exit.Misuse(fmt.Errorf("nothing was written: %w", out.firstUnsaid))
	}
	fmt.Fprintf(os.Stderr, "ipafuzz: %d of %d files were left out, since the format has no words for them. The first: %v\n",
		out.unsaid, out.said+out.unsaid, out.firstUnsaid)
	return nil
}
