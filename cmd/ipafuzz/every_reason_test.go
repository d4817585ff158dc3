package main

import (
	"encoding/json"
	"errors"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/instances"
	"github.com/ipafuzz/ipafuzz/campaign/report"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/suite"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestEveryReasonInEveryOutput gives each output something that is unchecked for each reason, which TestUnchecked
// causes with targets. The output must say so, and nothing may call the target right.
func TestEveryReasonInEveryOutput(t *testing.T) {
	last := unchecked.Reason(0)
	for ; !strings.HasPrefix(last.String(), "reason-"); last++ {
		counts := unchecked.Counts{}
		counts[last] = 1
		for name, printed := range outputsWith(t, counts) {
			text, word := unchecked.Text(counts.Items()), last.String()
			if !strings.Contains(printed, text) && !strings.Contains(printed, html.EscapeString(text)) &&
				!strings.Contains(printed, `"`+word+`"`) && !strings.Contains(printed, ","+word+"\n") {
				t.Errorf("%s, %s: nothing says %q\n%s", word, name, text, printed)
			}
			if callsRight.MatchString(printed) {
				t.Errorf("%s, %s: the target is called right\n%s", word, name, printed)
			}
		}
		if err := exit.Of(false, counts.Items(), false); !errors.Is(err, exit.ErrDoubt) {
			t.Errorf("%s: %v", last, err)
		}
		if err := exit.Of(false, counts.Items(), true); !errors.Is(err, exit.ErrFindings) {
			t.Errorf("%s, strict: %v", last, err)
		}
	}
	if last < 10 {
		t.Fatalf("only %d reasons", last)
	}
}

// outputsWith returns what each command prints if that stayed unchecked.
func outputsWith(t *testing.T, counts unchecked.Counts) map[string]string {
	t.Helper()
	outputs, items := make(map[string]string), counts.Items()
	inJSON := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var out strings.Builder
	write := func(name string, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outputs[name] = out.String()
		out.Reset()
	}

	tally := oracle.Tally{Solves: 9, Unchecked: counts}
	config := campaign.Config{Workers: 1,
		Cells: []source.Cell{{Target: &replay.Target{Name: "one", Model: apimodel.IPAMIR}}}}
	summary := campaign.Summary{Tally: tally, Measures: new(stats.Measures)}
	summary.AddCell(stats.CellStats{Target: "one", Counts: stats.Counts{Traces: 5, Solves: 9}})
	terminal.WriteSummary(&out, summary, config, false)
	write("fuzz", nil)
	outputs["fuzz --json"] = inJSON(summary.Record(&config))
	data := report.Data{Runs: []*store.Stored{{Record: store.Record{Stats: &summary.Stats, Tally: &tally}}}}
	write("report", data.WriteHTML(&out, "1", time.Unix(1, 0)))

	replayed := &trial.Replayed{Name: "a.trace", Trace: &trace.Trace{Model: apimodel.IPAMIR}, Unchecked: counts}
	outputs["replay"] = terminal.LeftOpen("a.trace", replayed)
	outputs["replay --json"] = inJSON(replayed.Record("one"))

	instance := &instances.Result{Instance: "a.wcnf", Model: "ipamir",
		Rows: []instances.Row{{Target: "one", Verdict: instances.Unproven, Unchecked: items}}}
	rows, err := instances.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	write("run --csv", rows.Write(instance))
	var sums instances.Summaries
	sums.Add(instance)
	outputs["run"], outputs["run --json"] = unchecked.Text(sums.Unchecked()), inJSON(sums.Unchecked())

	tests := suite.Report{Suite: "a", Target: "one", Planned: 1, Verdicts: []suite.Verdict{{Name: "a test",
		Entry: new(suite.Entry), Outcome: suite.Unchecked, Reason: unchecked.Text(items), Unchecked: items}}}
	write("check", tests.WriteText(&out, false))
	write("check --junit", tests.WriteJUnit(&out))
	outputs["check --json"] = inJSON(tests)
	return outputs
}
