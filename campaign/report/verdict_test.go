package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// TestVerdictWithoutFindings checks that a report calls targets right only if nothing was seen and most traces ended.
func TestVerdictWithoutFindings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		setAside    uint64 // of 10 traces of the second run
		unconfirmed int
		want        string
	}{
		{1, 0, "Nothing wrong was found."},
		{9, 0, "No finding, but most traces of a target did not end."},
		{1, 1, "No finding, but 1 failure seen and not confirmed."},
		{9, 2, "No finding, but 2 failures seen and not confirmed."},
	} {
		slow := new(stats.Stats)
		slow.AddCell(stats.CellStats{Target: "one", Counts: stats.Counts{Traces: 10, SetAside: row.setAside, Solves: 10,
			SolveTime: 20 * time.Second}})
		d := &Data{Runs: []*store.Stored{{}, {}}}
		d.Runs[1].Record.Stats = slow
		d.Runs[1].Record.Unconfirmed = make([]oracle.Key, row.unconfirmed)
		if got := d.verdict(); got != row.want {
			t.Errorf("%+v: %q", row, got)
		}
		var page bytes.Buffer
		if err := d.WriteHTML(&page, "1", time.Unix(1, 0)); err != nil || !strings.Contains(page.String(), row.want) {
			t.Errorf("%+v: the page does not say so: %v", row, err)
		}
	}
}
