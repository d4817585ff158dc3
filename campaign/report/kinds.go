package report

import (
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
)

// kinds says what the kinds of traces cost and found.
func (d *Data) kinds() *Table {
	t := &Table{Name: "kinds", Title: "What kinds of traces cost and found", text: 4,
		Note: "A trace is of several kinds: it has a profile, a family, features and sizes. Time is that in the library " +
			"and for following up on failures. A new failure had a key not seen before. The traces put off did not run.",
		Columns: []string{"Target", "Kinds by", "Kind", "Why put off", "Traces", "Of all", "Library", "Follow-ups",
			"Of the time", "Set aside", "New failures", "Findings", "Put off"}}
	for i, run := range d.Runs {
		if run.Record.Measures == nil {
			continue
		}
		if text := stats.PutOff(run.Record.Measures.Kinds); text != "" {
			t.Note += " " + text
		}
		var all uint64
		for _, k := range run.Record.Measures.Kinds {
			by, kind := k.By, k.Kind
			if by == "" {
				by, kind, all = "all", "all", k.Traces
			}
			t.add(strings.TrimSpace(d.label(i)+" "+k.Target), by, kind, k.Why, k.Traces, percent(k.Traces, all),
				seconds(k.Library.Seconds()), seconds(k.FollowUps.Seconds()), fmt.Sprintf("%.1f %%", 100*k.TimeShare),
				k.SetAside, k.News, k.Findings, k.PutOff)
		}
	}
	return t
}
