package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

type noCommands struct{}

func (noCommands) Continue(*Finding) string { return "replay" }
func (noCommands) Replay(*Finding) string   { return "replay" }
func (noCommands) Generate(*Finding) string { return "gen" }

// open returns a store in a new directory, with campaign.json.
func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(&Past{Dir: t.TempDir()}, Record{Targets: []TargetRecord{{Name: "ref"}}}, noCommands{},
		replay.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := s.Begin(false); err != nil {
		t.Fatal(err)
	}
	return s
}

// wrongOptimum returns a finding, always with the same key. The number of tests of its reduction tells it
// from others.
func wrongOptimum(t *testing.T, voted bool, tests int) *Finding {
	t.Helper()
	tr, err := trace.ParseString("ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsolve\nobj\n")
	if err != nil {
		t.Fatal(err)
	}
	f := &Finding{Target: "ref", Original: tr, Minimal: tr, Facts: Facts{Tests: tests},
		Finding: oracle.Finding{Class: oracle.NotOptimal, Call: 2, Solve: 2, Weight: oracle.SmallWeights,
			Detail: "not optimal", Voted: voted}}
	f.Key = f.Finding.Key(f.Target)
	return f
}

// stored returns the findings of the directory, by the number of tests of their reductions.
func stored(t *testing.T, s *Store) string {
	t.Helper()
	read, err := ReadStored(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var tests []int
	for i := range read.Findings {
		tests = append(tests, read.Findings[i].Tests)
	}
	return fmt.Sprint(tests)
}

func TestOpenRefusesALockedDirectory(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, err := Open(&Past{Dir: s.Dir}, Record{}, noCommands{}, replay.DefaultLimits)
	var refused *DirectoryError
	if want := fmt.Sprintf("another run (process %d) is writing there", os.Getpid()); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), want) {
		t.Fatalf("a locked directory: %v, want %q", err, want)
	}
	if err := atRest(s.Dir); err == nil {
		t.Error("a locked directory may be merged")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(&Past{Dir: s.Dir}, Record{}, noCommands{}, replay.DefaultLimits)
	if err != nil {
		t.Fatalf("a directory that was released: %v", err)
	}
	second.Close()
}

// TestPutReplaceDrop checks what each of these methods leaves in the directory.
func TestPutReplaceDrop(t *testing.T) {
	t.Parallel()
	s := open(t)
	first, again := wrongOptimum(t, false, 1), wrongOptimum(t, false, 2)
	if err := s.Put(first); err != nil || first.Again {
		t.Fatalf("the first finding: %v, again: %v", err, first.Again)
	}
	read, err := ReadStored(s.Dir)
	if err != nil || len(read.Findings) != 1 {
		t.Fatalf("%d findings, %v", len(read.Findings), err)
	}
	if f := read.Findings[0]; f.Key != first.Key || f.Dir != first.Dir || f.Call != 3 || f.Solve != 3 ||
		f.CallText != "solve" || f.Minimal != 4 || f.Target.Name != "ref" || f.Run != s.Record.Run || !read.Has(&f) {
		t.Errorf("read back: %+v", f)
	}
	if err := s.Put(again); err != nil || !again.Again || again.Dir != first.Dir {
		t.Errorf("the same key: %v, again: %v, in %s", err, again.Again, again.Dir)
	}
	if got := stored(t, s); got != "[1]" {
		t.Errorf("Put changed the finding: %s", got)
	}
	hits := []Hit{{Number: 7, Seed: "0x7"}, {Number: 8, Seed: "0x8"}}
	if err := s.AddHits(first.Dir, hits, func(int) *trace.Trace { return first.Original }); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(again); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[2]" {
		t.Errorf("Replace left the finding: %s", got)
	}
	if got, err := ReadHits(filepath.Join(first.Dir, "hits.jsonl")); err != nil || fmt.Sprint(got) != fmt.Sprint(hits) {
		t.Errorf("after Replace the hits are %v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(first.Dir, "originals", "2.trace")); err != nil {
		t.Errorf("Replace lost a trace: %v", err)
	}
	if err := s.Drop(again); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[]" {
		t.Errorf("Drop left %s", got)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir, ".finding-*")); err != nil || len(left) > 0 {
		t.Errorf("temporary directories are left: %v, %v", left, err)
	}
}

