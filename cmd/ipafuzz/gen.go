package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/generate"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type genCommand struct {
	N        *uint64        `short:"n" name:"count" placeholder:"N"`
	Seed     flagvalue.Seed `default:"1" placeholder:"SEED"`
	Shard    uint64         `placeholder:"N"`
	Number   uint64         `placeholder:"N"`
	Target   *string        `placeholder:"TARGET"`
	Features bool
	List     bool
	Profile  string `placeholder:"PROFILE"`
	tracesFlags
	Out      string `type:"path" placeholder:"DIR"`
	Binary   bool
	JSON     bool
	Stats    bool
	Mutate   []string `placeholder:"TRACES"`
	Coverage bool
	Format   string `placeholder:"FORMAT"`
	targetFlags

	fileFormat  format.Format // "": a trace
	callsWanted bool          // the command line names a model
}

// Run runs the command.
func (g *genCommand) Run(ctx context.Context) error {
	if err := g.checkFormat(); err != nil {
		return err
	}
	if g.Stats {
		return g.statistics(ctx)
	}
	kinds, err := g.configs()
	if err != nil {
		return err
	}
	switch {
	case len(g.Mutate) > 0:
		return g.mutate(ctx, kinds[0])
	case g.Coverage:
		return g.coverage(ctx, kinds)
	case g.Features:
		return generate.WriteFeatures(os.Stdout, kinds[0], g.JSON)
	case g.List:
		return generate.WriteGenerators(os.Stdout, kinds[0].Model)
	case g.formulasAlone():
		return g.writeFormulas(ctx, kinds)
	}
	return g.writeTraces(ctx, kinds)
}

func (g *genCommand) writeTraces(ctx context.Context, kinds []gen.Config) error {
	all, err := g.sourcings(kinds[0].Model)
	if err != nil {
		return err
	}
	var makers []maker
	for i, from := range all {
		for _, kind := range kinds {
			made, err := source.OpenSource(from, kind)
			if err != nil {
				return exit.Misuse(err)
			}
			makers = append(makers, maker{nameOf(kind.Family, i, from), func(number, seed uint64, t *trace.Trace) error {
				if err := made.Make(ctx, number, seed, t); err != nil {
					return err
				}
				t.Notes = made.Notes(number, seed)
				return nil
			}})
		}
	}
	if never := generate.NeverMade(kinds[0].Model); g.Target == nil && all[0] == nil && g.fileFormat == "" && never != "" {
		fmt.Fprintf(os.Stderr, "ipafuzz: without --target, traces have only calls that every library of the model has, "+
			"and not %s\n", never)
	}
	return g.write(ctx, makers)
}

func nameOf(family string, i int, from source.Sourcing) string {
	if from != nil {
		return fmt.Sprintf("generator%d", i+1)
	}
	return strings.ReplaceAll(family, "/", "-")
}

// A maker makes the trace of a number. Its name tells its files from those of other makers.
type maker struct {
	name string
	make func(number, seed uint64, t *trace.Trace) error
}

// write makes a trace for each number of the command line and writes it, first those of the first maker.
func (g *genCommand) write(ctx context.Context, makers []maker) error {
	out, err := generate.Open(generate.OutputConfig{Path: g.Out, Binary: g.Binary, JSON: g.JSON, Format: g.fileFormat,
		Advice: g.adviceForOneFile()})
	if err != nil {
		return err
	}
	t := new(trace.Trace)
	for _, m := range makers {
		if len(makers) > 1 {
			out.Begin(m.name)
		}
		err := g.each(ctx, func(number, seed uint64) error {
			if err := m.make(number, seed, t); err != nil {
				return err
			}
			return out.Write(t, number, seed)
		})
		if err != nil {
			return errors.Join(err, out.Abort())
		}
	}
	return out.Close(ctx.Err())
}

// each calls do for the numbers of the command line, until the context ends.
func (g *genCommand) each(ctx context.Context, do func(number, seed uint64) error) error {
	for number := g.Number; number-g.Number < g.count() && ctx.Err() == nil; number++ {
		if err := do(number, gen.Seed(uint64(g.Seed), g.Shard, number)); err != nil {
			return err
		}
	}
	return nil
}

func (g *genCommand) count() uint64 {
	if g.N == nil {
		return 1
	}
	return *g.N
}

// formulasAlone reports whether the flags ask for the formulas of a family, and for nothing that only
// traces have.
func (g *genCommand) formulasAlone() bool {
	return g.makesFormulas() && g.fileFormat != "" && !g.fileFormat.Quantified() && len(g.aboutCalls()) == 0
}

// makesFormulas reports whether the flags name a family whose formulas exist without calls.
func (g *genCommand) makesFormulas() bool {
	return g.Plant != "" || len(g.Family) > 0 && !slices.ContainsFunc(g.Family, family.IsTiny)
}

