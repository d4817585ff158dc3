package bindings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay"
)

// A campaignRequest is what the flags of 'ipafuzz fuzz' say about a campaign. Its target
// request only bounds traces; the field Target in it is not used.
type campaignRequest struct {
	targetRequest
	Targets  []string `json:"targets"`
	Against  []string `json:"against"`
	Profiles []string `json:"profiles"` // or families
	Schedule string   `json:"schedule"`
	Avoid    []string `json:"avoid"`

	FailAllocations bool `json:"fail_allocations"`
	Threads         bool `json:"threads"`

	Bounds boundsRequest `json:"bounds"`
	Out    string        `json:"out"`
	Seed   *uint64       `json:"seed"` // nil: drawn at random
	Shard  uint64        `json:"shard"`
	Of     uint64        `json:"of"`
	Resume bool          `json:"resume"`

	KeepTraces bool `json:"keep_traces"`

	Seconds  float64 `json:"seconds"`
	Traces   uint64  `json:"traces"`
	Findings int     `json:"findings"`
	Workers  int     `json:"workers"`
	Factor   float64 `json:"factor"`
	Fair     bool    `json:"fair"`
	Others   bool    `json:"others"`
	Program  string  `json:"program"`
}

const mostWorkers = 1024

// past reads and locks the directory of the campaign. It returns nil if the campaign has none.
func (r *campaignRequest) past() (*store.Past, error) {
	if r.Out == "" {
		return nil, nil
	}
	return store.OpenDir(r.Out)
}

func (r *campaignRequest) config(past *store.Past) (*campaign.Config, error) {
	way, err := r.way()
	if err != nil {
		return nil, err
	}
	config := &campaign.Config{Way: way, Limits: r.limits(), Traces: r.Traces, Findings: r.Findings, Workers: r.Workers,
		Fair: r.Fair, Shard: r.Shard, Of: r.Of, Resume: r.Resume, Archive: r.KeepTraces, Out: r.Out, Others: r.Others,
		Program: r.Program, TargetsFile: r.TargetsFile, Factor: r.Factor,
		Time: seconds(r.Seconds), Seed: rand.Uint64(), Past: past}
	switch {
	case r.Of > 0 && (r.Shard < 1 || r.Shard > r.Of):
		return nil, useError{fmt.Errorf("shard %d of %d: shards are counted from 1", r.Shard, r.Of)}
	case r.Out == "" && (r.Resume || r.KeepTraces):
		return nil, useError{errors.New("resume and keep_traces need a directory, out")}
	}
	if past != nil && past.Stored != nil && r.Seed == nil && r.Resume {
		r.Seed = &past.Stored.Record.Seed
	}
	if r.Seed != nil {
		config.Seed = *r.Seed
	} else if r.Of > 0 {
		return nil, useError{errors.New("a shard needs a seed: all shards of a campaign have the same")}
	}
	config.Workers = cmp.Or(config.Workers, max(1, runtime.NumCPU()/2))
	if config.Workers < 1 || config.Workers > mostWorkers || config.Findings < 0 || !(config.Factor >= 1) ||
		!(r.Seconds >= 0) {
		return nil, useError{fmt.Errorf("a campaign takes 1 to %d workers, 0 or more findings and seconds, "+
			"and a factor of 1 or more", mostWorkers)}
	}
	targets, err := r.named(r.Targets, "")
	if err != nil {
		return nil, err
	}
	if len(targets) == 0 {
		return nil, useError{fmt.Errorf("a campaign needs a target")}
	}
	if config.Against, err = r.named(r.Against, targets[0].Model.Name); err != nil {
		return nil, err
	}
	kinds, err := r.kinds(targets)
	if err != nil {
		return nil, err
	}
	config.Cells = source.Cells(targets, kinds...)
	return config, nil
}

func (r *campaignRequest) named(specs []string, model string) (targets []*replay.Target, err error) {
	for _, spec := range specs {
		r.Target = spec
		target, _, err := r.resolve(model)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	return targets, nil
}

// kinds returns the kinds of traces. All must be possible for every target.
func (r *campaignRequest) kinds(targets []*replay.Target) (kinds []gen.Config, err error) {
	for _, name := range r.Profiles {
		kind, err := gen.Named(name)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, kind)
	}
	if len(kinds) == 0 {
		kinds = []gen.Config{{}}
	}
	bounds, err := r.Bounds.bounds()
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		isProgram := target.Kind == replay.Pipe || target.Kind == replay.File
		if r.FailAllocations && isProgram {
			return nil, useError{fmt.Errorf("fail_allocations: %s is a program; only the allocations of libraries can fail",
				target.Name)}
		}
		if r.Threads && isProgram {
			return nil, useError{fmt.Errorf("threads: %s is a program; only libraries can be called from several threads",
				target.Name)}
		}
	}
	for i := range kinds {
		kinds[i].Schedule, kinds[i].Without, kinds[i].Bounds = r.Schedule, r.Avoid, bounds
		kinds[i].FailAllocations, kinds[i].Threads = r.FailAllocations, r.Threads
		for _, target := range targets {
			kind := kinds[i]
			kind.Model = target.Model
			if _, err := gen.New(kind); err != nil {
				return nil, err
			}
		}
	}
	return kinds, nil
}

type foundValue struct {
	campaign.FoundRecord
	Model    string `json:"model"`
	Original string `json:"original"`
	Minimal  string `json:"minimal"`
	Program  string `json:"program,omitempty"` // in C
}

func foundOf(f *store.Finding, config *campaign.Config) foundValue {
	value := foundValue{FoundRecord: config.FoundRecord(f), Model: f.Minimal.Model.Name,
		Original: f.Original.String(), Minimal: f.Minimal.String()}
	if f.Program != nil {
		value.Program = string(f.Program.Text)
	}
	return value
}

// A summaryValue is the summary of a campaign, with the traces of its findings.
type summaryValue struct {
	campaign.SummaryRecord
	Findings []foundValue `json:"findings"`
}

// fuzz runs a campaign. Its events are findings and progress.
func fuzz(ctx context.Context, j *job, request campaignRequest) (any, error) {
	past, err := request.past()
	if err != nil {
		return nil, err
	}
	if past != nil {
		defer past.Close()
	}
	config, err := request.config(past)
	if err != nil {
		return nil, err
	}
	config.OnFinding = func(f *store.Finding) { j.say("finding", foundOf(f, config)) }
	c, err := campaign.New(*config)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait() // no message follows the answer
	defer stop()
	telling.Go(func() {
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-ticker.C:
				j.say("progress", statsOf(c.Stats()))
			}
		}
	})
	summary, err := c.Run(ctx)
	if err != nil {
		return nil, err
	}
	value := summaryValue{SummaryRecord: summary.Record(config), Findings: []foundValue{}}
	for _, f := range summary.Found {
		found := foundOf(f, config)
		found.Fault = summary.FaultOf(f)
		value.Findings = append(value.Findings, found)
	}
	return value, nil
}

// statsOf returns the statistics without the columns of the generators.
func statsOf(s stats.Stats) stats.Stats {
	for i := range s.Cells {
		s.Cells[i].Profiles = nil
	}
	return s
}
