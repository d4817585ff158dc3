package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/generate"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/quantified"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type genCommand struct {
	N        uint64   `short:"n" name:"count" default:"1" placeholder:"N"`
	Seed     seedFlag `default:"1" placeholder:"SEED"`
	Shard    uint64   `placeholder:"N"`
	Number   uint64   `placeholder:"N"`
	Target   *string  `placeholder:"TARGET"`
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
	from, err := g.sourcing()
	if err != nil {
		return err
	}
	if from != nil && (g.Stats || g.Coverage || len(g.Mutate) > 0 || g.Features || g.List) {
		return exit.Misusef("--generator and --corpus print traces; " +
			"they exclude --stats, --coverage, --mutate, --features and --list")
	}
	if g.Stats {
		return g.statistics(ctx)
	}
	config, err := g.config()
	if err != nil {
		return err
	}
	switch {
	case len(g.Mutate) > 0:
		return g.mutate(ctx, config)
	case g.Coverage:
		return g.coverage(ctx, config)
	case g.Features:
		return listFeatures(config.Model, config.Profile, g.JSON)
	case g.List:
		return listGenerators(config.Model)
	case g.Binary && g.Out == "":
		return exit.Misusef("--binary needs --out: the binary form is not for a terminal")
	}
	if from == nil && g.formulasAlone() {
		return g.writeFormulas(ctx, config)
	}
	source, err := source.OpenSource(from, config)
	if err != nil {
		return exit.Misuse(err)
	}
	return g.write(ctx, func(number, seed uint64, t *trace.Trace) error {
		if err := source.Make(ctx, number, seed, t); err != nil {
			return err
		}
		t.Notes = source.Notes(number, seed)
		return nil
	})
}

// write makes a trace for each number of the command line and writes it.
func (g *genCommand) write(ctx context.Context, make func(number, seed uint64, t *trace.Trace) error) error {
	out, err := generate.Open(generate.OutputConfig{Path: g.Out, Binary: g.Binary, JSON: g.JSON, Format: g.fileFormat,
		Advice: g.adviceForOneFile()})
	if err != nil {
		return err
	}
	t := new(trace.Trace)
	for number := g.Number; number-g.Number < g.N && ctx.Err() == nil; number++ {
		seed := gen.Seed(uint64(g.Seed), g.Shard, number)
		err := make(number, seed, t)
		if err == nil {
			err = out.Write(t, number, seed)
		}
		if err != nil {
			return errors.Join(err, out.Abort())
		}
	}
	return out.Close(ctx.Err())
}

// formulasAlone reports whether the flags ask for the formulas of a family, and for nothing that only
// traces have.
func (g *genCommand) formulasAlone() bool {
	return g.makesFormulas() && g.fileFormat != "" && !g.fileFormat.Quantified() && len(g.aboutCalls()) == 0
}

