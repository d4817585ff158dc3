package campaign

import (
	"context"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// TestEveryCellIsServed checks that a fair campaign runs the same number of traces of every
// cell, for any number of workers.
func TestEveryCellIsServed(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref", "ipamir")
	for _, target := range []string{"ref:defect=none", "ref:defect=lost-watch", "ref:defect=redeclare-adds",
		"ref:defect=empty-clause-exits"} {
		config.Cells = append(config.Cells, testConfig(t, target, "ipamir").Cells...)
	}
	config.Fair, config.Traces = true, 603
	var before stats.Stats
	for _, workers := range []int{1, 3} {
		config.Workers = workers
		stats := runCampaign(t, context.Background(), config, unreduced).Stats
		for i, cell := range stats.Cells {
			want := uint64(120)
			if i < 3 {
				want++
			}
			if cell.Traces != want {
				t.Errorf("%d workers, cell %d: %d traces, want %d", workers, i, cell.Traces, want)
			}
			if workers > 1 && (cell.Calls != before.Cells[i].Calls || cell.Solves != before.Cells[i].Solves ||
				cell.Deaths != before.Cells[i].Deaths) {
				t.Errorf("cell %d: with more workers %+v, with one %+v", i, cell.Counts, before.Cells[i].Counts)
			}
		}
		before = stats
	}
}

// TestATurnHasATrace checks that a turn has traces even if the target starts slowly.
func TestATurnHasATrace(t *testing.T) {
	c, err := New(testConfig(t, "ref", "ipamir"))
	if err != nil {
		t.Fatal(err)
	}
	turn := c.book.NextTurn()
	turn.ReadyAt = turn.ReadyAt.Add(-time.Hour)
	if taken := c.book.Take(turn, 5); taken.Empty() {
		t.Error("a turn is over before it has begun")
	}
	if taken := c.book.Take(turn, 5); !taken.Empty() {
		t.Errorf("a turn that is over goes on with %v", taken)
	}
}
