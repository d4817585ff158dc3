package bindings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// A targetRequest names a target and bounds a trace on it.
type targetRequest struct {
	Target      string `json:"target"`
	Model       string `json:"model"`
	TargetsFile string `json:"targets_file"`
	Way         string `json:"way"`

	CPU    float64 `json:"cpu"` // seconds; 0: no limit
	Wall   float64 `json:"wall"`
	Memory uint64  `json:"memory"` // bytes
	Output uint64  `json:"output"`

	Contain *bool `json:"contain"` // nil: yes
}

// resolve finds the target. model is used if the request names no API model itself.
func (r *targetRequest) resolve(model string) (*replay.Target, *targets.File, error) {
	if r.CPU < 0 || r.Wall < 0 {
		return nil, nil, useError{fmt.Errorf("cpu and wall must be 0 (no limit) or more, got %g and %g", r.CPU, r.Wall)}
	}
	if !r.uncontained() {
		contain()
	}
	file, err := targets.ReadFile(r.TargetsFile)
	if err != nil {
		return nil, nil, useError{err}
	}
	file.Uncontained, file.Only = r.uncontained(), r.Model
	if r.Model != "" {
		model = r.Model
	}
	target, err := targets.Resolve(r.Target, model, file)
	return target, file, err
}

// contain restricts targets to their own files and processes from now on. The first call says what the kernel lacks.
var contain = sync.OnceFunc(func() {
	if missing := process.Contain(true); missing != "" {
		fmt.Fprintf(os.Stderr, "ipafuzz: containment is incomplete: %s.\n", missing)
	}
})

func (r *targetRequest) uncontained() bool { return r.Contain != nil && !*r.Contain }

func (r *targetRequest) limits() replay.Limits {
	return replay.Limits{CPU: seconds(r.CPU), Wall: seconds(r.Wall), Memory: r.Memory, Output: r.Output,
		Uncontained: r.uncontained()}
}

// seconds returns a duration; 0 is no limit. A limit never rounds to 0, and a long one
// never overflows.
func seconds(s float64) time.Duration {
	if s <= 0 {
		return 0
	}
	return time.Duration(min(max(s, 1e-3), 1e9) * float64(time.Second))
}

// way returns how traces run. It refuses to run a library in the interpreter, because a
// crash of the library would end Python.
func (r *targetRequest) way() (replay.Way, error) {
	switch way := replay.Way(r.Way); way {
	case replay.Fork, replay.Persistent:
		return way, nil
	case replay.InProcess:
		return "", useError{fmt.Errorf("way %q would run the library inside Python; use it on the command line", way)}
	}
	return "", useError{fmt.Errorf("way %q: want fork or persistent", r.Way)}
}

// A session is an open target. Its traces run one at a time.
type session struct {
	free     chan *trial.Replayer // holds the replayer while no trace runs
	name     string
	replayer *trial.Replayer
}

// Close ends the processes, after the trace in progress.
func (s *session) Close() error {
	go func() {
		replayer := <-s.free
		replayer.Close()
	}()
	return nil
}

type openRequest struct {
	targetRequest
	Conflicts uint64 `json:"conflicts"`
	Exact     bool   `json:"exact"`
}

func (r *openRequest) open() (*session, error) {
	way, err := r.way()
	if err != nil {
		return nil, err
	}
	target, file, err := r.resolve("")
	if err != nil {
		return nil, err
	}
	how := trial.Replaying{Way: way, Limits: r.limits(), Conflicts: r.Conflicts, Exact: r.Exact}
	s := &session{free: make(chan *trial.Replayer, 1), name: r.Target,
		replayer: trial.NewReplayer(target, file, how)}
	s.free <- s.replayer
	return s, nil
}

func openTarget(_ context.Context, _ *job, request openRequest) (any, error) {
	s, err := request.open()
	if err != nil {
		return nil, err
	}
	return keep(s), nil
}

type replayRequest struct {
	Trace string       `json:"trace"`
	Thing int64        `json:"thing"` // an open target, or
	Open  *openRequest `json:"open"`  // one to be opened
}

type replayValue struct {
	trial.ReplayRecord
	Answers []any `json:"answers"`
}

func replayTrace(ctx context.Context, _ *job, request replayRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	var s *session
	if request.Open != nil {
		if s, err = request.Open.open(); err != nil {
			return nil, err
		}
		defer s.replayer.Close()
	} else if s, err = kept[*session](request.Thing); err != nil {
		return nil, err
	}
	var replayer *trial.Replayer
	select {
	case replayer = <-s.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.free <- replayer }()
	result, err := replayer.Replay(ctx, "trace", t)
	if err != nil {
		return nil, err
	}
	return replayValue{result.Record(s.name), answersOf(t, &result.Run)}, nil
}

// answersOf returns the answers of all calls: a number, a list of literals, a text, or nil
// if a call has no answer, was not made or did not return.
func answersOf(t *trace.Trace, run *trace.Run) []any {
	answers := make([]any, len(t.Calls))
	for i := range t.Calls {
		a := run.Answers.At(i)
		if a.Kind != trace.Answered {
			continue
		}
		switch t.Model.Call(t.Calls[i].Op).Reply {
		case apimodel.ReplyNothing:
		case apimodel.ReplyModel, apimodel.ReplyCore:
			answers[i] = append([]int32{}, run.Answers.ListOf(a)...)
		case apimodel.ReplyText:
			answers[i] = run.Answers.TextOf(a)
		case apimodel.ReplyWeight:
			answers[i] = a.Num
		default:
			answers[i] = a.Int()
		}
	}
	return answers
}

