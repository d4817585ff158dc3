package main

import (
	"bufio"
	"context"
	"errors"
	"os"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
)

// mutate writes mutations of the given traces. Each of them is the one that is
// mutated in turn; the others give parts.
func (g *genCommand) mutate(ctx context.Context) error {
	config, err := g.config()
	if err != nil {
		return err
	}
	var parents []*trace.Trace
	for _, name := range g.Mutate {
		t, err := readTrace(name)
		if err != nil {
			return useError{err}
		}
		parents = append(parents, t)
	}
	if g.Model == "" && g.Target == nil {
		config.Model = parents[0].Model
	}
	mutator, err := gen.NewMutator(config)
	if err != nil {
		return useError{err}
	}
	if g.Out != "" {
		if err := os.MkdirAll(g.Out, 0o755); err != nil {
			return useError{err}
		}
	}
	out := bufio.NewWriter(os.Stdout)
	t := new(trace.Trace)
	names := make([]string, len(parents))
	for number := g.Number; number-g.Number < g.N && ctx.Err() == nil; number++ {
		seed := gen.Seed(uint64(g.Seed), 0, number)
		first := int(number % uint64(len(parents)))
		turn := append(append([]*trace.Trace(nil), parents[first:]...), parents[:first]...)
		copy(names, append(append([]string(nil), g.Mutate[first:]...), g.Mutate[:first]...))
		done, err := mutator.Mutate(seed, turn, t)
		if err != nil {
			return useError{err}
		}
		t.Notes = gen.MutationNotes(seed, names, done)
		if err := g.write(out, t, number, seed); err != nil {
			return err
		}
	}
	return errors.Join(out.Flush(), ctx.Err())
}
