package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/configfile"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

const (
	// demoTarget is fuzzed if the command line names no target. It has a planted defect, so that the first
	// campaign shows what a finding looks like.
	demoTarget = "ref:defect=redeclare-adds"
	demoTime   = 10 * time.Second
	// demoSeed makes the first campaign the same as in the README.
	demoSeed = 1
	// mostWorkers is far more than any machine can run at once.
	mostWorkers = 1024
)

type fuzzCommand struct {
	Config       configfile.Flag `type:"path" placeholder:"FILE"`
	Target       []string        `sep:"none" placeholder:"TARGET"`
	Profile      []string        `placeholder:"PROFILE"`
	Against      []string        `sep:"none" placeholder:"TARGET"`
	Fair         bool
	Factor       float64             `default:"100" placeholder:"100"`
	Time         *flagvalue.Duration `placeholder:"TIME"`
	Traces       uint64              `placeholder:"N"`
	Findings     *uint               `placeholder:"N" xor:"findings"`
	UntilFinding bool                `xor:"findings"`
	Seed         *flagvalue.Seed     `placeholder:"SEED"`
	Shard        *flagvalue.Shard    `placeholder:"I/N"`
	Out          string              `default:"ipafuzz-out" type:"path" placeholder:"DIR"`
	KeepTraces   bool
	Resume       bool
	Way          *string  `enum:"persistent,fork" placeholder:"WAY"`
	Workers      uint     `placeholder:"N"`
	Known        []string `sep:"none" placeholder:"DIR"`
	Learn        *bool    `negatable:""`
	OnlyNew      bool
	Strict       bool `xor:"verdict"`
	AsJob        bool `xor:"verdict"`
	Others       bool `default:"true" negatable:""`
	JSON         bool
	tracesFlags
	liveFlags
	targetFlags
	limitFlags

	past *store.Past
}

// begun is when the command began. Its time counts from then on, since a target may take seconds to start.
var begun = time.Now()

// Run runs the command.
func (f *fuzzCommand) Run(ctx context.Context) error {
	demonstration := len(f.Target) == 0
	fixed := demonstration && f.Seed == nil
	if demonstration {
		f.demonstrate()
	}
	past, err := store.OpenDir(f.Out)
	if err != nil {
		return exit.MisuseOfDirectory(err)
	}
	f.past = past
	defer past.Close()
	starting, stop := f.starting(ctx)
	defer stop()
	userfile.WaitUntil(starting)
	err = f.fuzz(ctx, demonstration, fixed)
	if ctx.Err() == nil && userfile.IsOver(err) {
		fmt.Fprintf(os.Stderr, "The time was up before the targets had started (--time %v): nothing was tested.\n",
			f.Time.Duration)
		if f.Strict {
			return exit.ErrFindings
		}
		return exit.ErrDoubt
	}
	return err
}

// starting returns a context that ends when the time is up in which the targets must start. If it was up before, no
// trace runs, and the command only sums up.
func (f *fuzzCommand) starting(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.Time == nil {
		return ctx, func() {}
	}
	left := f.Time.Duration
	if stored := f.past.Stored; f.Resume && stored != nil && stored.Record.Stats != nil {
		left -= stored.Record.Stats.Elapsed
	}
	if left <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, begun.Add(left))
}

