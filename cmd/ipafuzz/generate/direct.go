package generate

import (
	"bytes"
	"errors"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A Writer writes the formulas of a family as the family makes them, without calls. So nothing is assumed,
// renamed or relaxed to fit an interface.
type Writer struct {
	source  *family.Source
	formula family.Formula
	clauses []format.Weighted
	buffer  bytes.Buffer
	config  gen.Config
}

// NewWriter returns a writer of the formulas of config's family within its bounds.
func NewWriter(config gen.Config, f format.Format) (*Writer, error) {
	source, err := boundedSource(&config)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if !format.Of(f).Soft {
		source.WithoutCosts()
	}
	return &Writer{source: source, config: config}, nil
}

// boundedSource returns the source of the formulas of a kind's family, within the kind's bounds.
func boundedSource(kind *gen.Config) (*family.Source, error) {
	open := family.NewSource
	if kind.Model != nil && kind.Model.File {
		open = family.NewFileSource
	}
	source, err := open(kind.Family)
	if err != nil {
		return nil, err
	}
	b := kind.Bounds
	source.Within(family.Limits{Vars: b.MaxVars, Calls: b.MaxCalls, MaxWeight: b.MaxWeight, MaxSum: b.MaxSum})
	source.Plant(kind.Plant)
	return source, nil
}

// WriteFormula writes the formula with that number.
func (out *Output) WriteFormula(w *Writer, number, seed uint64) error {
	w.source.Formula(seed, &w.formula)
	w.clauses = w.clauses[:0]
	for i := range w.formula.Clauses() {
		lits, weight := w.formula.Clause(i)
		w.clauses = append(w.clauses, format.Weighted{Lits: lits, Weight: weight})
	}
	w.buffer.Reset()
	_, err := format.WriteWeighted(&w.buffer, out.Format, w.clauses, w.config.FormulaNotes(w.source.Family(), seed))
	var cannot *format.CannotSayError
	if err != nil && !errors.As(err, &cannot) {
		return err
	}
	return out.writeOne(formula{w.buffer.Bytes(), err}, number, 0, 1)
}
