package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/external"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// targetFlags choose the library under test.
type targetFlags struct {
	Model       string `placeholder:"MODEL"`
	TargetsFile string `type:"path" placeholder:"FILE"`

	NoContainment containmentFlag
}

// containmentFlag turns off containment in all limits of the command. Other flags give the limits.
type containmentFlag bool

// uncontained reports that the command line has --no-containment.
var uncontained bool

// BeforeApply is called if the command line has the flag.
func (containmentFlag) BeforeApply() error {
	uncontained = true
	return nil
}

// contain restricts targets to their own files and processes from now on.
func (f *targetFlags) contain() {
	if f.NoContainment {
		return
	}
	containment.Do(func() {
		if missing := process.Contain(true); missing != "" {
			fmt.Fprintf(os.Stderr, "Containment is incomplete: %s.\n", missing)
		}
	})
}

var containment sync.Once

func (f *targetFlags) resolve(spec string) (*replay.Target, *targets.File, error) {
	f.contain()
	file, err := targets.ReadFile(f.TargetsFile)
	if err != nil {
		return nil, nil, exit.Misuse(err)
	}
	file.Only = f.Model
	target, err := targets.Resolve(spec, f.Model, file)
	return target, file, err
}

// resolveFor resolves another target for the model of the first one.
func (f *targetFlags) resolveFor(spec string, model *apimodel.Model) (*replay.Target, error) {
	f.contain()
	file, err := targets.ReadFile(f.TargetsFile)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	return targets.Resolve(spec, model.Name, file)
}

// limitFlags bound the run of one trace.
type limitFlags struct {
	CPU    durationFlag `default:"5s" placeholder:"5s"`
	Wall   durationFlag `default:"20s" placeholder:"20s"`
	Memory sizeFlag     `default:"2G" placeholder:"2G"`
	Output sizeFlag     `default:"64M" placeholder:"64M"`
	Fixed  replay.Fixed `placeholder:"WHAT"`
}

func (f *limitFlags) limits() replay.Limits {
	return replay.Limits{CPU: f.CPU.Duration, Wall: f.Wall.Duration, Memory: uint64(f.Memory), Output: uint64(f.Output),
		Fixed: f.Fixed, Uncontained: uncontained}
}

// liveFlags choose how to show a campaign.
type liveFlags struct {
	TUI     bool   `name:"tui"`
	Metrics string `placeholder:"ADDR"`
	Events  string `placeholder:"FILE"`
}

// tracesFlags choose, together with the profile, which traces to make.
type tracesFlags struct {
	Family   string   `placeholder:"FAMILY"`
	Schedule string   `placeholder:"SCHEDULE"`
	Avoid    []string `placeholder:"FEATURE" aliases:"without"`
	Plant    string   `placeholder:"TRACE"`

	FailAllocations bool
	Threads         bool

	Generator     *string      `placeholder:"CMD"`
	GeneratorTime durationFlag `default:"10s" placeholder:"10s"`
	Corpus        []string     `sep:"none" placeholder:"TRACES"`

	MaxVars   uint   `placeholder:"N"`
	MaxWeight uint64 `placeholder:"N"`
	MaxSum    uint64 `placeholder:"N"`
	MaxCalls  uint   `placeholder:"N"`
}

// choices returns the configuration that the flags choose for a profile, without the features to avoid; "" is the
// default profile.
func (f *tracesFlags) choices(profile string) (gen.Config, error) {
	config := gen.Config{Profile: profile, Family: f.Family, Schedule: f.Schedule, PlantFile: f.Plant,
		FailAllocations: f.FailAllocations, Threads: f.Threads,
		Bounds: gen.Bounds{MaxVars: int(min(f.MaxVars, math.MaxInt32)), MaxCalls: int(min(f.MaxCalls, math.MaxInt32)),
			MaxWeight: f.MaxWeight, MaxSum: f.MaxSum}}
	if f.Generator != nil || len(f.Corpus) > 0 {
		if f.Threads {
			return config, exit.Misusef("--threads is for the built-in generators, not for --generator or --corpus")
		}
		if f.FailAllocations {
			return config, exit.Misusef("--fail-allocations is for the built-in generators, not for --generator or --corpus")
		}
		if f.Generator != nil && len(f.Corpus) > 0 {
			return config, exit.Misusef("--generator excludes --corpus")
		}
		for _, other := range []struct{ flag, value string }{
			{"profile", profile}, {"family", f.Family}, {"schedule", f.Schedule}, {"plant", f.Plant}} {
			if other.value != "" {
				return config, exit.Misusef("--%s is for the built-in generators, not for --generator or --corpus", other.flag)
			}
		}
	}
	if f.Plant == "" {
		return config, nil
	}
	item, err := sources.One(f.Plant, traceSources())
	if err != nil {
		return config, exit.Misuse(err)
	}
	config.Plant = family.FormulaOf(item.Trace)
	config.Family = cmp.Or(config.Family, "planted")
	return config, nil
}

// sourcing returns the source of the traces; nil stands for the built-in generators.
func (f *tracesFlags) sourcing() (source.Sourcing, error) {
	if f.Generator != nil {
		if err := external.CheckCommand(*f.Generator); err != nil {
			return nil, exit.Misuse(fmt.Errorf("--generator: %w", err))
		}
		limits := external.DefaultLimits
		limits.Time = f.GeneratorTime.Duration
		return source.External{Command: *f.Generator, Limits: limits}, nil
	}
	if len(f.Corpus) == 0 {
		return nil, nil
	}
	corpus := &source.Corpus{Given: f.Corpus}
	for item, err := range sources.Read(f.Corpus, traceSources()) {
		if err != nil {
			return nil, exit.Misuse(fmt.Errorf("--corpus: %w", err))
		}
		corpus.Names, corpus.Traces = append(corpus.Names, item.Name), append(corpus.Traces, item.Trace)
	}
	return corpus, nil
}