// TestPutPrefersProof checks that a proven finding replaces a voted one, and that nothing else replaces a
// finding with the same key.
func TestPutPrefersProof(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		firstVoted, secondVoted bool
		want                    string
	}{
		{true, false, "[2]"},
		{true, true, "[1]"},
		{false, true, "[1]"},
		{false, false, "[1]"},
	} {
		s := open(t)
		first, second := wrongOptimum(t, c.firstVoted, 1), wrongOptimum(t, c.secondVoted, 2)
		if err := errors.Join(s.Put(first), s.Put(second)); err != nil {
			t.Fatal(err)
		}
		if got := stored(t, s); got != c.want || second.Again != (c.want == "[1]") {
			t.Errorf("voted: first %v, second %v: stored %s, want %s; again: %v", c.firstVoted, c.secondVoted, got, c.want,
				second.Again)
		}
	}
}

// TestPutEarly checks that a finding that is still being reduced, and may be dropped, does not replace a
// finding of an earlier run.
func TestPutEarly(t *testing.T) {
	t.Parallel()
	s := open(t)
	voted, early, whole := wrongOptimum(t, true, 1), wrongOptimum(t, false, 2), wrongOptimum(t, false, 3)
	early.NotMinimal = BeingReduced
	if err := errors.Join(s.Put(voted), s.Put(early)); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[1]" || !early.Again {
		t.Errorf("stored %s, want [1]; again: %v", got, early.Again)
	}
	if err := s.Put(whole); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[3]" || whole.Again {
		t.Errorf("after the reduction: stored %s, want [3]; again: %v", got, whole.Again)
	}
}

// TestPutOtherFault checks that a finding with a key of an earlier run, but another fault, is stored, and
// found again in the run after that.
func TestPutOtherFault(t *testing.T) {
	t.Parallel()
	s := open(t)
	diagnosed := func(of cause.Cause, tests int) *Finding {
		f := wrongOptimum(t, false, tests)
		f.Diagnosis = &cause.Diagnosis{Cause: of}
		return f
	}
	for run, row := range []struct {
		cause cause.Cause
		want  string
		again bool
	}{
		{"repeated-soft", "[0]", false},
		{"repeated-soft", "[0]", true},
		{"tautology", "[0 2]", false},
		{"tautology", "[0 2]", true},
		{"repeated-soft", "[0 2]", true},
	} {
		s.Record.Run = fmt.Sprint("run", run)
		f := diagnosed(row.cause, run)
		if err := s.Put(f); err != nil {
			t.Fatal(err)
		}
		if got := stored(t, s); got != row.want || f.Again != row.again {
			t.Errorf("run %d: stored %s, want %s; again: %v", run, got, row.want, f.Again)
		}
		if there, err := ReadFinding(f.Dir); err != nil || there.Cause != row.cause {
			t.Errorf("run %d: %s has the cause %q, want %q (%v)", run, f.Dir, there.Cause, row.cause, err)
		}
	}
}

// TestPutUndecided checks that a finding whose cause the run could not determine in time counts as the stored one with
// its key. It was stored as another fault, which --only-new then reported.
func TestPutUndecided(t *testing.T) {
	t.Parallel()
	s := open(t)
	first := wrongOptimum(t, false, 1)
	first.Diagnosis = &cause.Diagnosis{Cause: "repeated-soft"}
	first.IsMinimal = true
	s.Record.Run = "run1"
	if err := s.Put(first); err != nil {
		t.Fatal(err)
	}
	s.Record.Run = "run2"
	undecided := wrongOptimum(t, false, 2)
	undecided.NotMinimal, undecided.Undecided = RunEnded, true
	if err := s.Put(undecided); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[1]" || !undecided.Again || undecided.Cause() != "repeated-soft" ||
		!undecided.IsMinimal || undecided.Dir != first.Dir {
		t.Errorf("stored %s, again %v: %+v", got, undecided.Again, undecided)
	}
}

// TestReadDamagedCell checks that a finding with an impossible cell counts as damaged.
func TestReadDamagedCell(t *testing.T) {
	t.Parallel()
	s := open(t)
	f := wrongOptimum(t, false, 1)
	f.Cell = -1
	if err := s.Put(f); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, err := ReadStored(s.Dir); !errors.As(err, &damaged) || damaged.Dir != f.Dir {
		t.Errorf("read with %v", err)
	}
}

