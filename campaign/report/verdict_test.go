package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

// TestVerdictWithoutFindings checks that a report calls targets right only if all that was asked for was checked, in
// each of its runs.
func TestVerdictWithoutFindings(t *testing.T) {
	t.Parallel()
	ran := func(c stats.Counts) *stats.Stats {
		s := new(stats.Stats)
		s.AddCell(stats.CellStats{Target: "one", Kind: "tiny", Counts: c})
		return s
	}
	clean := ran(stats.Counts{Traces: 10, Solves: 10})
	for _, row := range []struct {
		name   string
		record store.Record
		want   string
	}{
		{"clean", store.Record{Stats: clean}, "Nothing wrong was found."},
		{"never ran", store.Record{}, "No fault was found. Unchecked: the campaign (it did not run to its end)."},
		{"no trace", store.Record{Stats: ran(stats.Counts{})},
			"No fault was found. Unchecked: target one (none of its traces ran)."},
		{"slow", store.Record{Stats: ran(stats.Counts{Traces: 10, SetAside: 9, Solves: 10})},
			"No fault was found. Unchecked: 9 traces (met a limit on a problem that may be hard)."},
		{"unconfirmed", store.Record{Stats: clean, Unconfirmed: make([]oracle.Key, 1)},
			"No fault was found. Unchecked: 1 failure (seen and not confirmed)."},
		{"hard", store.Record{Stats: clean, Hard: 2},
			"No fault was found. Unchecked: 2 traces (met a limit on a problem that may be hard)."},
		{"a proof", store.Record{Stats: clean, Tally: &oracle.Tally{Unchecked: unchecked.Counts{unchecked.NoChecker: 1}}},
			"No fault was found. Unchecked: 1 proof (needs the checker veripb, which is not in PATH)."},
	} {
		d := &Data{Runs: []*store.Stored{{Record: store.Record{Stats: clean}}, {Record: row.record}}}
		if got := d.verdict(); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
		var page bytes.Buffer
		if err := d.WriteHTML(&page, "1", time.Unix(1, 0)); err != nil || !strings.Contains(page.String(), row.want) {
			t.Errorf("%s: the page does not say so: %v", row.name, err)
		}
	}
}
