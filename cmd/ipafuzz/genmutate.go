package main

import (
	"context"
	"errors"
	"strings"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// parentsTogether is how many traces of a large corpus a mutation has to do
// with: the one that is changed and the next ones.
const parentsTogether = 8

// mutate writes mutations of the given traces. Each of them is the one that is
// mutated in turn; the others give parts.
func (g *genCommand) mutate(ctx context.Context) error {
	config, err := g.config()
	if err != nil {
		return err
	}
	parents, err := sources.All(g.Mutate, traceSources())
	if err != nil {
		return exit.Misuse(err)
	}
	if g.Model == "" && g.Target == nil {
		config.Model = parents[0].Trace.Model
	}
	mutator, err := mutate.New(config)
	if err != nil {
		return exit.Misuse(err)
	}
	out, err := g.open()
	if err != nil {
		return err
	}
	t := new(trace.Trace)
	turn, names := make([]*trace.Trace, min(len(parents), parentsTogether)), make([]string, min(len(parents), parentsTogether))
	for number := g.Number; number-g.Number < g.N && ctx.Err() == nil; number++ {
		seed := gen.Seed(uint64(g.Seed), g.Shard, number)
		first := int(number % uint64(len(parents)))
		for i := range turn {
			parent := &parents[(first+i)%len(parents)]
			turn[i], names[i] = parent.Trace, parent.Name
		}
		done, err := mutator.Mutate(seed, turn, t)
		if err != nil {
			return exit.Misuse(err)
		}
		t.Notes = mutate.Notes(seed, names, done)
		if features := measure.FeaturesOf(t); len(features) > 0 {
			t.Notes = append(t.Notes, "features="+strings.Join(features, ","))
		}
		if err := out.write(t, number, seed); err != nil {
			return errors.Join(err, out.abort())
		}
	}
	return out.close(ctx.Err())
}
