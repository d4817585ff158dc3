package bindings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/family"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A generateRequest is what the flags of 'ipafuzz gen' say about traces.
type generateRequest struct {
	Name     string   `json:"name"` // a profile, or a family
	Family   string   `json:"family"`
	Schedule string   `json:"schedule"`
	Avoid    []string `json:"avoid"`
	Plant    string   `json:"plant"` // a trace

	FailAllocations bool `json:"fail_allocations"`
	Threads         bool `json:"threads"`

	Model string `json:"model"`
	boundsRequest

	Seed   uint64 `json:"seed"`
	Shard  uint64 `json:"shard"`
	Number uint64 `json:"number"`

	Target *targetRequest `json:"target"` // the traces suit this target
}

type boundsRequest struct {
	MaxVars   int32  `json:"max_vars"`
	MaxCalls  int32  `json:"max_calls"`
	MaxWeight uint64 `json:"max_weight"`
	MaxSum    uint64 `json:"max_sum"`
}

func (r *boundsRequest) bounds() (gen.Bounds, error) {
	if r.MaxVars < 0 || r.MaxCalls < 0 {
		return gen.Bounds{}, useError{errors.New("max_vars and max_calls must be 0 (the limit of the profile) or more")}
	}
	return gen.Bounds{MaxVars: int(r.MaxVars), MaxCalls: int(r.MaxCalls), MaxWeight: r.MaxWeight, MaxSum: r.MaxSum}, nil
}

func (r *generateRequest) config() (config gen.Config, err error) {
	if r.Name != "" {
		if config, err = gen.Named(r.Name); err != nil {
			return config, err
		}
	}
	if r.Family != "" {
		config.Family = r.Family
	}
	config.Schedule, config.Without = r.Schedule, r.Avoid
	config.FailAllocations, config.Threads = r.FailAllocations, r.Threads
	if config.Bounds, err = r.bounds(); err != nil {
		return config, err
	}
	if r.Plant != "" {
		t, err := parse(r.Plant, "plant")
		if err != nil {
			return config, err
		}
		config.Plant, config.PlantFile = family.FormulaOf(t), "plant"
		config.Family = cmp.Or(config.Family, "planted")
	}
	name := cmp.Or(r.Model, apimodel.IPAMIR.Name)
	if config.Model = apimodel.ByName(name); config.Model == nil {
		return config, useError{fmt.Errorf("there is no API model %q; there are %s", name, apimodel.Names())}
	}
	return config, nil
}

// latest caches the generator of the last call: making a generator takes longer than
// making a trace with it.
var latest struct {
	sync.Mutex
	asked string
	*gen.Generator
}

func generateOne(request generateRequest) (any, error) {
	seed := gen.Seed(request.Seed, request.Shard, request.Number)
	request.Seed, request.Shard, request.Number = 0, 0, 0
	asked := fmt.Sprintf("%#v", request)
	latest.Lock()
	defer latest.Unlock()
	if latest.asked != asked {
		config, err := request.config()
		if err != nil {
			return nil, err
		}
		made, err := gen.New(config)
		if err != nil {
			return nil, err
		}
		latest.asked, latest.Generator = asked, made
	}
	t := new(trace.Trace)
	latest.Generate(seed, t)
	t.Notes = latest.Notes(seed)
	return valueOf(t), nil
}

// A generator makes one trace after the other.
type generator struct {
	sync.Mutex
	*gen.Generator
	request generateRequest
	trace   trace.Trace
}

// Close does nothing: a generator holds no resources.
func (g *generator) Close() error { return nil }

// openGenerator makes a generator. If the request names a target, openGenerator asks the
// target for its capabilities and options.
func openGenerator(_ context.Context, _ *job, request generateRequest) (any, error) {
	config, err := request.config()
	if err != nil {
		return nil, err
	}
	if request.Target != nil {
		target, _, err := request.Target.resolve(request.Model)
		if err != nil {
			return nil, err
		}
		config.Model = target.Model
		if config.Description, err = trial.Describe(target, replay.DefaultLimits); err != nil {
			return nil, err
		}
		if why := config.Beyond(config.Description); why != "" {
			return nil, &replay.TargetError{Target: target.Name, Reason: why}
		}
	}
	made, err := gen.New(config)
	if err != nil {
		return nil, err
	}
	return keep(&generator{Generator: made, request: request}), nil
}

type moreRequest struct {
	Thing int64 `json:"thing"`
	Count int   `json:"count"`
}

// generateMore makes the next traces.
func generateMore(request moreRequest) (any, error) {
	g, err := kept[*generator](request.Thing)
	if err != nil {
		return nil, err
	}
	g.Lock()
	defer g.Unlock()
	values := make([]traceValue, 0, max(request.Count, 0))
	for range request.Count {
		seed := gen.Seed(g.request.Seed, g.request.Shard, g.request.Number)
		g.Generate(seed, &g.trace)
		g.trace.Notes = g.Notes(seed)
		values = append(values, valueOf(&g.trace))
		g.request.Number++
	}
	return values, nil
}

type statsRequest struct {
	Family string `json:"family"`
	Count  uint64 `json:"count"`
	Seed   uint64 `json:"seed"`
}

func statistics(ctx context.Context, _ *job, request statsRequest) (any, error) {
	source, err := family.NewSource(request.Family)
	if err != nil {
		formulas, unknown := family.NewQuantifiedSource(request.Family)
		if unknown == nil && !family.IsTiny(request.Family) {
			return quantifiedStatistics(ctx, formulas, request)
		}
		return nil, useError{err}
	}
	solver, err := trial.OpenFormulaSolver(ctx, apimodel.IPASIR)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	s := measure.StatisticsOf(ctx, source, request.Seed, request.Count, solver.Decide)
	return s, cmp.Or(solver.Err, ctx.Err())
}

func quantifiedStatistics(ctx context.Context, source *family.Source, request statsRequest) (any, error) {
	solver, err := trial.OpenFormulaSolver(ctx, apimodel.QBF)
	if err != nil {
		return nil, err
	}
	defer solver.Close()
	s := measure.QuantifiedStatisticsOf(ctx, source, request.Seed, request.Count, solver.DecideQuantified)
	return s, cmp.Or(solver.Err, ctx.Err())
}
