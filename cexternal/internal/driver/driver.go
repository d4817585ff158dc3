// Package driver runs ipafuzz on the solvers that adapters, runners and programs bring.
// Only tests import it.
package driver

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/oracle/reference"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// A Suite is a directory with targets.toml and testdata.
type Suite struct {
	Dir    string
	Limits replay.Limits
}

// Main builds a goal of the Makefile, as far as the installed packages allow, and runs
// the tests. The tests run two folders below cexternal.
func Main(m *testing.M, goal string) {
	build := exec.Command("make", "-s", "-C", filepath.Join("..", "..", ".."), goal)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		os.Stderr.WriteString("make " + goal + ": " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Command returns a command that is killed after some minutes: programs that show a
// fault may hang.
func Command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // a child of the program may keep its stdout open
	return cmd
}

// Open resolves a target, or skips the test when what it needs is not installed.
func (s Suite) Open(t *testing.T, name, needs string) *replay.Target {
	t.Helper()
	file, err := targets.ReadFile(filepath.Join(s.Dir, "targets.toml"))
	if err != nil {
		t.Fatal(err)
	}
	target, err := targets.Resolve(name, "", file)
	if err == nil {
		return target
	}
	Skip(t, needs+" is not installed ('make setup' installs it): "+err.Error())
	return nil
}

// Skip skips the test; with IPAFUZZ_NO_SKIP, as in CI, it fails.
func Skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Trace reads a trace of testdata.
func (s Suite) Trace(t *testing.T, name string) *trace.Trace {
	t.Helper()
	return ReadTrace(t, filepath.Join(s.Dir, "testdata", name+".trace"))
}

// ReadTrace reads a trace from a file.
func ReadTrace(t *testing.T, path string) *trace.Trace {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := trace.ParseString(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Fuzz runs a campaign on one target with one worker. It keeps the fields of config that it
// does not set itself. The callback may end the campaign.
func (s Suite) Fuzz(t *testing.T, target *replay.Target, generate gen.Config, config campaign.Config,
	found func(f *store.Finding, end func())) campaign.Summary {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	config.Cells = source.Cells([]*replay.Target{target}, generate)
	config.Way, config.Workers, config.Limits = replay.Persistent, 1, s.Limits
	if found != nil {
		config.OnFinding = func(f *store.Finding) { found(f, end) }
	}
	c, err := campaign.New(config)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range summary.Found {
		t.Logf("found after %d traces: %s", f.After, f.Key)
	}
	for _, u := range summary.Unconfirmed {
		t.Logf("seen but not confirmed: %s, trace %d", u.Key, u.Number)
	}
	t.Logf("%d traces, %d solves, %d findings", summary.Traces, summary.Solves, len(summary.Found))
	return summary
}

// Run runs a trace in a fresh process.
func (s Suite) Run(t *testing.T, target *replay.Target, tr *trace.Trace) (*trace.Run, *oracle.Config) {
	t.Helper()
	runner, err := replay.Open(target, replay.Fork, s.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	description, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	run := new(trace.Run)
	if err := runner.Run(t.Context(), tr, run); err != nil {
		t.Fatal(err)
	}
	return run, &oracle.Config{Policies: description.Policies}
}

// Judge runs a trace in a fresh process and judges it. It asks the reference solver about
// everything, so every answer that can be certified must be.
func (s Suite) Judge(t *testing.T, target *replay.Target, tr *trace.Trace) (found []oracle.Finding, log string) {
	t.Helper()
	run, config := s.Run(t, target, tr)
	config.CrossCheck, config.Reference = true, reference.New(ref.NewProver(), 1000)
	judge := oracle.New(*config)
	found = judge.Judge(tr, run)
	for _, f := range found {
		provable := f.Class[0] == '2' || f.Class == oracle.WrongCore
		if provable && !f.Certified && !tr.Model.Quantified() { // nothing certifies answers with quantifiers
			t.Errorf("%s is not certified", f.Key(target.Name))
		}
	}
	if err := judge.Disagreement(); err != nil {
		t.Error(err)
	}
	return found, string(tr.AppendLog(nil, run))
}

// Shows fails the test unless the trace shows a finding of the class.
func (s Suite) Shows(t *testing.T, target *replay.Target, tr *trace.Trace, class oracle.Class) {
	t.Helper()
	found, log := s.Judge(t, target, tr)
	if !slices.ContainsFunc(found, func(f oracle.Finding) bool { return f.Class == class }) {
		t.Errorf("want class %s, found %v\n%s", class, found, log)
	}
}

// A Claim is what docs/bugs-found.md says about a target: all runs of a row's command show the fault, or none does.
type Claim struct {
	*bugs.Row
	Target  string
	IsShown bool
}

// Claims returns what the page says about targets of one folder of cexternal. With -short it returns one claim for each
// solver.
func (s Suite) Claims(t *testing.T, folder string) (claims []Claim) {
	t.Helper()
	root := filepath.Join(s.Dir, "..", "..")
	page, err := bugs.ReadPage(root)
	if err != nil {
		t.Fatal(err)
	}
	all, err := bugs.ReadVersions(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[*bugs.Solver]bool)
	for _, row := range page.Rows {
		checked, err := all.Checked(row)
		if err != nil {
			t.Fatal(err)
		}
		solver, _, _ := all.Of(row)
		for _, place := range checked {
			if place.Folder != folder || testing.Short() && seen[solver] {
				continue
			}
			seen[solver] = true
			claim, _ := row.Claim(place.Version)
			claims = append(claims, Claim{Row: row, Target: place.Target, IsShown: !claim.IsAbsent})
		}
	}
	return claims
}

// Page checks these claims.
func (s Suite) Page(t *testing.T, folder string, open func(t *testing.T, name string) *replay.Target) {
	for _, claim := range s.Claims(t, folder) {
		t.Run(strings.ReplaceAll(claim.Trace+claim.Cases, "/", "-")+"/"+claim.Target, func(t *testing.T) {
			s.agrees(t, claim.Row, open(t, claim.Target), claim.IsShown)
		})
	}
}

// agrees fails the test unless the command of a row shows its fault, or does not show it.
func (s Suite) agrees(t *testing.T, row *bugs.Row, target *replay.Target, isShown bool) {
	t.Helper()
	if row.Cases != "" {
		if failing := s.failingCases(t, target, row.Cases); failing > 0 != isShown {
			t.Errorf("%d cases fail; the page says %t", failing, isShown)
		}
		return
	}
	tr := ReadTrace(t, filepath.Join(s.Dir, "..", "..", row.TracePath()))
	target.Model = tr.Model // as replay does
	for try := 1; ; try++ {
		found, log := s.Judge(t, target, tr)
		agrees := func(class string) bool {
			return slices.ContainsFunc(found, func(f oracle.Finding) bool { return string(f.Class) == class }) == isShown
		}
		wrong := slices.DeleteFunc(row.Classes(), agrees)
		if len(wrong) == 0 {
			return
		}
		if !isShown || try == mostTries {
			t.Errorf("the page says of %v %t; in run %d found %v\n%s", wrong, isShown, try, found, log)
			return
		}
	}
}

// mostTries is how often a command of the page may have to run until it shows its fault: where memory lies decides
// about some crashes.
const mostTries = 5

// failingCases runs the cases of the conformance suite that match a pattern.
func (s Suite) failingCases(t *testing.T, target *replay.Target, pattern string) (failing int) {
	t.Helper()
	var cases []*conform.Case
	for _, c := range conform.Cases(target.Model) {
		if matched, err := path.Match(pattern, c.Short()); err != nil {
			t.Fatal(err)
		} else if matched {
			cases = append(cases, c)
		}
	}
	for _, r := range s.conform(t, target, replay.Fork, cases) {
		if r.Outcome == conform.Fail {
			failing++
		}
	}
	return failing
}

// Conform runs the conformance suite. Exactly the named cases must fail.
func (s Suite) Conform(t *testing.T, target *replay.Target, way replay.Way, fails []string) {
	t.Helper()
	report := conform.Report{Target: target.Name, Model: target.Model.Name}
	report.Results = s.conform(t, target, way, conform.Cases(target.Model))
	for i := range report.Results {
		r := &report.Results[i]
		if (r.Outcome == conform.Fail) != slices.Contains(fails, r.Case.Short()) {
			t.Errorf("%s: %s: %s\n%s", r.Case.Name, r.Outcome, r.Reason, r.Stderr)
		}
	}
	t.Log(report.Summary())
}

func (s Suite) conform(t *testing.T, target *replay.Target, way replay.Way, cases []*conform.Case) []conform.Result {
	t.Helper()
	runner, err := replay.Open(target, way, s.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	suite := conform.Suite{Runner: runner}
	if way == replay.Fork {
		suite.OpenHeap = func() (conform.Runner, error) { return replay.OpenHeap(t.Context(), target, s.Limits) }
	}
	results, err := suite.Run(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Export writes the program that shows a failure.
func (s Suite) Export(t *testing.T, target *replay.Target, tr *trace.Trace, key oracle.Key,
	language, file string) ([]byte, error) {
	t.Helper()
	right, err := trial.RightAnswers(t.Context(), tr)
	if err != nil {
		t.Fatal(err)
	}
	program, err := repro.ProgramOf(tr, export.LanguageNamed(language), file, target, nil, key, s.Limits, right)
	if err != nil {
		return nil, err
	}
	return program.Text, nil
}
