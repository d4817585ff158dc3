package campaign

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/measure"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestAvoids checks that the lessons before its number and its seed determine the features
// that a trace avoids: at least one of each fault.
func TestAvoids(t *testing.T) {
	t.Parallel()
	lessons := []source.Lesson{
		{From: 8, Needs: [][]string{{"redeclare"}}},
		{From: 100, Needs: [][]string{{"gaps", "terminate"}, {"redeclare"}}},
	}
	drawn := make(map[string]int)
	for number := range uint64(4000) {
		seed := gen.Seed(1, 0, number)
		without := source.Avoids(lessons, number, seed)
		if !reflect.DeepEqual(without, source.Avoids(lessons[:2:2], number, seed)) {
			t.Fatal("the same number, another answer")
		}
		switch {
		case number%source.AvoidShare != source.AvoidShare-1 || number < 8:
			if without != nil {
				t.Errorf("trace %d is made without %v", number, without)
			}
		case number < 100:
			if !slices.Equal(without, []string{"redeclare"}) {
				t.Errorf("trace %d is made without %v", number, without)
			}
		default:
			for _, f := range without {
				drawn[f]++
			}
			if len(without) == 2 {
				drawn["both"]++
			}
		}
	}
	for _, want := range []string{"gaps", "terminate", "redeclare", "both"} {
		if drawn[want] < 200 {
			t.Errorf("%d traces without %s", drawn[want], want)
		}
	}
	if without := source.Avoids(append(lessons, source.Lesson{From: 200}), 203, 1); without != nil {
		t.Errorf("without %v after it was learned that nothing is needed", without)
	}
}

// TestAvoidsAll checks which traces avoid all faults, and when that is the same for other faults.
func TestAvoidsAll(t *testing.T) {
	t.Parallel()
	needs := [][]string{{"a"}, {"a", "b"}, {"c", "d"}}
	for without, want := range map[string]bool{"": false, "a": false, "a c": true, "a d": true, "b c": false} {
		if got := source.AvoidsAll(needs, strings.Fields(without)); got != want {
			t.Errorf("without %q: %v", without, got)
		}
	}
	if source.AvoidsAll(nil, []string{"a"}) || !source.SameToAvoid(needs, [][]string{{"a"}, {"c", "d"}}) ||
		source.SameToAvoid(needs, needs[1:]) {
		t.Error("other faults are avoided by the same traces, or none is avoided")
	}
}

// TestWithoutWhatAllFaultsNeed checks that the traces that are said to avoid the faults lack something of every fault:
// a failure that lacks what one fault needs may be the other's.
func TestWithoutWhatAllFaultsNeed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign: seconds")
	}
	t.Parallel()
	config := testConfig(t, "ref:defect=redeclare-adds,second=tautology-cancels", "ipamir")
	config.Traces, config.Out = 2000, t.TempDir()
	runCampaign(t, t.Context(), config)
	var err error
	if config.Known, err = store.ReadKnown(config.Out); err != nil {
		t.Fatal(err)
	}
	config.Traces, config.Learn, config.Out = 8000, true, t.TempDir() // the campaign knows what the faults need
	summary := runCampaign(t, t.Context(), config)
	rows := summary.WithAndWithout()
	if len(rows) != 1 {
		t.Fatalf("%d targets of which something was learned", len(rows))
	}
	r := rows[0]
	if r.Without.Traces < 100 || r.Without.Failed > 0 || r.With.Failed*10 < r.With.Traces ||
		!strings.Contains(r.Needs(), "redeclare") || !strings.Contains(r.Needs(), "tautology") {
		t.Errorf("the faults need %s; without %d of %d failed, with %d of %d", r.Needs(), r.Without.Failed,
			r.Without.Traces, r.With.Failed, r.With.Traces)
	}
}