// aboutCalls returns the flags that ask for something that only traces have.
func (g *genCommand) aboutCalls() (flags []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"--model", g.callsWanted}, {"--target", g.Target != nil}, {"--profile", g.Profile != ""},
		{"--schedule", g.Schedule != ""}, {"--avoid", len(g.Avoid) > 0}} {
		if f.given {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// adviceForOneFile says how to get one file where a trace makes several.
func (g *genCommand) adviceForOneFile() string {
	if flags := g.aboutCalls(); g.makesFormulas() && len(flags) > 0 && len(g.Mutate) == 0 {
		return "leave out " + strings.Join(flags, ", ") + " for the formulas as the family makes them"
	}
	return "ask for traces of one solve with --profile published"
}

func (g *genCommand) writeFormulas(ctx context.Context, kinds []gen.Config) error {
	out, err := generate.Open(generate.OutputConfig{Path: g.Out, Format: g.fileFormat})
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		if len(kinds) > 1 {
			out.Begin(nameOf(kind.Family, 0, nil))
		}
		writer, err := generate.NewWriter(kind, g.fileFormat)
		if err == nil {
			err = g.each(ctx, func(number, seed uint64) error { return out.WriteFormula(writer, number, seed) })
		}
		if err != nil {
			return errors.Join(err, out.Abort())
		}
	}
	return out.Close(ctx.Err())
}

func (g *genCommand) mutate(ctx context.Context, config gen.Config) error {
	corpus, err := sources.All(g.Mutate, sourcesFor(traceSources(), config.Model))
	if err != nil {
		return exit.Misuse(err)
	}
	if g.Model == "" && g.Target == nil {
		config.Model = corpus[0].Trace.Model
	}
	mutator, err := generate.NewMutator(config, corpus)
	if err != nil {
		return err
	}
	return g.write(ctx, []maker{{make: mutator.Make}})
}

func (g *genCommand) coverage(ctx context.Context, kinds []gen.Config) error {
	n := uint64(generate.CoverageTraces)
	if g.N != nil {
		n = *g.N
	}
	return generate.WriteCoverage(ctx, os.Stdout, kinds, uint64(g.Seed), n)
}

func (g *genCommand) statistics(ctx context.Context) error {
	kinds, err := g.kinds("")
	if err != nil {
		return err
	}
	model := apimodel.ByName(g.Model)
	if g.Model != "" && model == nil {
		return exit.Misusef("there is no API model %q; there are %s", g.Model, apimodel.Names())
	}
	rows, err := generate.Statistics(ctx, model, kinds, uint64(g.Seed), g.count())
	if err != nil {
		return err
	}
	return generate.WriteStatistics(os.Stdout, rows, g.Format)
}

// checkFormat checks --format, which names a form of statistics or a format of traces.
func (g *genCommand) checkFormat() error {
	statistics := strings.Join(generate.StatisticsForms, ", ")
	if g.Stats {
		if g.Format != "" && !slices.Contains(generate.StatisticsForms, g.Format) {
			return exit.Misusef("--format %s: statistics are written as %s", g.Format, statistics)
		}
		return nil
	}
	if g.Format == "" {
		return nil
	}
	f, err := format.Parse(g.Format)
	if err != nil {
		return exit.Misusef("--format: %w; with --stats there are %s", err, statistics)
	}
	g.callsWanted = g.Model != ""
	if g.fileFormat = f; f == format.Trace {
		g.fileFormat = ""
		return nil
	}
	if n := g.count() * uint64(max(1, len(g.Family), len(g.Generator))); n > 1 && g.Out == "" {
		return exit.Misusef("--format %s: %d traces need --out with a directory, one file each", f, n)
	}
	if (g.Model == "" || g.Model == apimodel.QBF.Name) && len(g.Mutate) == 0 && f.Quantified() {
		g.Model, g.callsWanted = apimodel.QBF.Name, false // the format is of that model anyway
		if g.Profile == "" && g.Schedule == "" {
			g.Profile = "published" // its traces have one solve, and formulas stay as they are
		}
	}
	if g.Model == "" && len(g.Mutate) == 0 && !format.Of(f).Soft {
		g.Model = apimodel.IPASIR.Name // the format has no costs
	}
	return nil
}

// configs returns the configurations of the generators. With a target, they allow only what the target accepts.
func (g *genCommand) configs() ([]gen.Config, error) {
	kinds, err := g.kinds(g.Profile)
	if err != nil {
		return nil, err
	}
	var common gen.Config
	if g.Target == nil {
		name := cmp.Or(g.Model, apimodel.IPAMIR.Name)
		if common.Model = apimodel.ByName(name); common.Model == nil {
			return nil, exit.Misusef("there is no API model %q; there are %s", name, apimodel.Names())
		}
	} else {
		target, _, err := g.resolve(*g.Target)
		if err != nil {
			return nil, err
		}
		hello, err := replay.Greet(target, replay.DefaultLimits)
		if err != nil {
			return nil, err
		}
		common.Model, common.Description = target.Model, hello.Description
	}
	if common.Without, err = g.avoided(); err != nil {
		return nil, err
	}
	for i := range kinds {
		kinds[i].Model, kinds[i].Description, kinds[i].Without = common.Model, common.Description, common.Without
		if g.Target == nil {
			continue
		}
		if why := kinds[i].Beyond(common.Description); why != "" {
			return nil, exit.Misusef("target %s: %s", *g.Target, why)
		}
	}
	return kinds, nil
}

// avoided returns the features to avoid. It refuses traits, which generators cannot leave out: fuzz makes traces with
// them and skips these.
func (g *genCommand) avoided() ([]string, error) {
	without, skipped, err := source.Avoidable(g.Avoid)
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("--avoid: %w", err))
	}
	if len(skipped) > 0 {
		return nil, exit.Misusef("--avoid: gen cannot leave out %s; fuzz skips such traces", strings.Join(skipped, ", "))
	}
	return without, nil
}
