package campaign

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
)

// TestWaiting checks that a finding whose reduction waits is stored as confirmed, and that a campaign that was killed
// meanwhile reduces it when it is resumed.
func TestWaiting(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=lost-watch", "ipasir")
	config.Traces, config.Findings = 3000, 1
	found := *runCampaign(t, context.Background(), config, unreduced).Found[0]
	config.Out = t.TempDir()
	c := newCampaign(t, config)
	found.Hits = 0
	c.registry.Reserve(&found)
	c.registry.Confirm(&found)
	early, err := filepath.Glob(filepath.Join(config.Out, "findings", "*"))
	if err != nil || len(early) != 1 {
		t.Fatalf("stored early: %v, %v", early, err)
	}
	if text := read(t, early[0], "finding.json"); !strings.Contains(text, store.BeingReduced) {
		t.Errorf("stored as\n%s", text)
	}
	if stored, err := store.ReadStored(config.Out); err != nil || !stored.Findings[0].Undecided {
		t.Errorf("the cause is not said to be open before the reduction: %v", err)
	}
	killed := config
	killed.Out, killed.Resume = t.TempDir(), true
	if err := os.CopyFS(killed.Out, os.DirFS(config.Out)); err != nil {
		t.Fatal(err)
	}
	var told []string
	killed.OnConfirmed = func(f *store.Finding) { told = append(told, "confirmed "+f.Key.String()) }
	killed.OnFinding = func(f *store.Finding) { told = append(told, "found "+f.Key.String()) }
	resumed := newCampaign(t, killed)
	if n := resumed.CutOff(); n != 1 {
		t.Errorf("resumed after a kill: the reductions of %d findings were cut off, want 1", n)
	}
	summary, err := resumed.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Found) != 1 || !summary.Found[0].IsMinimal || summary.Found[0].Key != found.Key {
		t.Errorf("%d findings", len(summary.Found))
	}
	if key := found.Key.String(); !slices.Equal(told, []string{"confirmed " + key, "found " + key}) {
		t.Errorf("told: %q", told)
	}
	if text := read(t, summary.Found[0].Dir, "finding.json"); strings.Contains(text, store.BeingReduced) ||
		strings.Contains(text, `"undecided"`) {
		t.Errorf("at the end it is still\n%s", text)
	}
	if left, held := resumed.book.Cells[0].Numbers.Unfinished(); len(left)+len(held) > 0 {
		t.Errorf("not through: %v %v", left, held)
	}
}
