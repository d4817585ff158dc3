// Package planted tests that faults of programs are found which only soft clauses of several literals, empty ones,
// tautologies or repeated ones show: maxsat.c is a solver of WCNF files with one planted defect.
package planted

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

var defects = []struct {
	name string
	// shows says whether the soft clauses of a minimal trace can show the defect.
	shows func(softs [][]int32) bool
}{
	{"first-literal", hasWide},
	{"last-literal", hasWide},
	{"forgets-third", hasWide},
	{"free-empty", hasEmpty},
	{"hard-empty", hasEmpty},
	{"hidden-empty", hasEmpty},
	{"second-empty", hasEmpty},
	{"costly-tautology", hasWide},
	{"twice-cancels", hasWide},
	{"repeated-once", isRepeated},
	{"last-weight", isRepeated},
	{"aborts-wide", hasWide},
	{"drops-hard", hasWide},
	{"short-weights", hasWide},
	{"units-only", hasWide},
}

func hasWide(softs [][]int32) bool {
	for _, lits := range softs {
		if len(lits) > 1 {
			return true
		}
	}
	return false
}

func hasEmpty(softs [][]int32) bool {
	for _, lits := range softs {
		if len(lits) == 0 {
			return true
		}
	}
	return false
}

func isRepeated(softs [][]int32) bool { return len(softs) > 1 }

// build compiles the solver and returns a suite whose targets have one defect each.
func build(t *testing.T) driver.Suite {
	t.Helper()
	dir := t.TempDir()
	solver := filepath.Join(dir, "maxsat")
	cc := exec.Command("cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-o", solver,
		"testdata/maxsat.c")
	if out, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := ""
	add := func(name string) {
		text += "[targets." + name + "]\ncommand = ['" + solver + "', '" + name + "', '{file}']\nformat = 'wcnf'\n"
	}
	add("none")
	for _, defect := range defects {
		add(defect.name)
	}
	if err := os.WriteFile(filepath.Join(dir, "targets.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return driver.Suite{Dir: dir, Limits: replay.DefaultLimits}
}

func open(t *testing.T, s driver.Suite, name string) *replay.Target {
	t.Helper()
	file, err := targets.ReadFile(filepath.Join(s.Dir, "targets.toml"))
	if err != nil {
		t.Fatal(err)
	}
	target, err := targets.Resolve(name, "", file)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// TestFindsDefects: each defect is found with default settings, and the minimal file shows why.
func TestFindsDefects(t *testing.T) {
	s := build(t)
	for _, defect := range defects {
		t.Run(defect.name, func(t *testing.T) {
			const limit = 20 * time.Second // docs/comparing.md
			found := false
			s.Fuzz(t, open(t, s, defect.name), gen.Config{}, campaign.Config{Time: limit, Seed: testseed.Of(t, 1)},
				func(f *store.Finding, end func()) {
					if f.NotMinimal == store.BeingReduced {
						return
					}
					found = true
					if softs := softsOf(f.Minimal); !defect.shows(softs) {
						t.Errorf("the minimal trace of %s has the soft clauses %v", f.Key, softs)
					}
					if f.Program == nil || filepath.Ext(f.Program.Name) != ".wcnf" {
						t.Errorf("%s has no file for the program", f.Key)
					}
					end()
				})
			if !found {
				t.Errorf("not found within %v", limit)
			}
		})
	}
}

// TestNoFalseAlarm: the solver without a defect has no finding.
func TestNoFalseAlarm(t *testing.T) {
	s := build(t)
	config := campaign.Config{Time: 5 * time.Second, Seed: testseed.Of(t, 1)}
	summary := s.Fuzz(t, open(t, s, "none"), gen.Config{}, config, nil)
	if len(summary.Found)+len(summary.Unconfirmed) > 0 {
		t.Errorf("%d findings and %d unconfirmed failures of a healthy program", len(summary.Found),
			len(summary.Unconfirmed))
	}
}

func softsOf(t *trace.Trace) (softs [][]int32) {
	for i := range t.Calls {
		if c := &t.Calls[i]; c.Op == apimodel.OpSoftClause {
			softs = append(softs, t.Args(c))
		}
	}
	return softs
}
