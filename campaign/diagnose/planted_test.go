package diagnose

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/limit"
	"github.com/ipafuzz/ipafuzz/campaign/shrink"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/message"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/testtrace"
)

// planted has the causes of planted defects that variants name. A bar separates alternatives, which are
// different ways to reach the defect. A name of a model before the defect limits the row to that model.
//
// Other defects need nothing special, or what no variant can take out, such as a callback that makes a wrong call.
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
	"unseen-flips":                "unused-variable",
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
	"stale-objective":             "earlier-query",
	"core-paid-in-full":           "unequal-weights",
	"gap-without-constant":        "both-polarities",
	"one-improvement-early":       "option",
	"bound-too-tight":             "option",
	"carry-lost":                  "option",
	"interrupted-is-optimal":      "terminate",
	"hardening-stays":             "incremental",
	"soft-without-clause":         "unused-variable",
	"no-soft-table":               "no-soft",
	"no-soft-division":            "no-soft",
	"false-complaint":             "incremental",

	"constraint-stays":      "constraint",
	"constraint-first-only": "constraint",
	"constraint-blameless":  "constraint",
	"phase-forces":          "phase",
	"blocks-too-much":       "enumerate",

	"import-lost":     "import",
	"import-cut":      "import",
	"import-first":    "import",
	"import-stays":    "import",
	"fixed-assumed":   "assumption + learn",
	"fixed-at-add":    "learn",
	"fixed-in-thread": "learn",
	"export-first":    "learn",
	"data-shared":     "learn",
	"add-refused":     "late-clause",
	"forgets-next":    "havoc",
	"indexed-fact":    "havoc",
	"option-index":    "option",

	"tautology-reduced":   "tautology",
	"blocks-alternate":    "divided-block",
	"complementary-loop":  "both-polarities",
	"memory-blow-up":      "repeated-assumption",
	"empty-block-ends":    "empty-block",
	"extension-innermost": "extension",
	"pop-keeps-clause":    "frame",
	"pop-drops-below":     "frame",
	"pop-after-false":     "frame",
	"answer-reused":       "incremental",
	"false-forever":       "incremental",
	"activation-lost":     "group",
	"deactivated-counts":  "group",
	"deleted-counts":      "group",
	"assumptions-persist": "earlier-assumption",

	"universal-assumption-ignored": "universal-assumption",
	"universal-assumption-unit":    "universal-assumption",
	"core-misses-last":             "assumption|universal-assumption",
	"true-blameless":               "assumption|universal-assumption",
}

const joint = " + " // stands between the variants of a cause

