package suite

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

// opener returns an Open for a target.
func opener(t *testing.T, spec string) Open {
	t.Helper()
	opened := make(map[*apimodel.Model]*Opened)
	return func(model *apimodel.Model) (*Opened, error) {
		if o, known := opened[model]; known {
			return o, nil
		}
		target, err := targets.Resolve(spec, model.Name, nil)
		var not *replay.TargetError
		if errors.As(err, &not) {
			opened[model] = nil
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		limits := replay.DefaultLimits
		limits.CPU = time.Second
		runner, err := replay.Open(target, replay.Fork, limits)
		if err != nil {
			return nil, err
		}
		t.Cleanup(runner.Close)
		description, err := runner.Description()
		if err != nil {
			return nil, err
		}
		opened[model] = &Opened{Runner: runner, Description: description}
		return opened[model], nil
	}
}

func theFirst(t *testing.T) *Suite {
	t.Helper()
	s, err := First()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(t *testing.T, s *Suite, target string, rules Rules) *Report {
	t.Helper()
	report, err := s.Check(t.Context(), target, opener(t, target), rules)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestTheFirstSuiteIsRight checks that the library without defects passes, that every answer is certified,
// and that formulas have the answers of their traces.
func TestTheFirstSuiteIsRight(t *testing.T) {
	s := theFirst(t)
	if len(s.Entries) < 100 {
		t.Errorf("only %d tests", len(s.Entries))
	}
	report := check(t, s, "ref", Rules{Strict: true})
	if n := report.Count(Passed); n != len(s.Entries) {
		var out bytes.Buffer
		if err := report.WriteText(&out, false); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s", out.String())
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		again := *e
		again.describe()
		if fmt.Sprint(again.Answers, again.Weights, again.Unweighted, again.Solves) != fmt.Sprint(e.Answers, e.Weights,
			e.Unweighted, e.Solves) {
			t.Errorf("%s: suite.json says %v, the trace %v", e.Name, e.Answers, again.Answers)
		}
		if e.WCNF == "" {
			continue
		}
		file, err := first.Open("first/" + e.WCNF)
		if err != nil {
			t.Fatal(err)
		}
		formula, err := format.Read(file, e.WCNF, format.WCNF, trace.Limits{})
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		expecting, open, err := trial.Expecting(t.Context(), formula)
		if err != nil || open > 0 {
			t.Fatalf("%s: %d answers are not certified, %v", e.WCNF, open, err)
		}
		other := Entry{Trace: legal(expecting)}
		other.describe()
		status, _, _ := strings.Cut(e.Answers[0], " ")
		if got, _, _ := strings.Cut(other.Answers[0], " "); got != status {
			t.Errorf("%s: %s, its trace %s", e.WCNF, other.Answers[0], e.Answers[0])
		}
		if strings.Contains(e.Answers[0], "optimum") && other.Answers[0] != e.Answers[0] {
			t.Errorf("%s: %s, its trace %s", e.WCNF, other.Answers[0], e.Answers[0])
		}
	}
}

// notCaught are the defects that change no answer.
var notCaught = map[string]string{
	"memory-blow-up":       "needs a limit on memory that honest solvers may need",
	"unchecked-allocation": "needs an allocation that fails, and 'check' makes none fail",
	"lost-in-failure":      "needs an allocation that fails, and 'check' makes none fail",
	"shared-scratch":       "needs instances that run at the same time",
	"lazy-table":           "needs instances that run at the same time",
	"unseen-flips":         "is right under the policy unseen-val=any, which the suite has",
	"leak-per-solve":       "leaks are measured over many runs: fuzz and conform do that",
	"leak-per-release":     "leaks are measured over many runs: fuzz and conform do that",
}

// caught reports whether the target fails a test. It first runs the tests with the name of the target.
func caught(t *testing.T, s *Suite, target string, model *apimodel.Model) bool {
	t.Helper()
	opened, err := opener(t, target)(model)
	if err != nil || opened == nil {
		t.Fatalf("%s: %v", target, err)
	}
	for _, named := range []bool{true, false} {
		for i := range s.Entries {
			e := &s.Entries[i]
			if e.Model != model.Name || strings.Contains(e.Title, target+" ") != named {
				continue
			}
			verdict, err := judge(t.Context(), e, opened, Rules{Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if verdict.Outcome == Failed {
				return true
			}
		}
	}
	return false
}

// TestTheFirstSuiteCatchesPlantedDefects checks that every planted defect fails a test.
func TestTheFirstSuiteCatchesPlantedDefects(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the suite for every planted defect")
	}
	whole := theFirst(t)
	for _, defect := range ref.Defects() {
		for _, model := range apimodel.Models() {
			target := "ref:defect=" + defect.Name
			if _, err := targets.Resolve(target, model.Name, nil); err != nil {
				continue
			}
			if notCaught[defect.Name] == "" && !caught(t, whole, target, model) {
				t.Errorf("%s as %s passes every test", target, model.Name)
			}
		}
	}
}

func entry(t *testing.T, text string) Entry {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{Name: "x", Title: "x", Trace: parsed}
	e.describe()
	return e
}

func TestRules(t *testing.T) {
	t.Parallel()
	const again = "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsolve = 30\nsoft 1 5\nsolve = 30\nobj = 5\n"
	const plain = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft 2 2\nsolve = 30\nobj = 2\nmodel\n"
	const learning = "ipafuzz 1 ipasir\nlearn 1\nadd 1 2 3 0\nadd 1 2 -3 0\nadd 1 -2 3 0\nadd 1 -2 -3 0\nadd -1 2 3 0\n" +
		"add -1 2 -3 0\nadd -1 -2 3 0\nadd -1 -2 -3 0\nsolve = 20\n"
	const wrong = "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsolve = 30\nobj = 4\n"
	for _, c := range []struct {
		text, target string
		rules        Rules
		want         Outcome
	}{
		{again, "ref", Rules{}, Passed},
		{again, "ref:defect=redeclare-adds", Rules{}, Failed},
		{again, "ref:defect=redeclare-adds", Rules{Anytime: true}, Failed},
		{plain, "ref:defect=unasked-interrupt", Rules{}, Passed},
		{learning, "ref:defect=learned-too-long", Rules{}, Warned},
		{learning, "ref:defect=learned-too-long", Rules{Strict: true}, Failed},
		{wrong, "ref", Rules{}, Warned},
		{learning, "ref:defect=redeclare-adds", Rules{}, Skipped},
	} {
		s := &Suite{Name: "s", Entries: []Entry{entry(t, c.text)}}
		if got := check(t, s, c.target, c.rules).Verdicts[0]; got.Outcome != c.want {
			t.Errorf("%s, %s: %s (%s), want %s\n%s", c.target, c.rules, got.Outcome, got.Reason, c.want, c.text)
		}
	}
	weighted := &Suite{Name: "s", Entries: []Entry{entry(t, again), entry(t, "ipafuzz 1 ipamir\nsoft 1 1\nsolve = 30\n")}}
	if n := len(check(t, weighted, "ref", Rules{Unweighted: true}).Verdicts); n != 1 {
		t.Errorf("%d tests are unweighted, want 1", n)
	}
}

// TestRefusedClauses checks that an entry with a clause that the target refuses is skipped and does not
// fail.
func TestRefusedClauses(t *testing.T) {
	t.Parallel()
	open := opener(t, "ref:defect=reduces-outer")
	s := &Suite{Name: "s", Entries: []Entry{
		entry(t, "ipafuzz 2 qbf\nforall 1 0\nexists 2 0\nclause 1 2 0\nclause 1 -2 3 0\nclause -1 0\nsolve want 20\n"),
	}}
	report, err := s.Check(t.Context(), "strict", func(m *apimodel.Model) (*Opened, error) {
		o, err := open(m)
		if err == nil {
			strict := *o.Description
			strict.Policies = map[string]string{"free-variable": "rejected"}
			o.Description = &strict
		}
		return o, err
	}, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "call 4 (clause 1 -2 3 0): variable 3 is free, and the target refuses free variables"
	if v := report.Verdicts[0]; v.Outcome != Skipped || v.Reason != want {
		t.Errorf("%s (%s), want %s (%s)", v.Outcome, v.Reason, Skipped, want)
	}
}

// TestEntriesOfFiles checks what an entry says about a formula file, and that a suite has the file itself.
func TestEntriesOfFiles(t *testing.T) {
	t.Parallel()
	const file = "h 1 2 0\n5 -1 2 0\n4294967295 0\n"
	e := entry(t, "ipafuzz 2 wcnf\nhard 1 2 0\nsoft 5 -1 2 0\nsoft 4294967295 0\nsolve want 30\nobj want 4294967295\n")
	if e.Weights != "B" || e.Unweighted || !slices.Equal(e.Answers, []string{"30 optimum 4294967295"}) {
		t.Errorf("%q, unweighted %v, %q", e.Weights, e.Unweighted, e.Answers)
	}
	if e := entry(t, "ipafuzz 1 wcnf\nsoft 1 1 2 0\nsolve\n"); e.Weights != "S" || !e.Unweighted {
		t.Errorf("%q, unweighted %v", e.Weights, e.Unweighted)
	}
	if new(Builder).formula(&e); string(e.wcnf) != file {
		t.Errorf("the file is %q, want %q", e.wcnf, file)
	}
	for _, m := range apimodel.AllModels() {
		one := &trace.Trace{Model: m}
		one.Plain(0, apimodel.OpSolve)
		optimizes := m == apimodel.IPAMIR || m == apimodel.WCNF
		for status, want := range map[uint64][2]bool{10: {optimizes, false}, 30: {}, 40: {false, optimizes},
			0: {true, false}} {
			run := &trace.Run{Answers: trace.Answers{Of: []trace.Answer{{Kind: trace.Answered, Num: status}}}}
			if got := [2]bool{noBest(one, run, 0), refused(one, run) == 0}; got != want {
				t.Errorf("%s: answer %d is no optimum, refuses a call: %v, want %v", m.Name, status, got, want)
			}
		}
	}
}

// TestAnytime checks that a target that gives up fails under exact rules and passes under anytime rules.
// Wrong answers fail under both.
func TestAnytime(t *testing.T) {
	t.Parallel()
	s, target := theFirst(t), "ref:defect=unasked-interrupt"
	exact, anytime := check(t, s, target, Rules{}), check(t, s, target, Rules{Anytime: true})
	if exact.Count(Failed) == 0 || anytime.Count(Failed) > 0 {
		var out bytes.Buffer
		if err := anytime.WriteText(&out, false); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s\n%s\n%s", exact.Summary(), anytime.Summary(), out.String())
	}
	for _, wrong := range []string{"ref:defect=redeclare-adds", "ref:defect=empty-clause-ignored",
		"ref:defect=no-soft-division"} {
		if check(t, s, wrong, Rules{Anytime: true}).Count(Failed) == 0 {
			t.Errorf("%s passes the anytime rules", wrong)
		}
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	b := NewBuilder("small", "ref", time.Second, opener(t, "ref"))
	for i, text := range []string{
		"ipafuzz 1 ipamir\n# title: one & \"two\"\nhard 1 0\nsoft 1 3\nsolve\nobj\nmodel\n",
		"ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsolve\nobj\nmodel\n",
		"ipafuzz 1 ipamir\nhard 0\nsolve\nobj\nval 1\n",
		"ipafuzz 1 ipamir\nhard 1 0\n",
		"ipafuzz 1 ipamir\n# unconfirmed: ref 3.1 in solve: the run ended\nhard 2 0\nsolve\n",
		"ipafuzz 1 ipamir\n# finding: ref:defect=x 2.1 not optimal\nsoft 1 1\nsoft -1 1\nterminate 1\nsolve\n" +
			"terminate off\nsolve\nobj\n",
	} {
		parsed, err := trace.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Add(t.Context(), sources.Item{Name: fmt.Sprint(i), Label: fmt.Sprintf("dir/%d.trace", i),
			Trace: parsed}); err != nil {
			t.Fatal(err)
		}
	}
	left := []string{"1: a duplicate", "4: its failure was not confirmed"}
	if !slices.Equal(b.Left, left) {
		t.Errorf("left out: %q, want %q", b.Left, left)
	}
	dir := t.TempDir()
	if err := b.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := b.Write(dir); err == nil {
		t.Error("Write overwrites a suite")
	}
	s, err := Read(os.DirFS(dir), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.Entries {
		got = append(got, fmt.Sprint(e.Name, " ", e.Answers, " ", e.WCNF))
	}
	want := []string{"ipamir-one-two [30 optimum 3] wcnf/ipamir-one-two.wcnf", "ipamir-2 [20] wcnf/ipamir-2.wcnf",
		"ipamir-3 [30] wcnf/ipamir-3.wcnf", "ipamir-ref-defect-x-2-1-not-optimal [any 30 optimum 1] "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var out bytes.Buffer
	report := check(t, s, "ref:defect=empty-clause-ignored", Rules{})
	if err := report.WriteJUnit(&out); err != nil {
		t.Fatal(err)
	}
	var junit struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Type string `xml:"type,attr"`
			} `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(out.Bytes(), &junit); err != nil {
		t.Fatal(err)
	}
	if junit.Tests != 4 || junit.Failures != 1 || junit.Cases[1].Failure == nil || junit.Cases[1].Failure.Type != "2.4" {
		t.Errorf("%+v\n%s", junit, out.String())
	}
	if err := os.WriteFile(filepath.Join(dir, "traces", "ipamir-3.trace"), []byte("ipafuzz 1 ipamir\nsolv\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(os.DirFS(dir), dir); err == nil ||
		!strings.Contains(err.Error(), "traces/ipamir-3.trace:2:1: want a call") {
		t.Errorf("a broken trace: %v", err)
	}
}
