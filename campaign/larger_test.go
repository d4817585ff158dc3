package campaign

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestLarger checks that a resumed campaign reduces findings that were confirmed at the last moment, and
// that they stay the same findings.
func TestLarger(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=weight-truncated", "ipamir")
	config.Traces, config.Out = 40, t.TempDir()
	first := runCampaign(t, context.Background(), config, unreduced).Found
	if len(first) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range first {
		path := filepath.Join(f.Dir, "finding.json")
		text := strings.Replace(read(t, path), `"is_minimal": false,`, `"is_minimal": false, "not_minimal": "`+store.RunEnded+
			`",`, 1)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config.Traces, config.Resume = 41, true
	second := runCampaign(t, context.Background(), config).Found
	for _, f := range first {
		same := -1
		for i := range second {
			if second[i].Key == f.Key {
				same = i
			}
		}
		if same < 0 {
			t.Fatalf("%s is lost", f.Key)
		}
		now := second[same]
		if !now.IsMinimal || now.NotMinimal != "" || len(now.Minimal.Calls) >= len(f.Minimal.Calls) || now.Hits < f.Hits ||
			now.Number != f.Number {
			t.Errorf("%s: minimal %v, %q, %d calls of %d, %d hits of %d", f.Key, now.IsMinimal, now.NotMinimal,
				len(now.Minimal.Calls), len(f.Minimal.Calls), now.Hits, f.Hits)
		}
		stored, err := trace.Parse(strings.NewReader(read(t, f.Dir, "minimal.trace")), "minimal.trace")
		if err != nil || trace.CallsAlone(stored) != trace.CallsAlone(now.Minimal) {
			t.Errorf("stored is\n%s\nand found\n%s (%v)", stored, now.Minimal, err)
		}
		if n := strings.Count(read(t, f.Dir, "minimal.trace"), "# minimized: "); n != 1 {
			t.Errorf("%d lines describe the reduction", n)
		}
	}
}

// TestOpenCause checks that a resumed campaign determines the causes that an earlier part had no time for.
func TestOpenCause(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=weight-truncated", "ipamir")
	config.Traces, config.Out = 40, t.TempDir()
	first := runCampaign(t, context.Background(), config).Found
	if len(first) == 0 {
		t.Fatal("nothing was found")
	}
	for _, f := range first {
		if f.Cause() == "" {
			t.Fatalf("%s has no cause", f.Key)
		}
		path, facts := filepath.Join(f.Dir, "finding.json"), make(map[string]json.RawMessage)
		if err := json.Unmarshal([]byte(read(t, path)), &facts); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"cause", "sentence", "mistake", "experiments"} {
			delete(facts, name)
		}
		facts["undecided"] = json.RawMessage("true")
		text, err := json.Marshal(facts)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	config.Traces, config.Resume = 41, true
	for _, f := range runCampaign(t, context.Background(), config).Found {
		if f.Undecided || f.Cause() == "" || !f.IsMinimal || !strings.Contains(read(t, f.Dir, "finding.json"), `"cause"`) {
			t.Errorf("%s: cause %q, open: %v, minimal: %v", f.Key, f.Cause(), f.Undecided, f.IsMinimal)
		}
	}
}

// TestInterrupted checks that the record tells a run that somebody ended from one that met its limit.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, interrupted := range []bool{false, true} {
		config := testConfig(t, "ref", "ipamir")
		config.Traces, config.Out = 3, t.TempDir()
		ctx, stop := context.WithCancel(t.Context())
		if interrupted {
			stop()
		}
		runCampaign(t, ctx, config)
		stop()
		if text := read(t, config.Out, "campaign.json"); strings.Contains(text, `"interrupted": true`) != interrupted {
			t.Errorf("want interrupted %v:\n%s", interrupted, text)
		}
	}
}
