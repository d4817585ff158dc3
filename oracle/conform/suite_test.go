package conform

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

var limits = replay.Limits{CPU: 5 * time.Second, Wall: 60 * time.Second, Memory: 2 << 30, Output: 1 << 20}

// suiteFor returns a suite for a target, with the two runners that the command uses.
func suiteFor(t testing.TB, target *replay.Target, limits replay.Limits) *Suite {
	t.Helper()
	runner, err := replay.Open(target, replay.Fork, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(runner.Close)
	return &Suite{Runner: runner, OpenHeap: func() (Runner, error) { return replay.OpenHeap(t.Context(), target, limits) }}
}

func resolve(t testing.TB, spec, model string) *replay.Target {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func runSuite(t testing.TB, target *replay.Target, limits replay.Limits) *Report {
	t.Helper()
	report := &Report{Target: target.Name, Model: target.Model.Name}
	var err error
	report.Results, err = suiteFor(t, target, limits).Run(context.Background(), Cases(target.Model))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestHealthyLibrary: the built-in library passes every case that does not depend on a policy.
func TestHealthyLibrary(t *testing.T) {
	for _, m := range apimodel.Libraries() {
		report := runSuite(t, resolve(t, "ref", m.Name), limits)
		for i := range report.Results {
			r := &report.Results[i]
			if want := Outcome(Pass); r.Case.Open == "" && r.Outcome != want {
				t.Errorf("%s: %s: %s\n%s", r.Case.Name, r.Outcome, r.Reason, r.Log)
			}
			if r.Case.Open != "" && (r.Outcome != Unspecified || r.Reason == "") {
				t.Errorf("%s: %s: %q", r.Case.Name, r.Outcome, r.Reason)
			}
		}
		t.Log(report.Summary())
	}
}

// TestEverySentenceHasACase: every sentence has a case, and every case has a group, a title that no other case
// has, and legal calls.
func TestEverySentenceHasACase(t *testing.T) {
	for _, m := range apimodel.Libraries() {
		checked := make(map[int]bool)
		titles := make(map[string]string)
		for _, c := range Cases(m) {
			for _, n := range c.Checks {
				checked[n] = true
			}
			if groupRank(c.Group()) == len(groups) {
				t.Errorf("%s: there is no such group", c.Name)
			}
			if other, twice := titles[c.Group()+c.Title]; twice {
				t.Errorf("%s and %s have the same title", c.Name, other)
			}
			titles[c.Group()+c.Title] = c.Name
			if (c.Group() == "open") != (c.Open != "") {
				t.Errorf("%s: what is open belongs in group open, and nothing else does", c.Name)
			}
			if again := c.Trace.String(); again != c.Text {
				t.Errorf("%s: is not printed as it is written:\n%s", c.Name, again)
			}
			if Find(c.Name, nil) != c || Find(c.Short(), m) != c {
				t.Errorf("%s is not found", c.Name)
			}
		}
		for _, s := range Sentences(m) {
			if !checked[s.Number] {
				t.Errorf("%s: no case checks sentence %d: %s", m.Name, s.Number, &s)
			}
		}
		for i := range groups {
			if !slices.ContainsFunc(load(), func(c *Case) bool { return c.Group() == groups[i].Name }) {
				t.Errorf("group %s has no case", groups[i].Name)
			}
		}
	}
}

func TestPageIsFresh(t *testing.T) {
	onDisk, err := os.ReadFile(filepath.Join("..", "..", "docs", "conformance.md"))
	if err != nil || !bytes.Equal(onDisk, Page()) {
		t.Error("docs/conformance.md is stale; run: go generate ./oracle/conform")
	}
}

// TestPoliciesAreNamed: a case names the policies without which its calls are illegal.
func TestPoliciesAreNamed(t *testing.T) {
	for _, c := range load() {
		if c.Open != "" {
			continue
		}
		for name, why := range needed(c.Trace) {
			if _, says := c.Policies[name]; !says {
				t.Errorf("%s: rests on policy %s: %s", c.Name, name, why)
			}
		}
	}
}

// needed returns the policies that the calls of a trace need, with the call that needs each.
func needed(tr *trace.Trace) map[string]string {
	policies := make(map[string]string)
	type told struct {
		open, inClause, named []int32
		assumed, failing      []int32
		weights               map[int32]uint64
	}
	solvers := make(map[uint16]*told)
	for i := range tr.Calls {
		c := &tr.Calls[i]
		s := solvers[c.Instance]
		if s == nil || c.Op == apimodel.OpRelease {
			s = &told{weights: make(map[int32]uint64)}
			solvers[c.Instance] = s
		}
		needs := func(policy string, needed bool) {
			if needed {
				policies[policy] = fmt.Sprintf("call %d (%s)", i+1, tr.AppendRequest(nil, i))
			}
		}
		switch c.Op {
		case apimodel.OpClause, apimodel.OpImport:
			s.open = append(s.open, tr.Args(c)...)
			if c.Flags&trace.Open == 0 {
				s.inClause, s.open = append(s.inClause, s.open...), nil
			}
		case apimodel.OpSoft, apimodel.OpAssume:
			lit := tr.Lit(c)
			if tr.Model.Quantified() { // blocks name variables
				s.assumed = append(s.assumed, lit)
				break
			}
			needs("soft-unused", !slices.Contains(s.inClause, lit) && !slices.Contains(s.inClause, -lit))
			if c.Op == apimodel.OpAssume {
				s.assumed = append(s.assumed, lit)
				break
			}
			needs("soft-zero", c.Num == 0)
			s.weights[lit] = c.Num
			sum := uint64(0)
			for _, weight := range s.weights {
				sum += weight
				needs("weight-sum", weight >= 1<<63 || sum >= 1<<63)
			}
		case apimodel.OpSolve:
			s.failing, s.assumed = s.assumed, nil
		case apimodel.OpVal:
			needs("unseen-val", !slices.Contains(s.named, trace.Var(tr.Lit(c))))
		case apimodel.OpFailed:
			needs("failed-non-assumption", !slices.Contains(s.failing, tr.Lit(c)))
		case apimodel.OpTerminate, apimodel.OpLearn:
			needs("terminate-null", c.Flags&trace.Off != 0)
		}
		if c.Op.HasLits() {
			for _, lit := range tr.Args(c) {
				s.named = append(s.named, trace.Var(lit))
			}
		}
	}
	return policies
}
