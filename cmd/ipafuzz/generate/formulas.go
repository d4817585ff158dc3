package generate

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// writeFormulas writes the part of the trace that the format can express, and counts the rest.
func (out *Output) writeFormulas(t *trace.Trace, number uint64) error {
	all, err := formulas(t, out.Format)
	if err != nil {
		return err
	}
	if out.Path == "" && len(all) > 1 {
		return exit.Misusef("--format %s: trace %d makes %d files, but standard output takes one: "+
			"name a directory with --out, or %s", out.Format, number, len(all), out.Advice)
	}
	for i, one := range all {
		if err := out.writeOne(one, number, i, len(all)); err != nil {
			return err
		}
	}
	return nil
}

// writeOne writes formula i of n of a number, or counts it as skipped.
func (out *Output) writeOne(one formula, number uint64, i, n int) error {
	if one.err != nil {
		if out.skipped++; out.firstSkipped == nil {
			out.firstSkipped = fmt.Errorf("trace %d: %w", number, one.err)
		}
		return nil
	}
	out.written++
	if out.Path == "" {
		_, err := out.printed.Write(one.text)
		return err
	}
	name := fmt.Sprintf("%d-%d", number, i+1)
	if n == 1 {
		name = fmt.Sprint(number)
	}
	return out.writeFile(name+format.Of(out.Format).Extensions[0], one.text)
}

func (out *Output) reportSkipped() error {
	switch {
	case out.skipped == 0:
		return nil
	case out.written == 0:
		return exit.Misusef("nothing was written: %w", out.firstSkipped)
	}
	fmt.Fprintf(os.Stderr, "ipafuzz: %d of %d files were left out, because the format cannot express them. "+
		"The first: %v\n",
		out.skipped, out.written+out.skipped, out.firstSkipped)
	return nil
}

// A formula is the part of a trace that is in one file.
type formula struct {
	text []byte
	err  error // a *format.CannotSayError, instead of the text
}

// formulas writes the trace in the format: in one file if possible, or else in one for each of its solvers
// or each solve.
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

// solversOf splits the trace into its solvers: the calls of each one that solves, from its init to its
// release.
func solversOf(t *trace.Trace) []*trace.Trace {
	var all []*trace.Trace
	current := make(map[uint16]*trace.Trace)
	for i := range t.Calls {
		c := &t.Calls[i]
		solver := current[c.Instance]
		if solver == nil {
			part := *t
			part.Calls = nil
			solver = &part
			current[c.Instance] = solver
			all = append(all, solver)
		}
		solver.Calls = append(solver.Calls, *c)
		if c.Op == apimodel.OpRelease {
			delete(current, c.Instance)
		}
	}
	return slices.DeleteFunc(all, func(solver *trace.Trace) bool { return solver.Solves() == 0 })
}