func (f *fuzzCommand) fuzz(ctx context.Context, demonstration, fixed bool) error {
	config, err := f.config()
	if err != nil {
		return err
	}
	config.Begun = begun
	monitor, err := terminal.OpenMonitor(terminal.MonitorConfig(f.liveFlags), terminal.NewStatus(os.Stderr, config.Time))
	if err != nil {
		return err
	}
	config.OnFinding, config.OnConfirmed, config.OnGivenUp = monitor.Found, monitor.Confirmed, monitor.GivenUp
	lost := f.Resume && f.past.Lost()
	c, err := campaign.New(config)
	if err != nil {
		return exit.MisuseOfDirectory(err)
	}
	if demonstration {
		fmt.Fprintf(os.Stderr, "No --target: a demonstration on the built-in library, in which a defect was planted (%s).\n",
			demoTarget)
	}
	whose := ""
	if fixed {
		whose = " (the demonstration's own)"
	}
	fmt.Fprintf(os.Stderr, "Fuzzing %s (%s) with seed %#x%s; findings go to %s. Ctrl-C ends the run.\n",
		terminal.Fuzzed(config), terminal.Models(config), config.Seed, whose, f.Out)
	if line := terminal.CutCorpus(config); line != "" {
		fmt.Fprintln(os.Stderr, line)
	}
	if bounds := terminal.FamilyBounds(config); bounds != "" {
		fmt.Fprintln(os.Stderr, bounds)
	}
	if before := c.Stats(); f.Resume && before.Traces > 0 {
		findings := printable.Things(before.Findings, "finding")
		if n := c.CutOff(); n > 0 {
			findings += fmt.Sprintf(", and %d more whose reduction was cut off", n)
		}
		fmt.Fprintf(os.Stderr, "The campaign continues: it has run %s, with %s.\n", printable.Things(before.Traces, "trace"),
			findings)
		switch {
		case config.Time > 0 && before.Elapsed >= config.Time:
			fmt.Fprintf(os.Stderr, "Its time is used up: --time %v is the total, and it has run for %v.\n", config.Time,
				before.Elapsed.Round(100*time.Millisecond))
		case config.Traces > 0 && before.Traces >= config.Traces:
			fmt.Fprintf(os.Stderr, "Its traces have run: --traces %d is the total.\n", config.Traces)
		}
	}
	for _, line := range terminal.Recovered(c.Recovered()) {
		fmt.Fprintln(os.Stderr, line)
	}
	if lost {
		fmt.Fprintln(os.Stderr, "The directory has findings but no campaign.json: there is nothing to resume. "+
			"This is a new campaign; the findings stay.")
	}
	if unended := f.unended(); unended > 0 {
		fmt.Fprintf(os.Stderr, "The campaign there was stopped after %s; --resume would have continued it. "+
			"This is a new one.\n",
			printable.Things(unended, "trace"))
	}
	userfile.WaitUntil(ctx)
	summary, err := c.Run(monitor.Begin(ctx, c, config))
	unshown := monitor.End()
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "The run ended early: %v.\n", context.Cause(ctx))
		summary.EndedBy = endedByTarget(!bool(f.NoContainment))
	}
	summary.Disturbed = disturbedByTarget(summary.FollowUps.Standstill.Stopped, bool(f.NoContainment))
	if err := errors.Join(err, unshown, f.report(summary, config, demonstration, err != nil)); err != nil {
		return err
	}
	failed := len(summary.Found) > 0
	if f.OnlyNew {
		fresh, err := fault.New(f.Out, summary.Faults)
		if err != nil {
			return err
		}
		terminal.WriteNew(os.Stderr, fresh, summary.Faults)
		failed = len(fresh) > 0
	}
	if f.AsJob {
		err := completion(&summary, ctx.Err() != nil)
		if err != nil {
			fmt.Fprintln(os.Stderr, "The job failed (exit code 4): its run did not come to its end undisturbed. "+
				"The same command continues it.")
		}
		return err
	}
	return verdict(failed, &summary, f.Strict)
}

// disturbedByTarget says how a target has disturbed the run, or may have; "": not at all. stopped is the time
// in which ipafuzz did not run.
func disturbedByTarget(stopped time.Duration, uncontained bool) string {
	if stopped > 0 && uncontained {
		return fmt.Sprintf("ipafuzz was stopped for %.0f s, which an uncontained target may have done", stopped.Seconds())
	}
	return process.Disturbed()
}

// verdict returns the error that chooses the exit code.
func verdict(failed bool, s *campaign.Summary, strict bool) error {
	return exit.Of(failed, s.Unchecked(), strict)
}

// completion returns the error that chooses the exit code of a job. Whatever a run found, it succeeds by coming to
// its end. To queue one again that a target ended is right, since the next run continues it.
func completion(s *campaign.Summary, interrupted bool) error {
	if interrupted || s.EndedBy != "" || s.Disturbed != "" || s.NothingTested() {
		return exit.ErrDoubt
	}
	return nil
}

// unended returns how many traces a killed campaign in the directory ran. It returns 0 if there is no such
// campaign or if this command resumes it.
func (f *fuzzCommand) unended() uint64 {
	stored := f.past.Stored
	if f.Resume || stored == nil || stored.Record.Ended != nil || stored.Record.Stats == nil {
		return 0
	}
	return stored.Record.Stats.Traces
}

// demonstrate sets flags so that a newcomer soon sees a finding.
func (f *fuzzCommand) demonstrate() {
	f.Target = []string{demoTarget}
	if f.Time == nil {
		f.Time = &flagvalue.Duration{Duration: demoTime}
	}
	if f.Findings == nil && !f.UntilFinding {
		f.Findings = new(uint(1))
	}
	if f.Seed == nil {
		f.Seed = new(flagvalue.Seed(demoSeed))
	}
	if f.Workers == 0 {
		f.Workers = 1 // with several workers, chance decides which of them finds something first
	}
}

// way returns how traces are isolated. A library fills some tables once in a process, so only the first trace of a
// process can show that two threads fill them.
func (f *fuzzCommand) way() replay.Way {
	switch {
	case f.Way != nil:
		return replay.Way(*f.Way)
	case f.Threads:
		return replay.Fork
	}
	return replay.Persistent
}

