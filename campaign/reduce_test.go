package campaign

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// TestKeptWhileReduced checks that a finding whose reduction takes long is stored as
// confirmed, and that the minimal trace replaces it.
func TestKeptWhileReduced(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
	config.Out = t.TempDir()
	config.Traces, config.Findings = 100, 1
	big := runCampaign(t, context.Background(), config, unreduced).Found[0]

	config.Out = t.TempDir()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.store.Close()
	found := *big
	found.Dir, found.Hits = "", 0
	if !c.registry.Reserve(&found) {
		t.Fatal("the key is reserved before any reduction")
	}
	twin := found
	if c.registry.Reserve(&twin) || c.registry.Wants(found.Key, false) {
		t.Error("two lanes reduce the same failure")
	}
	c.registry.Confirm(&found)
	dir := c.store.DirOf(&found)
	if text := read(t, dir, "finding.json"); !strings.Contains(text, `"not_minimal": "the run ended during`) {
		t.Errorf("kept early: %s", text)
	}
	found.Minimal, found.IsMinimal, found.Tests = testtrace.Parse(t, "ipafuzz 1 ipamir\nsolve\n"), true, 7
	found.Siblings = []*store.Finding{{Original: big.Original, Minimal: big.Original}}
	if err := c.registry.Add(&found); err != nil && err != registry.ErrEnough {
		t.Fatal(err)
	}
	c.registry.Release(&found)
	if found.Again || found.Dir != dir || found.Hits != 3 {
		t.Errorf("again %v, in %s, %d hits", found.Again, found.Dir, found.Hits)
	}
	for file, text := range map[string]string{
		"finding.json":     `"is_minimal": true`,
		"minimal.trace":    "calls), 7 tests, minimal\n",
		"original-2.trace": "\nsolve",
		"minimal-2.trace":  "\nsolve",
	} {
		if got := read(t, dir, file); !strings.Contains(got, text) {
			t.Errorf("%s has no %q:\n%s", file, text, got)
		}
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A sameTrace is a source that makes the same trace for every number.
type sameTrace struct {
	source.Source
	number, seed uint64
}

func (s sameTrace) Open(config gen.Config) (_ source.Source, err error) {
	s.Source, err = source.OpenSource(nil, config)
	return s, err
}

func (s sameTrace) Flags() string { return "" }

func (s sameTrace) Make(ctx context.Context, _, _ uint64, t *trace.Trace) error {
	return s.Source.Make(ctx, s.number, s.seed, t)
}

// TestSameMinimal checks that the minimal trace of a finding does not depend on the number of workers and
// is marked as minimal. The number of workers decides which trace becomes the finding of a key. So the
// trace of each finding runs again alone, with two workers.
func TestSameMinimal(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=weight-truncated", "ipamir")
	config.Traces = 40
	one := runCampaign(t, context.Background(), config)
	if len(one.Found) == 0 {
		t.Fatal("no findings")
	}
	config.Traces, config.Workers = 4, 2
	for _, want := range one.Found {
		config.Cells[0].From = sameTrace{number: want.Number, seed: want.Seed}
		both := false
		for _, f := range runCampaign(t, context.Background(), config).Found {
			if !f.IsMinimal || f.NotMinimal != "" {
				t.Errorf("%s is not minimal: %q", f.Key, f.NotMinimal)
			}
			if f.Key != want.Key {
				continue
			}
			both = true
			if a, b := testtrace.Calls(want.Minimal), testtrace.Calls(f.Minimal); a != b {
				t.Errorf("trace %d, %s, was reduced to\n%s\nwith one worker, with two to\n%s",
					want.Number, want.Key, a, b)
			}
		}
		if !both {
			t.Errorf("trace %d showed %s with one worker, but not with two", want.Number, want.Key)
		}
	}
}

// TestOthersAreFindings checks that other failures seen during a reduction become findings,
// each with a small trace that shows it.
func TestOthersAreFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign: many seconds")
	}
	t.Parallel()
	run := func(others bool) map[oracle.Key]*store.Finding {
		config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
		config.Traces, config.Others, config.Out = 10, others, t.TempDir()
		found := make(map[oracle.Key]*store.Finding)
		for _, f := range runCampaign(t, context.Background(), config).Found {
			found[f.Key] = f
		}
		return found
	}
	without, with := run(false), run(true)
	met := 0
	for key, f := range with {
		if f.MetIn.IsZero() {
			continue
		}
		met++
		if with[f.MetIn] == nil || !f.Rate.Always() || len(f.Minimal.Calls) > 12 || f.Dir == "" {
			t.Errorf("%s, met in %s, %s: %s", key, f.MetIn, f.Rate, f.Minimal)
		}
	}
	if met == 0 || len(with) <= len(without) {
		t.Errorf("%d findings with others (%d met while reducing), %d without", len(with), met, len(without))
	}
}

// TestSideFailuresAreSettled checks that no key stays pending at the end of a campaign: a
// failure with such a key would never become a finding.
func TestSideFailuresAreSettled(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds", "ipamir")
	config.Traces, config.Others = 4, true
	c := newCampaign(t, config)
	if summary, err := c.Run(t.Context()); err != nil || len(summary.Found) < 2 {
		t.Fatalf("%d findings, %v", len(summary.Found), err)
	}
	entries := reflect.ValueOf(c.registry).Elem().FieldByName("entries") // no method returns the entries
	for key, e := range entries.Seq2() {
		if !e.Elem().FieldByName("pending").IsZero() {
			t.Errorf("%v is pending", key)
		}
	}
}
