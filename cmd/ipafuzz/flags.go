package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
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

// resolveCalls resolves a target for calls: a program of formula files also takes those that ask the same.
func (f *targetFlags) resolveCalls(spec string) (*replay.Target, error) {
	target, file, err := f.resolve(spec)
	if err != nil || !target.Model.File {
		return target, err
	}
	return targets.ForModel(target, target.Model.Asks, file)
}

func (f *targetFlags) resolveFor(spec string, model *apimodel.Model) (*replay.Target, error) {
	f.contain()
	file, err := targets.ReadFile(f.TargetsFile)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	return targets.Resolve(spec, model.Name, file)
}

// suitsWay refuses a way that has no effect on any of the targets.
func suitsWay(way replay.Way, targets []*replay.Target) error {
	for _, target := range targets {
		if target.Kind != replay.File {
			return nil
		}
	}
	if way == replay.Persistent && len(targets) > 0 {
		return exit.Misusef("--way %s: %s is a program that starts anew for every solve", way, targets[0].Name)
	}
	return nil
}

// limitFlags bound the run of one trace.
type limitFlags struct {
	CPU    flagvalue.Duration `default:"5s" placeholder:"5s"`
	Wall   flagvalue.Duration `default:"20s" placeholder:"20s"`
	Memory flagvalue.Size     `default:"2G" placeholder:"2G"`
	Output flagvalue.Size     `default:"64M" placeholder:"64M"`
	Fixed  replay.Fixed       `placeholder:"WHAT"`

	SigtermAfter replay.Span `placeholder:"TIME"`
}

func (f *limitFlags) limits() replay.Limits {
	return replay.Limits{CPU: f.CPU.Duration, Wall: f.Wall.Duration, Memory: uint64(f.Memory), Output: uint64(f.Output),
		Fixed: f.Fixed, Sigterm: f.SigtermAfter, Uncontained: uncontained}
}

// liveFlags choose how to show a campaign.
type liveFlags struct {
	TUI     bool   `name:"tui"`
	Metrics string `placeholder:"ADDR"`
	Events  string `placeholder:"FILE"`
}

// tracesFlags choose, together with the profile, which traces to make.
type tracesFlags struct {
	Family   []string `placeholder:"FAMILY"`
	Schedule string   `placeholder:"SCHEDULE"`
	Avoid    []string `placeholder:"FEATURE" aliases:"without"`
	Plant    string   `placeholder:"TRACE"`

	FailAllocations bool
	Threads         bool

	Generator     []string           `sep:"none" placeholder:"CMD"`
	GeneratorTime flagvalue.Duration `default:"10s" placeholder:"10s"`
	Corpus        []string           `sep:"none" placeholder:"TRACES"`

	MaxVars   uint   `placeholder:"N"`
	MaxWeight uint64 `placeholder:"N"`
	MaxSum    uint64 `placeholder:"N"`
	MaxCalls  uint   `placeholder:"N"`
}

// kinds returns the kinds of traces that the flags choose, without the features to avoid: one for each profile and
// each family. The profile "" is the default.
func (f *tracesFlags) kinds(profiles ...string) (kinds []gen.Config, err error) {
	base := gen.Config{Schedule: f.Schedule, PlantFile: f.Plant, FailAllocations: f.FailAllocations, Threads: f.Threads,
		Bounds: gen.Bounds{MaxVars: int(min(f.MaxVars, math.MaxInt32)), MaxCalls: int(min(f.MaxCalls, math.MaxInt32)),
			MaxWeight: f.MaxWeight, MaxSum: f.MaxSum}}
	families := f.Family
	if f.Plant != "" {
		for _, name := range families {
			if plain, _, _ := strings.Cut(name, "/"); plain != planted {
				return nil, exit.Misusef("--plant is for the family %s, not for %s", planted, name)
			}
		}
		item, err := sources.One(f.Plant, traceSources())
		if err != nil {
			return nil, exit.Misuse(err)
		}
		base.Plant = family.FormulaOf(item.Trace)
	}
	if len(families) == 0 {
		families = []string{""}
		if f.Plant != "" {
			families[0] = planted
		}
	}
	for _, profile := range profiles {
		for _, name := range families {
			kind := base
			kind.Profile, kind.Family = profile, name
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// planted is the family that makes formulas out of the clauses of another one.
const planted = "planted"

// sourcings returns the sources of traces of models; nil stands for the built-in generators.
func (f *tracesFlags) sourcings(models ...*apimodel.Model) ([]source.Sourcing, error) {
	if len(f.Corpus) > 0 {
		corpus, err := f.corpus(sourcesFor(traceSources(), models...))
		return []source.Sourcing{corpus}, err
	}
	if len(f.Generator) == 0 {
		return []source.Sourcing{nil}, nil
	}
	var all []source.Sourcing
	limits := external.DefaultLimits
	limits.Time = f.GeneratorTime.Duration
	for _, command := range f.Generator {
		if err := external.CheckCommand(command); err != nil {
			return nil, exit.Misuse(fmt.Errorf("--generator: %w", err))
		}
		all = append(all, source.External{Command: command, Limits: limits})
	}
	return all, nil
}

func (f *tracesFlags) corpus(options sources.Options) (*source.Corpus, error) {
	corpus := &source.Corpus{Given: f.Corpus}
	for item, err := range sources.Read(f.Corpus, options) {
		if err != nil {
			return nil, exit.Misuse(fmt.Errorf("--corpus: %w", err))
		}
		corpus.Names, corpus.Traces = append(corpus.Names, item.Name), append(corpus.Traces, item.Trace)
	}
	return corpus, nil
}