func (f *fuzzCommand) config() (campaign.Config, error) {
	config := campaign.Config{
		Way: f.way(), Limits: f.limits(), Traces: f.Traces,
		Fair: f.Fair, Workers: int(min(f.Workers, mostWorkers+1)), Seed: rand.Uint64(), Out: f.Out, Past: f.past,
		Resume: f.Resume, Archive: f.KeepTraces, Others: f.Others, Program: programName(), TargetsFile: f.TargetsFile,
	}
	if config.Workers > mostWorkers {
		return config, exit.Misusef("--workers: want at most %d, got %d", mostWorkers, f.Workers)
	}
	config.Workers = cmp.Or(config.Workers, max(1, runtime.NumCPU()/2))
	if f.Time != nil {
		config.Time = f.Time.Duration
	}
	if f.UntilFinding {
		config.Findings = 1
	}
	if f.Findings != nil {
		config.Findings = int(min(*f.Findings, math.MaxInt))
	}
	if err := f.setSeed(&config); err != nil {
		return config, err
	}
	targets, err := f.targets()
	if err != nil {
		return config, err
	}
	if config.Factor = f.Factor; !(f.Factor >= 1) {
		return config, exit.Misusef("--factor: want 1 or more, got %g", f.Factor)
	}
	for _, spec := range f.Against {
		against, err := f.resolveFor(spec, targets[0].Model)
		if err != nil {
			return config, err
		}
		config.Against = append(config.Against, against)
	}
	kinds, avoid, err := f.avoiding()
	if err != nil {
		return config, err
	}
	config.Avoid = avoid
	if config.Known, err = store.ReadKnown(f.Known...); err != nil {
		return config, exit.Misuse(fmt.Errorf("--known: %w", err))
	}
	config.Learn = f.Traces == 0
	if f.Learn != nil {
		config.Learn = *f.Learn
	}
	config.Cells, err = f.cells(targets, kinds)
	return config, err
}

// setSeed sets the seed, which a resumed campaign has already, and the shard.
func (f *fuzzCommand) setSeed(config *campaign.Config) error {
	if stored := f.past.Stored; f.Resume && f.Seed == nil && stored != nil {
		f.Seed = new(flagvalue.Seed(stored.Record.Seed))
	}
	if f.Seed != nil {
		config.Seed = uint64(*f.Seed)
	}
	if f.Shard != nil {
		if f.Seed == nil {
			return exit.Misusef("--shard needs --seed: all shards of a campaign have the same")
		}
		config.Shard, config.Of = f.Shard.Number, f.Shard.Of
	}
	return nil
}

func (f *fuzzCommand) targets() (targets []*replay.Target, err error) {
	for _, spec := range f.Target {
		target, _, err := f.resolve(spec)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	if f.Way != nil {
		if err := suitsWay(replay.Way(*f.Way), targets); err != nil {
			return nil, err
		}
	}
	for _, target := range targets {
		isProgram := target.Kind == replay.Pipe || target.Kind == replay.File
		if f.FailAllocations && isProgram {
			return nil, exit.Misusef("--fail-allocations: %s is a program; only the allocations of libraries can fail",
				target.Name)
		}
		if f.Threads && isProgram {
			return nil, exit.Misusef("--threads: %s is a program; only libraries can be called from several threads",
				target.Name)
		}
	}
	return targets, nil
}

// avoiding returns the kinds of traces that the flags choose, and the traits that no generator can leave out: traces
// that have one of them are skipped.
func (f *fuzzCommand) avoiding() (kinds []gen.Config, skipped []string, err error) {
	profiles := f.Profile
	if len(profiles) == 0 {
		profiles = []string{""}
	}
	if kinds, err = f.kinds(profiles...); err != nil {
		return nil, nil, err
	}
	without, skipped, err := source.Avoidable(f.Avoid)
	if err != nil {
		return nil, nil, exit.Misuse(fmt.Errorf("--avoid: %w", err))
	}
	for i := range kinds {
		kinds[i].Without = without
	}
	return kinds, skipped, nil
}

// cells pairs the targets with the kinds of traces. It checks that each kind suits each target, before a target is
// loaded.
func (f *fuzzCommand) cells(targets []*replay.Target, kinds []gen.Config) ([]source.Cell, error) {
	var models []*apimodel.Model
	for _, target := range targets {
		models = append(models, target.Model)
	}
	all, err := f.sourcings(models...)
	if err != nil {
		return nil, err
	}
	var cells []source.Cell
	for _, target := range targets {
		for _, from := range all {
			for _, cell := range source.Cells([]*replay.Target{target}, kinds...) {
				cell.From = from
				cells = append(cells, cell)
			}
		}
	}
	for i := range cells {
		plain := cells[i].Generate
		plain.Model = cells[i].Target.Model
		if _, err := gen.New(plain); err != nil {
			return nil, exit.Misuse(err)
		}
	}
	return cells, nil
}

func (f *fuzzCommand) report(summary campaign.Summary, config campaign.Config, demonstration, failed bool) error {
	out := os.Stdout
	if f.Events == "-" {
		out = os.Stderr
	}
	if f.JSON {
		return writeJSON(out, summary.Record(&config))
	}
	text := new(bytes.Buffer)
	terminal.WriteSummary(text, summary, config, failed)
	if demonstration {
		fmt.Fprintf(text, "\nTo fuzz a library of your own: %s fuzz --target ./libmysolver.so\n", config.Program)
	}
	// A directory that is resumed may hold findings by others.
	_, err := out.WriteString(printable.Text(text.String()))
	return err
}
