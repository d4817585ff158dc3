package fault_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/dd/engine"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// A setup is a library with planted defects and the traces that look for them.
type setup struct {
	Defects, Model, Profile string
	Seed                    uint64
	First                   bool `json:",omitempty"` // stop after the first finding
}

func (s setup) String() string {
	return fmt.Sprintf("%s (%s, %s, seed %d)", s.Defects, s.Model, s.Profile, s.Seed)
}

// A sample holds what one campaign found, in a form that can be stored: grouping it again needs no
// campaign.
type sample struct {
	Setup           setup
	Causes, Elapsed time.Duration // time for experiments; time of both workers
	Late            bool          // a limit on time may have stopped experiments
	Kept            []kept

	findings []*store.Finding
}

// A kept finding has what Group looks at, and what experiments may need.
type kept struct {
	Class                     oracle.Class
	Detail                    string
	Others                    []oracle.Finding
	Original, Minimal, Normal string
	Location, Variety         string
	Diagnosis                 *cause.Diagnosis
	Hits                      uint64
	NotMinimal                string
}

func keep(f *store.Finding) kept {
	k := kept{Class: f.Class, Detail: f.Detail, Others: f.Others, Original: f.Original.String(),
		Minimal: f.Minimal.String(), Location: f.Location, Variety: f.Variety, Diagnosis: f.Diagnosis, Hits: f.Hits,
		NotMinimal: f.NotMinimal}
	if f.Normal != nil {
		k.Normal = f.Normal.String()
	}
	return k
}

// finding returns the stored finding.
func (k *kept) finding(t *testing.T, target string) *store.Finding {
	t.Helper()
	read := func(text string) *trace.Trace {
		if text == "" {
			return nil
		}
		return testtrace.Parse(t, text)
	}
	f := &store.Finding{Target: target, Original: read(k.Original), Minimal: read(k.Minimal), Normal: read(k.Normal),
		Diagnosis: k.Diagnosis, Hits: k.Hits,
		Facts: store.Facts{Location: k.Location, Variety: k.Variety, NotMinimal: k.NotMinimal}}
	f.Class, f.Detail, f.Others = k.Class, k.Detail, k.Others
	f.Key = f.Finding.Key(target)
	return f
}

// run returns the findings of a campaign with the setup. IPAFUZZ_TRACES is the number of
// its traces. IPAFUZZ_SAMPLES names a directory that keeps samples, to group them again.
func (s setup) run(t *testing.T) *sample {
	t.Helper()
	spec := "ref:defect=" + s.Defects
	of := &sample{Setup: s}
	text, err := os.ReadFile(s.file())
	switch {
	case os.Getenv("IPAFUZZ_SAMPLES") == "" || errors.Is(err, fs.ErrNotExist):
		of.fuzz(t, spec)
	case err != nil:
		t.Fatal(err)
	default:
		if err := json.Unmarshal(text, of); err != nil {
			t.Fatal(err)
		}
	}
	for i := range of.Kept {
		of.findings = append(of.findings, of.Kept[i].finding(t, spec))
	}
	if os.Getenv("IPAFUZZ_SAMPLES") != "" && text == nil {
		of.store(t)
	}
	return of
}

// file returns the name of the file that keeps the sample.
func (s setup) file() string {
	return filepath.Join(os.Getenv("IPAFUZZ_SAMPLES"),
		strings.Join([]string{s.Defects, s.Model, s.Profile, fmt.Sprint(s.Seed), fmt.Sprint(s.First)}, "_")+".json")
}

func (s *sample) store(t *testing.T) {
	t.Helper()
	text, err := json.MarshalIndent(s, "", "\t")
	if err == nil {
		err = os.WriteFile(s.Setup.file(), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (s *sample) fuzz(t *testing.T, spec string) {
	t.Helper()
	target, err := targets.Resolve(spec, s.Setup.Model, nil)
	if err != nil {
		t.Fatal(err)
	}
	generate := gen.Config{Profile: cmp.Or(s.Setup.Profile, "tiny")}
	config := campaign.Config{Cells: []source.Cell{{Target: target, Generate: generate}}, Seed: s.Setup.Seed,
		Way: replay.Persistent, Workers: 2, Limits: limits, Traces: uint64(setting("IPAFUZZ_TRACES", 4000)), Others: true,
		Learn: true, Time: 10 * time.Minute}
	if s.Setup.First {
		config.Findings = 1
	}
	c, err := campaign.New(config)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s.Causes, s.Elapsed = summary.FollowUps.Causes, time.Duration(config.Workers)*summary.Elapsed
	// A number of traces, not a time, ends the search, and its follow-ups finish. So a busy machine changes
	// the findings only if experiments meet their own limits.
	const freeExperiments = 10 * time.Second
	s.Late = s.Causes > freeExperiments || summary.Elapsed >= config.Time
	for _, f := range summary.Found {
		s.Late = s.Late || f.NotMinimal == engine.ErrTime.Error()
		s.Kept = append(s.Kept, keep(f))
	}
}
