package campaign

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestWaiting checks that a finding confirmed while another follow-up is in progress is stored as
// confirmed, that its number is held, and that it is reduced later.
func TestWaiting(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=lost-watch", "ipasir")
	config.Traces, config.Workers = 3000, 1
	alone := runCampaign(t, context.Background(), config)
	config.Out = t.TempDir()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.followUps.most = 1
	watched := 0
	stored := 0
	c.config.OnFinding = func(f *store.Finding) {
		if watched++; watched > 1 {
			return
		}
		early, err := filepath.Glob(filepath.Join(config.Out, "findings", "*", "finding.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range early {
			if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), store.BeingReduced) {
				stored++
			}
		}
		if _, held := c.book.cells[0].numbers.Unfinished(); len(held) == 0 {
			t.Error("numbers whose findings wait are done")
		}
	}
	summary, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	keys := make(map[oracle.Key]bool)
	for _, f := range summary.Found {
		if keys[f.Key] = true; !f.IsMinimal {
			t.Errorf("%s is not minimal: %s", f.Key, f.NotMinimal)
		}
	}
	for _, f := range alone.Found {
		if f.MetIn.IsZero() && !keys[f.Key] {
			t.Errorf("%s is found only without waiting", f.Key)
		}
	}
	if stored == 0 || watched != len(summary.Found) {
		t.Errorf("%d were stored early; %d of %d announced", stored, watched, len(summary.Found))
	}
	if left, held := c.book.cells[0].numbers.Unfinished(); len(left)+len(held) > 0 {
		t.Errorf("not through: %v %v", left, held)
	}
}
