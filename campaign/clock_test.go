package campaign

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClockJump: a campaign goes on as before if the clock of the machine jumped since its last part. Its age is a
// sum of durations, and the times in its files are only shown.
func TestClockJump(t *testing.T) {
	t.Parallel()
	for _, jump := range []time.Duration{-30 * time.Hour, 30 * time.Hour} {
		config := testConfig(t, "ref:defect=weight-truncated", "ipamir")
		config.Traces, config.Out = 200, t.TempDir()
		first := runCampaign(t, context.Background(), config)
		for _, name := range []string{"campaign.json", "stats.jsonl", "state.json"} {
			path := filepath.Join(config.Out, name)
			if err := os.WriteFile(path, []byte(moveTimes(t, read(t, path), jump)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		config.Traces, config.Resume = 400, true
		second := runCampaign(t, context.Background(), config)
		if second.Traces != 400 || second.Elapsed < first.Elapsed || second.Elapsed > first.Elapsed+time.Hour ||
			len(second.Found) < len(first.Found) {
			t.Errorf("after %s: %d traces in %s, %d findings; before: %d in %s, %d", jump, second.Traces, second.Elapsed,
				len(second.Found), first.Traces, first.Elapsed, len(first.Found))
		}
	}
}

// moveTimes adds a duration to all times in lines of JSON.
func moveTimes(t *testing.T, text string, by time.Duration) string {
	t.Helper()
	var words []string
	for word := range strings.SplitSeq(text, `"`) {
		if at, err := time.Parse(time.RFC3339Nano, word); err == nil {
			moved, err := json.Marshal(at.Add(by))
			if err != nil {
				t.Fatal(err)
			}
			word = strings.Trim(string(moved), `"`)
		}
		words = append(words, word)
	}
	return strings.Join(words, `"`)
}