// TestReadHits checks that reading skips an incomplete last line, which a killed campaign leaves, and
// changes nothing.
func TestReadHits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hits.jsonl")
	if hits, err := ReadHits(path); err != nil || len(hits) > 0 {
		t.Errorf("without a file: %v, %v", hits, err)
	}
	torn := "{\"number\":1}\n{\"number\":2}\n{\"num"
	if err := os.WriteFile(path, []byte(torn), 0o644); err != nil {
		t.Fatal(err)
	}
	if hits, err := ReadHits(path); err != nil || len(hits) != 2 || hits[1].Number != 2 {
		t.Errorf("read %v, %v", hits, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != torn {
		t.Errorf("reading left %q, %v", text, err)
	}
	if err := mend(path); err != nil {
		t.Fatal(err)
	}
	if err := appendWhole(path, []byte("{\"number\":3}\n")); err != nil {
		t.Fatal(err)
	}
	if hits, err := ReadHits(path); err != nil || len(hits) != 3 || hits[2].Number != 3 {
		t.Errorf("with a line more: %v, %v", hits, err)
	}
}

// TestCarryOver checks that a directory has the hits and originals of the finding that it replaces before
// it takes its place, so that a kill loses neither.
func TestCarryOver(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := carryOver(filepath.Join(from, "absent"), to); err != nil {
		t.Errorf("a new finding: %v", err)
	}
	names := []string{"hits.jsonl", "originals/1.trace", "originals/2.trace"}
	for _, name := range names {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := carryOver(from, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		for _, dir := range []string{from, to} {
			if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(text) != name {
				t.Errorf("%s in %s: %q, %v", name, dir, text, err)
			}
		}
	}
}

// TestPutDamaged checks that a finding is stored although its directory has one that cannot be read, which
// is moved away.
func TestPutDamaged(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i, damage := range []string{"", "{", `{"class": 5}`} {
		f := wrongOptimum(t, false, i)
		if err := s.Replace(f); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Dir, "finding.json"), []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		again := wrongOptimum(t, false, 10+i)
		if err := s.Put(again); err != nil || again.Again {
			t.Errorf("%q: %v, again %v", damage, err, again.Again)
			continue
		}
		if got, want := stored(t, s), fmt.Sprint([]int{10 + i}); got != want {
			t.Errorf("%q: stored %s, want %s", damage, got, want)
		}
		old := filepath.Join(s.Dir, "damaged", fmt.Sprintf("%s-%d", filepath.Base(f.Dir), i+1))
		if text, err := os.ReadFile(filepath.Join(old, "finding.json")); err != nil || string(text) != damage {
			t.Errorf("%q: set aside is %q, %v", damage, text, err)
		}
	}
}

// TestReadOtherFiles checks that other files among the findings do not matter.
func TestReadOtherFiles(t *testing.T) {
	t.Parallel()
	s := open(t)
	f := wrongOptimum(t, false, 7)
	notes := filepath.Join(s.Dir, "findings", "notes.txt")
	if err := errors.Join(s.Put(f), os.WriteFile(notes, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got := stored(t, s); got != "[7]" {
		t.Errorf("stored %s", got)
	}
}

// TestTracesAreWhole checks that readers see whole traces outside of findings, either the old or the new
// version.
func TestTracesAreWhole(t *testing.T) {
	t.Parallel()
	s := open(t)
	f := wrongOptimum(t, false, 1)
	for name, put := range map[string]func() error{
		"disputes/a.trace": func() error { _, err := s.PutDispute("a", f.Minimal); return err },
		"violation.trace":  func() error { s.PutViolation(nil, f.Minimal); return nil },
	} {
		path := filepath.Join(s.Dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("old"), 0o644)); err != nil {
			t.Fatal(err)
		}
		reader, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		if err := put(); err != nil {
			t.Fatal(err)
		}
		seen := make([]byte, 3)
		if _, err := reader.Read(seen); err != nil || string(seen) != "old" {
			t.Errorf("%s: a reader of the old version sees %q, %v", name, seen, err)
		}
	}
}
