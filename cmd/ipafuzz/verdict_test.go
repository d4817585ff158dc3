package main

import (
	"errors"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// TestVerdict checks that a run that left something unchecked, or was disturbed, is not a success.
func TestVerdict(t *testing.T) {
	var ran, idle stats.Stats
	ran.AddCell(stats.CellStats{Target: "one", Counts: stats.Counts{Traces: 1, Solves: 1}})
	idle.AddCell(stats.CellStats{Target: "one"})
	doubtful := campaign.Summary{Stats: ran, Unconfirmed: make([]store.Unconfirmed, 1)}
	for name, row := range map[string]struct {
		failed, strict bool
		summary        campaign.Summary
		want           error
	}{
		"clean":              {summary: campaign.Summary{Stats: ran}},
		"clean, strict":      {summary: campaign.Summary{Stats: ran}, strict: true},
		"findings":           {summary: campaign.Summary{Stats: ran}, failed: true, want: exit.ErrFindings},
		"unconfirmed":        {summary: doubtful, want: exit.ErrDoubt},
		"ended by a target":  {summary: campaign.Summary{Stats: ran, EndedBy: "SIGTERM"}, want: exit.ErrDoubt},
		"frozen by a target": {summary: campaign.Summary{Stats: ran, Disturbed: "stopped"}, want: exit.ErrDoubt},
		"nothing tested":     {summary: campaign.Summary{Stats: idle}, want: exit.ErrDoubt},
		"the same, strict":   {summary: campaign.Summary{Stats: idle}, strict: true, want: exit.ErrFindings},
	} {
		got := verdict(row.failed, &row.summary, row.strict)
		if !errors.Is(got, row.want) || (got == nil) != (row.want == nil) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

// TestCompletion checks that a job succeeds if its run came to its end by itself and tested something.
func TestCompletion(t *testing.T) {
	ran := stats.Stats{}
	ran.Traces = 1
	unconfirmed := make([]store.Unconfirmed, 1)
	for name, row := range map[string]struct {
		interrupted bool
		summary     campaign.Summary
		success     bool
	}{
		"clean":              {summary: campaign.Summary{Stats: ran}, success: true},
		"findings":           {summary: campaign.Summary{Stats: ran, Found: make([]*store.Finding, 1)}, success: true},
		"unconfirmed":        {summary: campaign.Summary{Stats: ran, Unconfirmed: unconfirmed}, success: true},
		"interrupted":        {summary: campaign.Summary{Stats: ran}, interrupted: true},
		"ended by a target":  {summary: campaign.Summary{Stats: ran, EndedBy: "SIGTERM"}, interrupted: true},
		"frozen by a target": {summary: campaign.Summary{Stats: ran, Disturbed: "stopped"}},
		"nothing tested":     {},
	} {
		if got := completion(&row.summary, row.interrupted); (got == nil) != row.success {
			t.Errorf("%s: got %v, want success %v", name, got, row.success)
		}
	}
}
