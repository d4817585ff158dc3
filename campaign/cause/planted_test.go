package cause

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// planted are the causes of planted defects, where a variant names them. An alternative
// follows a bar.
var planted = map[string]string{
	"assumption-level-unit":       "assumption",
	"assumption-unsat-sticks":     "assumption",
	"dirty-interrupt":             "terminate",
	"empty-clause-ignored":        "empty-clause",
	"tautology-cancels":           "tautology",
	"duplicates-cancel":           "repeated-literal",
	"variable-gap":                "variable-gap",
	"ignored-after-unsat":         "late-clause",
	"assumptions-stay":            "earlier-assumption",
	"interrupt-keeps-assumptions": "earlier-assumption",
	"first-assumption-ignored":    "assumption",
	"fresh-assumption-ignored":    "assumption",
	"shared-assumptions":          "second-instance",
	"shared-model":                "second-instance",
	"negative-val-zero":           "negative-query",
	"unused-val-garbage":          "unused-variable",
	"val-flips":                   "unused-variable",
	"repeat-differs":              "incremental",
	"sticky-terminate":            "terminate",
	"ignored-terminate":           "terminate",
	"null-terminate":              "terminate",
	"wide-variable":               "variable-gap",
	"duplicates-recurse":          "repeated-literal",
	"corrupted-heap":              "incremental",
	"root-assertion":              "assumption",
	"bus-error":                   "long-clause",
	"watchdog-kills":              "terminate",
	"quiet-exit":                  "immediate-solve",
	"empty-clause-exits":          "empty-clause",
	"memory-blow-up":              "repeated-assumption",
	"core-misses-first":           "assumption",
	"failed-all":                  "assumption",
	"failed-none":                 "assumption",
	"failed-stale":                "assumption",
	"failed-wrong-sign":           "assumption",
	"learned-not-implied":         "learn",
	"learned-too-long":            "learn",
	"hard-only-drops-clause":      "no-soft",
	"weight-wraps-32":             "large-weight",
	"weight-truncated":            "large-weight",
	"sum-limit-63":                "large-weight",
	"redeclare-adds":              "repeated-soft",
	"redeclare-ignored":           "repeated-soft",
	"redeclare-per-variable":      "both-polarities",
	"zero-weight-ignored":         "repeated-soft + zero-weight",
	"complementary-twice":         "both-polarities",
	"complementary-loop":          "both-polarities",
	"stale-objective":             "earlier-query",
	"gap-without-constant":        "both-polarities",
	"interrupted-is-optimal":      "terminate",
	"hardening-stays":             "incremental",
	"soft-without-clause":         "unused-variable",
	"no-soft-table":               "no-soft",
	"no-soft-division":            "no-soft",
	"false-complaint":             "incremental",
	"constraint-stays":            "constraint",
	"constraint-first-only":       "constraint",
	"phase-forces":                "phase",
	"blocks-too-much":             "enumerate",
	"constraint-blameless":        "constraint",
}

// names reports whether a cause is what was planted: each of the planted variants is
// named, or a narrower one.
func names(c Cause, want string) bool {
	for name := range strings.SplitSeq(want, joint) {
		if !slices.ContainsFunc(c.Needs(), func(v *Variant) bool { return v.Name == name || v.Within == name }) {
			return false
		}
	}
	return true
}

// A specimen is a reduced failure of a planted defect with its diagnosis.
type specimen struct {
	defect    ref.Defect
	model     string
	minimal   *trace.Trace
	finding   oracle.Finding
	diagnosis *Diagnosis
	tests     int // of the reduction
	canonical int // tests for the normal form
	runs      int // to determine the cause
}

func (s *specimen) failure() *Failure {
	f := &Failure{Symptom: string(s.finding.Class[0]), Cause: s.diagnosis.Cause, Minimal: s.minimal}
	if f.Symptom == "1" {
		f.Location = s.finding.Detail
	}
	return f
}

// limitedClass reports whether failures of the class take their time to show.
func limitedClass(class string) bool { return class == "3.1" || class == "3.2" || class == "5.7" }

func setting(name string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil || n < 1 {
		return usual
	}
	return n
}

// A collector looks for failures of one planted defect.
type collector struct {
	*testing.T
	defect      ref.Defect
	target      *replay.Target
	description *apimodel.Description
	session     *trial.Session
}

func newCollector(t *testing.T, d ref.Defect, model string) *collector {
	t.Helper()
	c := &collector{T: t, defect: d}
	var err error
	if c.target, err = targets.Resolve(fmt.Sprintf("ref:defect=%d", d.Number), model, nil); err != nil {
		t.Fatal(err)
	}
	if c.description, err = trial.Describe(c.target, trialLimits); err != nil {
		t.Fatal(err)
	}
	c.session = trial.NewExamination(c.target, c.description, trialLimits, false)
	return c
}

// collect returns specimens with different keys.
func (c *collector) collect(profile string, n int) (all []specimen) {
	c.Helper()
	g, err := gen.New(gen.Config{Model: c.target.Model, Description: c.description, Profile: profile})
	if err != nil {
		c.Fatal(err)
	}
	seen := make(map[oracle.Key]bool)
	const most = 3000 // traces
	for number := range uint64(most) {
		one := new(trace.Trace)
		g.Generate(gen.Seed(testseed.Of(c, 1), 0, number), one)
		var run trace.Run
		findings, err := c.session.Run(context.Background(), one, &run)
		if err != nil {
			c.Fatal(err)
		}
		if len(findings) == 0 || limitedClass(string(findings[0].Class)) {
			continue
		}
		worst, err := c.session.BlameInstances(context.Background(), one, findings[0])
		if err != nil {
			c.Fatal(err)
		}
		key := worst.Key(c.target.Name)
		if seen[key] {
			continue
		}
		seen[key] = true
		if s, err := c.specimen(one, key); err != nil {
			c.Logf("%s: %s: %v", c.defect.Name, key, err)
		} else if all = append(all, s); len(all) == n {
			break
		}
	}
	return all
}