type minimizeRequest struct {
	targetRequest
	Trace      string     `json:"trace"`
	Key        oracle.Key `json:"key"`
	AnyFailure bool       `json:"any_failure"`
	KeepClass  bool       `json:"keep_class"`
	Strategy   string     `json:"strategy"`
	Seconds    float64    `json:"seconds"`
	Tests      int        `json:"tests"`
	Seed       uint64     `json:"seed"`
	Workers    int        `json:"workers"`
}

type progressValue struct {
	Round int    `json:"round"`
	Pass  string `json:"pass"`
	Tests int    `json:"tests"`
	Calls int    `json:"calls"`
}

// progressInterval is the time between two progress messages.
const progressInterval = 200 * time.Millisecond

func minimizeTrace(ctx context.Context, j *job, request minimizeRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	request.Strategy = cmp.Or(request.Strategy, string(dd.Own))
	if !slices.Contains(dd.Strategies, dd.Strategy(request.Strategy)) {
		return nil, useError{fmt.Errorf("unknown strategy %q; want one of %v", request.Strategy, dd.Strategies)}
	}
	if request.Workers < 0 || request.Workers > mostWorkers {
		return nil, useError{fmt.Errorf("workers: want 0 (one for each core) to %d, got %d", mostWorkers, request.Workers)}
	}
	target, file, err := request.resolve("")
	if err != nil {
		return nil, err
	}
	if target, err = targets.ForModel(target, t.Model, file); err != nil {
		return nil, err
	}
	m := &shrink.Reducer{
		Config: dd.Config{Workers: request.Workers, Strategy: dd.Strategy(request.Strategy), Seed: request.Seed,
			Budget: dd.Budget{Tests: request.Tests, Time: seconds(request.Seconds)}},
		Target: target, Limits: request.limits(),
		Key: request.Key, AnyFailure: request.AnyFailure, KeepClass: request.KeepClass}
	m.Workers = cmp.Or(m.Workers, runtime.NumCPU())
	if err = m.Start(); err != nil {
		return nil, err
	}
	defer m.Close()
	others := make(map[oracle.Key]int)
	m.OnKey = func(known *shrink.Reduction) { j.say("key", known.Key) }
	m.OnOther = func(t *trace.Trace, other dd.Failure) { others[other.(oracle.Key)] = len(t.Calls) }
	var mu sync.Mutex // the workers report their progress concurrently
	var said time.Time
	m.Progress = func(p dd.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(said) >= progressInterval {
			said = time.Now()
			j.say("progress", progressValue{p.Round, p.Pass, p.Tests, p.Size.Calls})
		}
	}
	result, err := m.Reduce(ctx, t)
	if err != nil {
		return nil, err
	}
	result.Trace = result.Expecting
	result.NoteIn(result.Trace, "a trace", target.Name, m.Limits, len(t.Calls), m.Seed)
	record := result.Record(len(t.Calls))
	for _, key := range slices.SortedFunc(maps.Keys(others), oracle.Key.Compare) {
		record.Others = append(record.Others, shrink.OtherFailure{Key: key, Calls: others[key]})
	}
	return record, nil
}

type programRequest struct {
	Trace    string         `json:"trace"`
	Language string         `json:"language"`
	Name     string         `json:"name"` // of the file
	Key      oracle.Key     `json:"key"`
	All      bool           `json:"all"`
	Target   *targetRequest `json:"target"` // nil: the target in the notes, if this machine has it
}

type programValue struct {
	Text  string `json:"text"`
	Build string `json:"build"`
}

func programOfTrace(ctx context.Context, _ *job, request programRequest) (any, error) {
	t, err := parse(request.Trace, "")
	if err != nil {
		return nil, err
	}
	language := export.LanguageNamed(request.Language)
	if language == nil {
		return nil, useError{fmt.Errorf("unknown language %q", request.Language)}
	}
	noted := request.Target == nil
	limits := replay.DefaultLimits
	if noted {
		request.Target = &targetRequest{Target: notes.ResultOf(t.Notes).Target}
	} else {
		limits = request.Target.limits()
	}
	var target *replay.Target
	if request.Target.Target != "" {
		var file *targets.File
		if target, file, err = request.Target.resolve(""); err == nil {
			target, err = targets.ForModel(target, t.Model, file)
		}
		if noted && err != nil {
			target, err = nil, nil // it need not be on this machine
		}
		if err != nil {
			return nil, err
		}
	}
	if request.All {
		t = t.Clone()
		t.Notes = nil
	}
	name := cmp.Or(request.Name, "repro"+language.Suffix)
	p, err := repro.ProgramFor(ctx, t, language, name, target, request.Key, limits)
	if err != nil {
		return nil, err
	}
	return programValue{string(p.Text), p.Build}, nil
}