// TestKnownFaultsDoNotHideOthers checks that a library that dies in one of ten traces, because of terminate
// callbacks, still shows its rare fault, and that the campaign learns what the common fault needs.
func TestKnownFaultsDoNotHideOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	t.Parallel()
	config := testConfig(t, "ref:defect=null-terminate,second=variable-gap", "ipamir")
	config.Traces, config.Learn, config.Out = 4000, true, t.TempDir()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(summary.Found, func(f *store.Finding) bool { return f.Class == oracle.Segfault }) {
		t.Error("the common fault was not found")
	}
	if !slices.ContainsFunc(summary.Found, func(f *store.Finding) bool { return f.Class != oracle.Segfault }) {
		t.Error("the rare fault was not found")
	}
	rows := summary.WithAndWithout()
	if len(rows) != 1 {
		t.Fatalf("%d targets of which something was learned", len(rows))
	}
	r := rows[0]
	if !slices.ContainsFunc(r.Faults, func(n []string) bool { return slices.Contains(n, "terminate") }) {
		t.Errorf("the faults need %s", r.Needs())
	}
	if r.With.Failed*10 < r.With.Traces || r.Without.Traces < 100 ||
		r.Without.Failed*2 > r.With.Failed*r.Without.Traces/r.With.Traces {
		t.Errorf("with %d of %d failed, without %d of %d", r.With.Failed, r.With.Traces, r.Without.Failed, r.Without.Traces)
	}
	t.Logf("with %s, without %s of %d; needs %s", r.With.Share(), r.Without.Share(), r.Without.Traces, r.Needs())

	// A trace that avoids features is generated again from its number.
	of := c.book.Cells[0]
	for number := uint64(0); number < of.Numbers.Next; number++ {
		from := source.Origin{Stream: of.Stream, Number: number}
		without := from.Choice().Without
		if without == nil {
			continue
		}
		source, err := from.Source()
		if err != nil {
			t.Fatal(err)
		}
		var made trace.Trace
		if _, err := from.Make(t.Context(), source, &made); err != nil {
			t.Fatal(err)
		}
		if has := measure.FeaturesOf(&made); slices.ContainsFunc(has, func(f string) bool {
			return slices.Contains(without, f)
		}) {
			t.Fatalf("trace %d is made without %v and has %v", number, without, has)
		}
	}

	// A resumed campaign has not forgotten that.
	config.Resume, config.Traces = true, 4200
	if c, err = New(config); err != nil {
		t.Fatal(err)
	}
	if was := summary.Cells[0].Learned; !reflect.DeepEqual(source.Learned(c.book.Cells[0].Lessons.Now()), was) ||
		len(c.learner.Save()) == 0 {
		t.Errorf("after a new beginning the faults need %v, not %v", source.Learned(c.book.Cells[0].Lessons.Now()), was)
	}
	if summary, err = c.Run(t.Context()); err != nil || summary.Traces != 4200 {
		t.Fatalf("%d traces, %v", summary.Traces, err)
	}
	config.Resume = false

	// Known faults of an earlier campaign are only counted and learned from.
	known, err := store.ReadKnown(config.Out)
	if err != nil || len(known) != len(summary.Found) {
		t.Fatalf("%d known faults, %v", len(known), err)
	}
	config.Known, config.Out, config.Traces = known, "", 2000
	again := runCampaign(t, t.Context(), config)
	for _, f := range again.Found {
		if known[f.Key] != nil {
			t.Errorf("%s is known, and found again", f.Key)
		}
	}
	if len(again.Known) == 0 || len(again.WithAndWithout()) == 0 {
		t.Errorf("%d known faults were seen, %d targets were learned of", len(again.Known), len(again.WithAndWithout()))
	}
}

// TestAvoid checks that traces with an avoided trait are counted but not run, and that
// unknown traits are refused.
func TestAvoid(t *testing.T) {
	config := testConfig(t, "ref:defect=first-assumption-ignored", "ipamir")
	without, filtered, err := source.Avoidable([]string{"assumptions", "gaps", "option:phase"})
	if err != nil || !slices.Equal(without, []string{"gaps"}) ||
		!slices.Equal(filtered, []string{"assumptions", "option:phase"}) {
		t.Fatalf("%v, %v, %v", without, filtered, err)
	}
	config.Traces, config.Avoid = 2000, filtered
	summary := runCampaign(t, t.Context(), config)
	if c := &summary.Cells[0]; c.Filtered < 500 || c.Traces+c.Filtered != 2000 || c.Traces < 20 ||
		len(summary.Found) != 0 {
		t.Errorf("%d traces, %d filtered, %d findings", c.Traces, c.Filtered, len(summary.Found))
	}
	if _, _, err := source.Avoidable([]string{"nosuch"}); err == nil {
		t.Error("nosuch can be avoided")
	}
}

// TestRareFeatureDoesNotHide checks that a fault of empty clauses shows beside one that gives the same wrong answer
// twenty times as often and needs nothing special.
func TestRareFeatureDoesNotHide(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign: seconds")
	}
	t.Parallel()
	config := testConfig(t, "ref:defect=empty-clause-ignored,second=lost-watch", "ipasir")
	config.Cells[0].Generate.Profile = "small"
	config.Traces, config.Seed, config.Learn, config.Others, config.Workers = 4000, 1, true, true, 2
	summary := runCampaign(t, t.Context(), config)
	if !slices.ContainsFunc(summary.Found, func(f *store.Finding) bool {
		return strings.Contains(string(f.Cause()), "empty-clause")
	}) {
		for _, f := range summary.Found {
			t.Logf("%v: %s, %d hits", f.Key, f.Cause(), f.Hits)
		}
		t.Error("the rare fault was not found")
	}
}
