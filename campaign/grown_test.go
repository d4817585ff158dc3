package campaign

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
)

var largerProfiles = []string{"wide", "app", "published", "longhand", "search", "bulk"}

// TestGrown checks that a campaign that has found nothing new for long runs some traces of larger profiles,
// and that their findings say how to generate the traces again.
func TestGrown(t *testing.T) {
	t.Parallel()
	config := testConfig(t, "ref:defect=49", "ipamir")
	config.Cells[0].Generate = gen.Config{}
	config.Traces, config.Out = 200, t.TempDir()
	c := newCampaign(t, config, unreduced)
	c.book.Grow(c.book.Cells[0])
	summary, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	larger := uint64(0)
	for name, use := range summary.Cells[0].Profiles {
		if slices.Contains(largerProfiles, strings.Split(name, "/")[0]) {
			larger += use.Traces
		}
	}
	if larger != 20 {
		t.Errorf("%d of 200 traces are of larger profiles, want one in %d: %v", larger, source.LargerShare,
			summary.Cells[0].Profiles)
	}
	origin := source.Origin{Stream: c.book.Cells[0].Stream, Number: 16}
	again := strings.Join(origin.Notes(t.Context()), "\n")
	if !strings.Contains(again, "--profile "+origin.Choice().Profile) ||
		origin.Choice().Profile == "" {
		t.Errorf("trace 16 is of profile %q, its header is\n%s", origin.Choice().Profile, again)
	}
}

// TestGrowsOnlyByDefault checks that a campaign does not grow if the user chose its traces.
func TestGrowsOnlyByDefault(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		chosen gen.Config
		want   bool
	}{
		{"nothing", gen.Config{}, true},
		{"the default profile", gen.Config{Profile: gen.DefaultProfile}, true},
		{"features to avoid", gen.Config{Without: []string{"gaps"}}, true},
		{"a profile", gen.Config{Profile: "tiny"}, false},
		{"a family", gen.Config{Family: "3sat"}, false},
		{"a schedule", gen.Config{Schedule: "one-shot"}, false},
		{"a bound", gen.Config{Bounds: gen.Bounds{MaxVars: 9}}, false},
	} {
		cell := &source.Cell{Target: testConfig(t, "ref", "ipasir").Cells[0].Target, Generate: row.chosen}
		if got := source.NewStream(cell, 0, 1, 0, nil).CanGrow(); got != row.want {
			t.Errorf("%s: can grow: %v", row.name, got)
		}
	}
}

// TestChosen checks that the lessons before its number and its seed determine whether a
// trace is larger, and that traces that avoid something are not.
func TestChosen(t *testing.T) {
	t.Parallel()
	lessons := []source.Lesson{{From: 8, Needs: [][]string{{"redeclare"}}}, {From: 100, Needs: [][]string{{"redeclare"}},
		Grown: true}}
	drawn := make(map[string]int)
	for number := range uint64(4100) {
		choice := source.Chosen(lessons, number, gen.Seed(1, 0, number))
		if avoids := number >= 8 && number%source.AvoidShare == source.AvoidShare-1; avoids != (choice.Without != nil) ||
			(number < 100 || number%source.LargerShare != 6) != (choice.Profile == "") {
			t.Errorf("trace %d: %+v", number, choice)
		}
		drawn[choice.Profile]++
	}
	if len(drawn) != 7 || drawn["wide"] < 50 { // six larger profiles, and the usual choice
		t.Errorf("profiles: %v", drawn)
	}
}
