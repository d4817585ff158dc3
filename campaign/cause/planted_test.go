package cause

import (
	"cmp"
	"context"
	"encoding/json"
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

// planted has the causes of planted defects that variants name. A bar separates alternatives, which are
// different ways to reach the defect. A name of a model before the defect limits the row to that model.
var planted = map[string]string{
	// The search of MaxSAT assumes literals, too.
	"ipamir assumption-level-unit":   "",
	"ipamir assumption-unsat-sticks": "",
	"ipamir root-assertion":          "",

	"assumption-level-unit":       "assumption",
	"assumption-unsat-sticks":     "assumption",
	"dirty-interrupt":             "terminate",
	"empty-clause-ignored":        "empty-clause",
	"tautology-cancels":           "tautology",
	"duplicates-cancel":           "repeated-literal|option",
	"variable-gap":                "variable-gap",
	"ignored-after-unsat":         "late-clause",
	"assumptions-stay":            "earlier-assumption",
	"interrupt-keeps-assumptions": "earlier-assumption",
	"first-assumption-ignored":    "assumption",
	"fresh-assumption-ignored":    "assumption",
	"shared-assumptions":          "second-instance|earlier-life",
	"shared-model":                "second-instance",
	"negative-val-zero":           "negative-query",
	"unused-val-garbage":          "unused-variable",
	"val-flips":                   "unused-variable",
	"repeat-differs":              "incremental",
	"sticky-terminate":            "terminate",
	"ignored-terminate":           "terminate",
	"null-terminate":              "terminate",
	"wide-variable":               "variable-gap",
	"duplicates-recurse":          "repeated-literal|option",
	"corrupted-heap":              "incremental",
	"root-assertion":              "assumption",
	"bus-error":                   "long-clause",
	"watchdog-kills":              "terminate",
	"quiet-exit":                  "immediate-solve",
	"empty-clause-exits":          "empty-clause",
	"memory-blow-up":              "repeated-assumption",
	"core-misses-first":           "assumption",
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
	"import-lost":                 "import",
	"import-cut":                  "import",
	"blocks-too-much":             "enumerate",
	"constraint-blameless":        "constraint",
}

// names reports whether a cause is the planted one: it names each of the planted variants or a narrower
// one.
func names(c Cause, want string) bool {
	for way := range strings.SplitSeq(want, "|") {
		all := true
		for name := range strings.SplitSeq(way, joint) {
			all = all && slices.ContainsFunc(c.Needs(), func(v *Variant) bool { return v.Name == name || v.Within == name })
		}
		if all {
			return true
		}
	}
	return false
}

// A specimen is a reduced failure of a planted defect with its diagnosis.
type specimen struct {
	Defect    string
	Model     string
	Key       oracle.Key
	Minimal   string
	Location  string
	Diagnosis *Diagnosis
	Tests     int // of the reduction
	Normal    int // tests of finding the normal form
	Runs      int // runs of determining the cause
}

func (s *specimen) failure(t *testing.T) *Failure {
	return &Failure{Location: s.Location, Symptom: Symptom(s.Key.Class, s.Key.Detail),
		Cause: s.Diagnosis.Cause, Minimal: parse(t, s.Minimal), Asked: Asked(s.Key.Class, s.Key.Detail)}
}

// limitedClass reports whether a failure of the class takes long to show.
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
	library     string // whose planted defects the collector uses
	target      *replay.Target
	description *apimodel.Description
	session     *trial.Session
}

func newCollector(t *testing.T, model, defects string) *collector {
	t.Helper()
	c := &collector{T: t, library: defects}
	var err error
	if c.target, err = targets.Resolve("ref:defect="+defects, model, nil); err != nil {
		t.Fatal(err)
	}
	if c.description, err = trial.Describe(c.target, trialLimits); err != nil {
		t.Fatal(err)
	}
	c.session = trial.NewExamination(c.target, c.description, trialLimits, false)
	return c
}

// collect returns up to n specimens with different keys, from the profile that IPAFUZZ_PROFILE names.
func (c *collector) collect(n int) (all []specimen) {
	c.Helper()
	profile := cmp.Or(os.Getenv("IPAFUZZ_PROFILE"), "tiny")
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
			c.Logf("%s: %s: %v", c.library, key, err)
		} else if all = append(all, s); len(all) == n {
			break
		}
	}
	return all
}

