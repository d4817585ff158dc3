package conform

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay"
)

// TestSuiteNoticesDefects runs the suite on every planted defect of the built-in library until it notices the defect,
// and prints which ones it noticed. The suite is not a fuzzer and may miss defects, but the number of those that it
// notices must not fall.
func TestSuiteNoticesDefects(t *testing.T) {
	quick := replay.Limits{CPU: 300 * time.Millisecond, Wall: 60 * time.Second, Memory: 256 << 20, Output: 1 << 20}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEFECT\tNAME\tMODEL\tFIRST\tWHAT WAS SEEN")
	tried, noticed := 0, 0
	var missed []string
	for _, d := range ref.Defects() {
		if testing.Short() && d.Number%8 != 0 {
			continue
		}
		tried++
		seen := false
		for _, m := range apimodel.Models() {
			if d.Model != "both" && d.Model != m.Name {
				continue
			}
			spec := fmt.Sprintf("ref:defect=%d", d.Number)
			if strings.Contains(d.Doc, "maxsat=model-improving") {
				spec += ",maxsat=model-improving"
			}
			suite, first, what := suiteFor(t, resolve(t, spec, m.Name), quick), "-", ""
			ctx, stop := context.WithCancel(t.Context())
			suite.Each = func(r *Result) {
				if first == "-" && (r.Outcome == Fail || r.Outcome == Unsupported) {
					first, what = r.Case.Short(), r.Reason
					stop()
				}
			}
			if _, err := suite.Run(ctx, Cases(m)); err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
			stop()
			seen = seen || first != "-"
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", d.Number, d.Name, m.Name, first, shortened(what, 90))
		}
		if seen {
			noticed++
		} else {
			missed = append(missed, d.Name)
		}
	}
	table.Flush()
	t.Logf("the suite notices %d of %d planted defects; missed: %s\n%s", noticed, tried, strings.Join(missed, ", "),
		text.String())
	if !testing.Short() && noticed < atLeastNoticed {
		t.Errorf("the suite notices %d planted defects, it was %d once", noticed, atLeastNoticed)
	}
}

const atLeastNoticed = 60