// makesFormulas reports whether the flags name a family whose formulas exist without calls.
func (g *genCommand) makesFormulas() bool {
	return g.Family != "" && !family.IsTiny(g.Family) || g.Plant != ""
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

func (g *genCommand) writeFormulas(ctx context.Context, config gen.Config) error {
	writer, err := generate.NewWriter(config, g.fileFormat)
	if err != nil {
		return err
	}
	out, err := generate.Open(generate.OutputConfig{Path: g.Out, Format: g.fileFormat})
	if err != nil {
		return err
	}
	for number := g.Number; number-g.Number < g.N && ctx.Err() == nil; number++ {
		if err := out.WriteFormula(writer, number, gen.Seed(uint64(g.Seed), g.Shard, number)); err != nil {
			return errors.Join(err, out.Abort())
		}
	}
	return out.Close(ctx.Err())
}

func (g *genCommand) mutate(ctx context.Context, config gen.Config) error {
	corpus, err := sources.All(g.Mutate, traceSources())
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
	return g.write(ctx, mutator.Make)
}

func (g *genCommand) coverage(ctx context.Context, config gen.Config) error {
	n := g.N
	if n == 1 {
		n = generate.CoverageTraces
	}
	return generate.WriteCoverage(ctx, os.Stdout, config, uint64(g.Seed), n)
}

func (g *genCommand) statistics(ctx context.Context) error {
	model := apimodel.ByName(g.Model)
	if g.Model != "" && model == nil {
		return exit.Misusef("there is no API model %q; there are %s", g.Model, apimodel.Names())
	}
	rows, err := generate.Statistics(ctx, model, g.Family, uint64(g.Seed), g.N)
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
	if g.Binary || g.JSON {
		return exit.Misusef("--format %s: --binary and --json are for traces", f)
	}
	if g.N > 1 && g.Out == "" {
		return exit.Misusef("--format %s: %d traces need --out with a directory, one file each", f, g.N)
	}
	if g.Model == "" && len(g.Mutate) == 0 && f.Quantified() {
		g.Model = apimodel.QBF.Name
		if g.Profile == "" && g.Schedule == "" {
			g.Profile = "published" // its traces have one solve, and formulas stay as they are
		}
	}
	if g.Model == "" && len(g.Mutate) == 0 && !format.Of(f).Soft {
		g.Model = apimodel.IPASIR.Name // the format has no costs
	}
	return nil
}

// config returns the configuration of the generator. With a target, it allows only what the target accepts.
func (g *genCommand) config() (gen.Config, error) {
	config, err := g.choices(g.Profile)
	if err != nil {
		return config, err
	}
	if g.Target == nil {
		name := cmp.Or(g.Model, apimodel.IPAMIR.Name)
		if config.Model = apimodel.ByName(name); config.Model == nil {
			return config, exit.Misusef("there is no API model %q; there are %s", name, apimodel.Names())
		}
		config.Without, err = g.avoided()
		return config, err
	}
	target, _, err := g.resolve(*g.Target)
	if err != nil {
		return config, err
	}
	hello, err := replay.Greet(target, replay.DefaultLimits)
	if err != nil {
		return config, err
	}
	config.Model, config.Description = target.Model, hello.Description
	config.Without, err = g.avoided()
	return config, err
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

func listFeatures(m *apimodel.Model, profile string, asJSON bool) error {
	features, err := gen.KnownFeatures(m, profile)
	if err != nil {
		return exit.Misuse(err)
	}
	if asJSON {
		encoder := json.NewEncoder(os.Stdout)
		for _, f := range features {
			err := encoder.Encode(struct {
				Name string  `json:"name"`
				Rate float64 `json:"rate"`
				Doc  string  `json:"doc"`
			}{f.Name, f.Rate, f.Doc})
			if err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, f := range features {
		fmt.Fprintf(table, "%s\t%.1f%%\t%s\n", f.Name, 100*f.Rate, f.Doc)
	}
	return table.Flush()
}

// listGenerators lists the values for --profile, --family and --schedule.
func listGenerators(m *apimodel.Model) error {
	profiles, families, schedules := gen.Profiles(), family.All(), gen.Schedules()
	if m.Quantified() {
		profiles, families, schedules = quantified.Profiles(), quantified.All(), quantified.Schedules()
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROFILE\tIN MIXED\t")
	for _, p := range profiles {
		fmt.Fprintf(table, "%s\t%.1f%%\t%s\n", p.Name, 100*p.Share, p.Doc)
	}
	fmt.Fprintln(table, "\nFAMILY\tVERSION\t")
	for _, f := range families {
		fmt.Fprintf(table, "%s\t%d\t%s\n", f.Name, f.Version, f.Doc)
	}
	fmt.Fprintln(table, "\nSCHEDULE\t\t")
	for _, s := range schedules {
		fmt.Fprintf(table, "%s\t\t%s\n", s.Name, s.Doc)
	}
	return table.Flush()
}