// specimen reduces a trace and determines the cause of its failure.
func (c *collector) specimen(one *trace.Trace, key oracle.Key) (s specimen, err error) {
	ctx := context.Background()
	s = specimen{defect: c.defect, model: c.target.Model.Name}
	r := &shrink.Reducer{Target: c.target, Limits: trialLimits, Key: key,
		Config: dd.Config{Workers: 1, Description: c.description, Budget: dd.Budget{Tests: 3000, Idle: 1000}}}
	reduced, err := r.Reduce(ctx, one)
	if err != nil {
		return s, err
	}
	s.finding, s.tests = reduced.Finding, reduced.Stats.Tests
	runs := 0
	shows := func(ctx context.Context, t *trace.Trace) (bool, error) {
		runs++
		var run trace.Run
		same, others, err := c.session.Shows(ctx, t, trial.Wanted{Key: reduced.Key}, &run)
		return same != nil || slices.ContainsFunc(others, func(f oracle.Finding) bool {
			return f.Class[0] == reduced.Finding.Class[0]
		}), err
	}
	canonical, err := dd.Canonical(ctx, reduced.Trace, dd.TestFunc(
		func(ctx context.Context, _ int, t *trace.Trace) (dd.Verdict, error) {
			same, err := shows(ctx, t)
			return dd.Verdict{Same: same, Call: -1}, err
		}), dd.Config{Description: c.description})
	if err != nil {
		return s, err
	}
	s.minimal, s.canonical, runs = canonical.Trace, runs, 0
	s.diagnosis, err = Determine(ctx, s.minimal, shows, nil)
	s.runs = runs
	return s, err
}

// specimens returns specimens of every defect.
func specimens(t *testing.T, each int) (all []specimen) {
	t.Helper()
	stride := setting("IPAFUZZ_DEFECTS", 1)
	for _, d := range ref.Defects() {
		if d.Number%stride != 0 || limitedClass(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			c := newCollector(t, d, model)
			all = append(all, c.collect("tiny", each)...)
			c.session.Close()
		}
	}
	return all
}

// TestPlantedCauses reduces failures of every planted defect, determines their causes and
// compares them with what was planted. IPAFUZZ_TRACES=n takes failures with n different
// keys, IPAFUZZ_DEFECTS=n every n-th defect, IPAFUZZ_SHOW=1 prints minimal traces.
func TestPlantedCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("reduces failures of every planted defect")
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEFECT\tMODEL\tPLANTED\tNAMED\t\tTESTS\tNORMAL\tCAUSE\tCALLS\tCLASS\tSENTENCE")
	match, of := 0, 0
	all := specimens(t, setting("IPAFUZZ_TRACES", 1))
	for _, s := range all {
		verdict := ""
		want, found := planted[s.model+" "+s.defect.Name]
		if !found {
			want = planted[s.defect.Name]
		}
		if want != "" {
			of++
			if verdict = "no"; names(s.diagnosis.Cause, want) {
				verdict = "yes"
				match++
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", s.defect.Name, s.model, want,
			s.diagnosis.Cause, verdict, s.tests, s.canonical, s.runs, len(s.minimal.Calls), s.finding.Class,
			s.diagnosis.Sentence)
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			fmt.Fprintf(table, "\n%s\n", s.minimal)
		}
	}
	table.Flush()
	t.Logf("planted and named causes, %d of %d match:\n%s", match, of, &text)
	faultsOf(t, all)
}

// faultsOf prints how many faults the failures of each defect are.
func faultsOf(t *testing.T, all []specimen) {
	t.Helper()
	type library struct{ name, model string }
	var order []library
	failures := make(map[library][]*Failure)
	for i := range all {
		l := library{all[i].defect.Name, all[i].model}
		if failures[l] == nil {
			order = append(order, l)
		}
		failures[l] = append(failures[l], all[i].failure())
	}
	libraries, one, sum := 0, 0, 0
	for _, l := range order {
		faults := Group(failures[l])
		libraries++
		sum += len(faults)
		if len(faults) == 1 {
			one++
			continue
		}
		t.Logf("%s (%s): %d findings are %d faults:", l.name, l.model, len(failures[l]), len(faults))
		for _, f := range faults {
			t.Logf("  %s: %d findings, possibly %v", f.Name, len(f.Failures), f.Possibly)
		}
	}
	t.Logf("%d findings; of %d libraries %d have one fault; %.2f faults on average", len(all), libraries, one,
		float64(sum)/float64(max(libraries, 1)))
	wrong, pairs := 0, 0
	for i := range order {
		for j := range order[:i] {
			if order[i].model != order[j].model {
				continue
			}
			pairs++
			a, b := failures[order[i]], failures[order[j]]
			for _, f := range Group(slices.Concat(a, b)) {
				if slices.ContainsFunc(f.Failures, func(k int) bool { return k < len(a) }) &&
					slices.ContainsFunc(f.Failures, func(k int) bool { return k >= len(a) }) {
					wrong++
					if os.Getenv("IPAFUZZ_SHOW") != "" {
						t.Logf("  wrongly one fault (%s): %s and %s", f.Name, order[i].name, order[j].name)
					}
					break
				}
			}
		}
	}
	t.Logf("%d of %d pairs of defects are wrongly one fault", wrong, pairs)
}
