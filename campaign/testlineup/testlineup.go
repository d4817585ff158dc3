// Package testlineup has a target and what a campaign has around it, for tests of the search and of the follow-ups.
package testlineup

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/book"
	"github.com/ipafuzz/ipafuzz/campaign/lineup"
	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/registry"
	"github.com/ipafuzz/ipafuzz/campaign/source"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// Limits keep tests short.
var Limits = replay.Limits{CPU: 500 * time.Millisecond, Wall: 20 * time.Second, Memory: 256 << 20, Output: 16 << 20}

// Parts are the parts of a campaign that the search and the follow-ups share.
type Parts struct {
	*lineup.Lineup
	Book     *book.Book
	Registry *registry.Registry
	Pacer    *pace.Pacer
	Clock    *pace.Clock
	Budgets  *pace.Budgets
}

// Load returns the parts of a campaign with one worker that fuzzes one target with a kind of traces.
func Load(t testing.TB, spec, model string, limits replay.Limits, kind gen.Config) Parts {
	t.Helper()
	target, err := targets.Resolve(spec, model, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := Parts{Lineup: &lineup.Lineup{Way: replay.Persistent, Limits: limits}, Registry: registry.New(registry.Config{}),
		Book: book.New(0, pace.NewScheduler(1, 1, false)), Pacer: pace.NewPacer(1), Clock: new(pace.Clock)}
	if err := p.Load(target); err != nil {
		t.Fatal(err)
	}
	p.Fuzzed = 1
	p.Clock.Start(time.Now())
	p.Budgets = pace.NewBudgets(p.Clock, 1)
	cell := &source.Cell{Target: target, Generate: kind}
	p.Book.Add(source.NewStream(cell, 0, testseed.Of(t, 1), 0, p.All[0].Description), 0)
	p.Book.Begin(p.NewMeasures())
	return p
}

// Build builds a library from a source in C or C++.
func Build(t testing.TB, source string, flags ...string) string {
	t.Helper()
	name, extension := strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)), filepath.Ext(source)
	library := filepath.Join(t.TempDir(), "lib"+name+".so")
	compiler := "cc"
	if extension == ".cc" {
		compiler = "c++"
	}
	flags = append(flags, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source)
	out, err := exec.Command(compiler, flags...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return library
}
