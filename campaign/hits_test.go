package campaign

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestHitsAreKept checks that a finding has five more traces that fail in the same way, and the seeds of
// all traces that showed it.
func TestHitsAreKept(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=lost-watch", "ipasir")
	config.Traces, config.Out, config.Program = 4000, t.TempDir(), "ipafuzz"
	summary := runCampaign(t, context.Background(), config)
	c, err := New(Config{Cells: config.Cells, Seed: config.Seed, Way: config.Way, Workers: 1, Limits: config.Limits})
	if err != nil {
		t.Fatal(err)
	}
	group := c.lineup.OpenGroup([]int{0})
	defer group.Close()
	many := 0
	for _, f := range summary.Found {
		hits, err := store.ReadHits(filepath.Join(f.Dir, "hits.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) > int(f.Hits) || f.Hits > 2 && len(hits) == 0 { // a trace may show it more than once
			t.Errorf("%s: %d hits, %d are kept", f.Key, f.Hits, len(hits))
		}
		originals, err := filepath.Glob(filepath.Join(f.Dir, "originals", "*"))
		if err != nil || len(originals) != min(len(hits), store.MoreOriginals) {
			t.Errorf("%s: %d originals of %d hits, %v", f.Key, len(originals), len(hits), err)
		}
		if len(hits) > store.MoreOriginals {
			many++
		}
		for i, path := range originals {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			original, err := trace.Parse(strings.NewReader(string(text)), path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "seed="+hits[i].Seed) ||
				!strings.Contains(string(text), "\n# again: ipafuzz gen ") {
				t.Errorf("%s does not say where it is from", path)
			}
			var run trace.Run
			same, err := group.Shows(context.Background(), f.Target, original, f.Key, &run)
			if err != nil {
				t.Fatal(err)
			}
			if same == nil {
				t.Errorf("%s does not show %s", path, f.Key)
			}
		}
	}
	if many == 0 {
		t.Error("no finding was met often")
	}
}
