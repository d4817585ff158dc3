package campaign

import (
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestProfilesOnHealthyLibrary runs traces of every profile on the library
// without a defect: none may give a finding.
func TestProfilesOnHealthyLibrary(t *testing.T) {
	t.Parallel()
	first := testseed.Of(t, 1)
	for _, p := range gen.Profiles() {
		for _, m := range apimodel.Models() {
			t.Run(p.Name+"/"+m.Name, func(t *testing.T) {
				traces := profileTraces(p.Name)
				if p.Name == "tuned" && m.Call(apimodel.OpSoft) != nil {
					traces /= 100 // formulas of 40 variables take a MaxSAT solver long
				}
				runProfile(t, gen.Config{Model: m, Profile: p.Name}, first, traces)
			})
		}
	}
}

// profileTraces is the number of traces of a profile that a test can afford: formulas of
// published size take the built-in library long.
func profileTraces(name string) uint64 {
	traces := uint64(3000)
	switch name {
	case "wide", "app":
		traces = 10
	case "published", "longhand", "search", "bulk":
		traces = 20
	case "marathon", "crowd":
		traces = 100
	case "proofs":
		traces = 300
	}
	if testing.Short() {
		traces /= 10
	}
	return traces
}

// allowedSlow is the number of traces that may meet the time limit: some with large
// formulas, otherwise none.
func allowedSlow(name string, traces uint64) int {
	switch name {
	case "wide", "app", "tuned", "longhand", "search", "bulk", "published":
		return int(traces)/10 + 1
	case "proofs":
		return int(traces)/100 + 1
	}
	return 0
}

func runProfile(t *testing.T, config gen.Config, first, traces uint64) {
	t.Helper()
	target, err := targets.Resolve("ref", config.Model.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := (&lineup.Lineup{Way: replay.Persistent}).QueueOptions()
	s, err := replay.OpenQueue(target, replay.Persistent, replay.DefaultLimits, size)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if config.Description, err = s.Description(); err != nil {
		t.Fatal(err)
	}
	generator, err := gen.New(config)
	if err != nil {
		t.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: config.Description.Policies})
	slow := 0
	for number := range traces {
		tr := new(trace.Trace)
		made := gen.Seed(first, 0, number)
		generator.Generate(made, tr)
		batch := &replay.Batch{Traces: []*trace.Trace{tr}, Seeds: []uint64{made}}
		if _, err := s.Post(batch); err != nil {
			t.Fatalf("trace %d: %v", number, err)
		}
		if batch, err = s.Collect(); err != nil {
			t.Fatal(err)
		}
		for _, f := range judge.Judge(tr, &batch.Runs[0]) {
			if f.Class == oracle.TooSlow {
				slow++
				continue
			}
			tr.Notes = generator.Notes(made)
			t.Fatalf("trace %d: %s %s, observed %s, expected %s\n%s", number, f.Class, f.Detail, f.Observed, f.Expected, tr)
		}
	}
	tally := judge.Decided()
	t.Logf("%d traces, %d solves, %d not decided, %d over the time limit", traces, tally.Solves,
		tally.Unchecked.Answers(), slow)
	if most := allowedSlow(config.Profile, traces); slow > most {
		t.Errorf("%d of %d traces take the built-in library longer than the limit", slow, traces)
	}
}