// names reports whether a cause is the planted one: it names each of the planted variants or a narrower
// one.
func names(c cause.Cause, want string) bool {
	for way := range strings.SplitSeq(want, "|") {
		all := true
		for name := range strings.SplitSeq(way, joint) {
			all = all && slices.ContainsFunc(c.Needs(), func(v *cause.Variant) bool {
				return v.Name == name || v.Within == name
			})
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
	Normal    string
	Location  string
	Diagnosis *cause.Diagnosis
	Tests     int // of the reduction
	Runs      int // runs of finding the normal form and of determining the cause
}

func (s *specimen) failure(t *testing.T) *cause.Failure {
	return &cause.Failure{Location: s.Location, Symptom: cause.Symptom(s.Key.Class, s.Key.Detail),
		Cause: s.Diagnosis.Cause, Minimal: testtrace.Parse(t, s.Normal), Key: s.Key.Failure(),
		Mistake: s.Diagnosis.Mistake}
}

// isLeak reports whether a failure of the class loses memory. No experiment tells its cause.
func isLeak(class string) bool { return class == string(oracle.Leak) }

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
	if c.description, err = trial.Describe(c.target, limits); err != nil {
		t.Fatal(err)
	}
	c.session = trial.NewExamination(c.target, c.description, limits, false)
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
	seen, seed := make(map[oracle.Key]bool), testseed.Of(c, 1)
	const most = 3000 // traces
	for number := range uint64(most) {
		one := new(trace.Trace)
		g.Generate(gen.Seed(seed, 0, number), one)
		var run trace.Run
		findings, err := c.session.Run(context.Background(), one, &run)
		if err != nil {
			c.Fatal(err)
		}
		if len(findings) == 0 || isLeak(string(findings[0].Class)) {
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

// specimen reduces a trace and determines the cause of its failure, as a campaign does.
func (c *collector) specimen(one *trace.Trace, key oracle.Key) (s specimen, err error) {
	ctx := context.Background()
	s = specimen{Defect: c.library, Model: c.target.Model.Name, Key: key}
	config := dd.Config{Workers: 1, Description: c.description, Budget: dd.Budget{Tests: 3000, Idle: 1000}}
	r := &shrink.Reducer{Target: c.target, Limits: limits, Key: key, Config: config}
	reduced, err := r.Reduce(ctx, one)
	if err != nil {
		return s, err
	}
	s.Tests = reduced.Stats.Tests
	f := &Failure{Key: reduced.Key, Minimal: reduced.Trace, Originals: []*trace.Trace{one}, Rate: reduced.After,
		Config: config}
	session := c.session
	if f.MeetsLimit() {
		session = trial.NewExamination(c.target, c.description,
			limit.ToMeet(limits, f.Key.Class, &reduced.Run, limit.LeastCPU), false)
		defer session.Close()
	}
	result, err := f.Run(ctx, session)
	if err != nil {
		return s, err
	}
	if result == nil {
		return s, errors.New("no experiment can tell the cause")
	}
	s.Diagnosis, s.Runs, s.Normal = result.Diagnosis, result.Tests, result.Normal.String()
	if reduced.Run.End != trace.Finished && reduced.Finding.Check == "end" {
		s.Location = message.Location(&reduced.Run.Death)
	}
	return s, nil
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
	stride := setting("IPAFUZZ_DEFECTS", usualStride)
	for _, d := range ref.Defects() {
		if d.Number%stride != 0 || isLeak(d.Class) {
			continue
		}
		models := []string{d.Model}
		if d.Model == "both" {
			models = []string{"ipasir", "ipamir"}
		}
		for _, model := range models {
			c, n := newCollector(t, model, d.Name), each
			if d.Class == string(oracle.TooSlow) || d.Class == string(oracle.TooMuchMemory) {
				n = 1 // each trace that fails takes seconds
			}
			all = append(all, c.collect(n)...)
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

// usualStride is the stride of the defects that a usual run takes: all of them take minutes.
const usualStride = 3

// TestPlantedCauses reduces failures of planted defects, determines their causes and compares them with what was
// planted. A cause may name more: what makes the defect show. IPAFUZZ_TRACES=n takes failures with n different keys,
// IPAFUZZ_DEFECTS=n every n-th defect, IPAFUZZ_SHOW=1 prints normal forms.
func TestPlantedCauses(t *testing.T) {
	if testing.Short() {
		t.Skip("reduces failures of many planted defects")
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "DEFECT\tMODEL\tPLANTED\tNAMED\t\tTESTS\tCAUSE\tCLASS\tSENTENCE")
	match, of, more := 0, 0, 0
	seen := make(map[string]bool)
	all := specimens(t, setting("IPAFUZZ_TRACES", 1))
	for i := range all {
		s := &all[i]
		verdict := ""
		want, named := planted[s.Model+" "+s.Defect]
		if !named {
			want = planted[s.Defect]
		}
		seen[s.Defect] = true
		if s.Defect == "blocks-alternate" && cause.Named("free-variable").In(testtrace.Parse(t, s.Normal)) {
			want = "" // free variables are an outermost block, which no variant joins with a neighbouring one
		}
		if want != "" {
			of++
			if verdict = "no"; names(s.Diagnosis.Cause, want) {
				verdict = "yes"
				match++
				more += len(s.Diagnosis.Cause.Needs()) - least(want)
			}
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", s.Defect, s.Model, want,
			s.Diagnosis.Cause, verdict, s.Tests, s.Runs, s.Key.Class, s.Diagnosis.Sentence)
		if os.Getenv("IPAFUZZ_SHOW") != "" {
			fmt.Fprintf(table, "\n%s\n", s.Normal)
		}
	}
	table.Flush()
	t.Logf("planted and named causes, %d of %d match, and name %.2f more on average:\n%s", match, of,
		float64(more)/float64(max(match, 1)), &text)
	if match < of {
		t.Errorf("only %d of %d causes are the planted ones", match, of)
	}
	if 5*more > 3*match { // a cause that names whatever variants change names 0.92 more
		t.Errorf("%d causes name %d things that were not planted", match, more)
	}
	for name := range planted {
		if !strings.Contains(name, " ") && !seen[name] && setting("IPAFUZZ_DEFECTS", usualStride) == 1 {
			t.Errorf("%s has no failure whose cause was determined", name)
		}
	}
	faultsOf(t, all)
}

// least returns the least number of variants in an alternative.
func least(want string) int {
	n := math.MaxInt
	for way := range strings.SplitSeq(want, "|") {
		n = min(n, 1+strings.Count(way, joint))
	}
	return n
}

// faultsOf prints how many faults the failures of each defect make.
func faultsOf(t *testing.T, all []specimen) {
	t.Helper()
	type library struct{ name, model string }
	var order []library
	failures := make(map[library][]*cause.Failure)
	for i := range all {
		l := library{all[i].Defect, all[i].Model}
		if failures[l] == nil {
			order = append(order, l)
		}
		failures[l] = append(failures[l], all[i].failure(t))
	}
	libraries, one, sum := 0, 0, 0
	for _, l := range order {
		faults := cause.Group(failures[l])
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
			for _, f := range cause.Group(slices.Concat(a, b)) {
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