// specimen reduces a trace and determines the cause of its failure.
func (c *collector) specimen(one *trace.Trace, key oracle.Key) (s specimen, err error) {
	ctx := context.Background()
	s = specimen{Defect: c.library, Model: c.target.Model.Name, Key: key}
	budget := dd.Budget{Tests: 3000, Idle: 1000}
	r := &shrink.Reducer{Target: c.target, Limits: trialLimits, Key: key,
		Config: dd.Config{Workers: 1, Description: c.description, Budget: budget}}
	reduced, err := r.Reduce(ctx, one)
	if err != nil {
		return s, err
	}
	s.Tests = reduced.Stats.Tests
	prober, err := NewProber(ctx, c.session, reduced.Trace, reduced.Key, reduced.After)
	if err != nil {
		return s, err
	}
	test := dd.TestFunc(func(ctx context.Context, _ int, t *trace.Trace) (dd.Verdict, error) {
		same, err := prober.ShowsKey(ctx, t)
		return dd.Verdict{Same: same, Call: -1}, err
	})
	config := dd.Config{Description: c.description, Budget: budget}
	canonical, err := dd.Canonical(ctx, reduced.Trace, test, config)
	if err != nil {
		return s, err
	}
	s.Normal, s.Minimal = canonical.Stats.Tests, canonical.Trace.String()
	s.Diagnosis, err = Determine(ctx, canonical.Trace, func(ctx context.Context, t *trace.Trace) (bool, error) {
		s.Runs++
		return prober.Shows(ctx, t)
	}, prober.Mistake, config.Admits(canonical.Trace))
	if err == nil {
		s.Location = prober.Failure(canonical.Trace, s.Diagnosis.Cause).Location
	}
	return s, err
}

// specimens returns specimens of every defect. If IPAFUZZ_SPECIMENS names a file, the file keeps them.
func specimens(t *testing.T, each int) (all []specimen) {
	t.Helper()
	path := os.Getenv("IPAFUZZ_SPECIMENS")
	if kept, err := os.ReadFile(path); path != "" && err == nil {
		if err := json.Unmarshal(kept, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	stride := setting("IPAFUZZ_DEFECTS", 1)
	for _, d := range ref.PropositionalDefects() {
		if d.Number%stride != 0 || limitedClass(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			c := newCollector(t, model, d.Name)
			all = append(all, c.collect(each)...)
			c.session.Close()
		}
	}
	if path != "" {
		text, err := json.Marshal(all)
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
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
	fmt.Fprintln(table, "DEFECT\tMODEL\tPLANTED\tNAMED\t\tTESTS\tNORMAL\tCAUSE\tCLASS\tSENTENCE")
	match, of := 0, 0
	all := specimens(t, setting("IPAFUZZ_TRACES", 1))
	for _, s := range all {
		verdict := ""
		want, found := planted[s.Model+" "+s.Defect]
		if !found {
			want = planted[s.Defect]
		}
		if want != "" {
			of++
			if verdict = "no"; names(s.Diagnosis.Cause, want) {
				verdict = "yes"
				match++
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\n", s.Defect, s.Model, want,
			s.Diagnosis.Cause, verdict, s.Tests, s.Normal, s.Runs, s.Key.Class,
			s.Diagnosis.Sentence)
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			fmt.Fprintf(table, "\n%s\n", s.Minimal)
		}
	}
	table.Flush()
	t.Logf("planted and named causes, %d of %d match:\n%s", match, of, &text)
	if match < of {
		t.Errorf("only %d of %d causes are the planted ones", match, of)
	}
	faultsOf(t, all)
}

// faultsOf prints how many faults the failures of each defect make.
func faultsOf(t *testing.T, all []specimen) {
	t.Helper()
	type library struct{ name, model string }
	var order []library
	failures := make(map[library][]*Failure)
	for i := range all {
		l := library{all[i].Defect, all[i].Model}
		if failures[l] == nil {
			order = append(order, l)
		}
		failures[l] = append(failures[l], all[i].failure(t))
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
			t.Logf("  %s: %d findings, possibly %s", f.Name, len(f.Failures), strings.Join(f.Possibly, ", "))
		}
	}
	t.Logf("%d findings of single defects; of %d libraries %d have one fault; %.2f faults on average", len(all),
		libraries, one, float64(sum)/float64(max(libraries, 1)))
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
