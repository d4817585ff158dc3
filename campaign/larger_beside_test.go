package campaign

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// TestLargerBeside checks that the side lane runs larger traces, that each number counts once, and that the archive
// has the traces that ran.
func TestLargerBeside(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	config.Cells[0].Generate = gen.Config{Without: []string{"proofs"}}
	config.Traces, config.Out, config.Archive = 0, t.TempDir(), true
	c := newCampaign(t, config, unreduced)
	of := c.book.Cells[0]
	c.book.Grow(of)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	larger := func() (ran uint64) {
		for name, use := range c.Stats().Cells[0].Profiles {
			if slices.Contains(largerProfiles, strings.Split(name, "/")[0]) {
				ran += use.Traces
			}
		}
		return ran
	}
	go func() {
		for ctx.Err() == nil && (larger() == 0 || c.Stats().Cells[0].Postponed == 0) {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	summary, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if larger() == 0 {
		t.Errorf("no larger trace ran in a minute: %+v", summary.Cells[0].Profiles)
	}
	done := of.Numbers.Next
	left, _ := of.Numbers.Unfinished()
	for _, r := range left {
		done -= r.To - r.From
	}
	if counted := of.Counts.Traces + of.Counts.Postponed; counted != done {
		t.Errorf("%d traces ran and %d were postponed, of %d numbers", of.Counts.Traces, of.Counts.Postponed, done)
	}
	if kept := archived(t, config.Out); kept != of.Counts.Traces {
		t.Errorf("%d traces ran, and %d are in the archive", of.Counts.Traces, kept)
	}
}

// archived returns the number of traces in the archives of a campaign.
func archived(t *testing.T, dir string) (n uint64) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "archive", "*.traces.zst"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		r, err := archive.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		n += uint64(r.Len())
		r.Close()
	}
	return n
}
