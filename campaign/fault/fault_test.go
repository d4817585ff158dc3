package fault

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

func parse(t *testing.T, calls string) *trace.Trace {
	t.Helper()
	one, err := trace.ParseSyntax(strings.NewReader("ipafuzz 1 ipamir\n"+calls), "test")
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func finding(t *testing.T, target, class, detail, why, at, calls string) *store.Finding {
	t.Helper()
	f := &store.Finding{Finding: oracle.Finding{Class: oracle.Class(class), Detail: detail, Weight: oracle.SmallWeights},
		Target: target, Facts: store.Facts{Location: at}, Minimal: parse(t, calls), Hits: 1}
	f.Key = f.Finding.Key(target)
	if why != "" {
		f.Diagnosis = &cause.Diagnosis{Cause: cause.Cause(why), Sentence: cause.Cause(why).Sentence(f.Minimal)}
	}
	return f
}

// sample returns findings of two targets with seven faults.
func sample(t *testing.T) []*store.Finding {
	return []*store.Finding{
		finding(t, "a", "2.1", "not optimal", "repeated-soft", "", "soft 1 1\nsoft 1 2\nsolve\nobj\n"),
		finding(t, "a", "2.3", "objective", "repeated-soft", "", "hard 1 0\nsoft 1 1\nsoft 1 2\nsolve\nobj\n"),
		finding(t, "b", "2.1", "not optimal", "repeated-soft", "", "soft 1 1\nsoft 1 2\nsolve\nobj\n"),
		finding(t, "a", "1.5", "f", "nothing", "f.c:1", "solve\n"),
		finding(t, "a", "1.1", "g", "", "f.c:1", "hard 1 0\nsolve\n"),
		finding(t, "a", "1.5", "f", "nothing", "f.c:2", "solve\n"),
		finding(t, "a", "3.1", "time limit", "", "", "hard 1 0\nsolve\n"),
		finding(t, "a", "3.1", "time limit", "", "", "soft 1 1\nsolve\n"),
		finding(t, "a", "4.4", "gave up", "", "", "hard 1 0\nsolve\n"),
		// The calls of these differ only in what is asked.
		finding(t, "a", "2.2", "objective", "nothing", "", "soft 1 1\nsolve\nmodel\nobj\n"),
		finding(t, "a", "2.2", "model", "nothing", "", "soft 1 1\nsolve\nmodel\n"),
	}
}

// text describes faults, whatever the order in which the findings were given.
func text(faults []Fault) string {
	var lines []string
	for i := range faults {
		f := &faults[i]
		var keys []string
		for _, of := range f.Findings {
			keys = append(keys, of.Key.String())
		}
		lines = append(lines, fmt.Sprintf("%s %s %q %q %s %v", f.Target, f.Name, f.Sentence, f.Location,
			strings.Join(keys, ", "), f.Possibly))
	}
	return strings.Join(lines, "\n")
}

func TestGroup(t *testing.T) {
	t.Parallel()
	all := sample(t)
	faults := Group(all)
	if len(faults) != 7 {
		t.Fatalf("%d faults, want 7:\n%s", len(faults), text(faults))
	}
	if faults[0].Cause != cause.Nothing {
		t.Errorf("the first fault is %+v", faults[0])
	}
	worst, other := Of(faults, all[0]), Of(faults, all[2])
	if worst.Target != "a" || len(worst.Findings) != 2 || worst.Findings[0] != all[0] || worst.Hits() != 2 ||
		worst.Sentence != all[0].Diagnosis.Sentence || Of(faults, all[1]) != worst {
		t.Errorf("the fault is %+v", worst)
	}
	if worst.Name != other.Name || other.Target != "b" {
		t.Errorf("the same fault of two targets has the names %s and %s", worst.Name, other.Name)
	}
	if at := Of(faults, all[3]); at != Of(faults, all[4]) || at.Location != "f.c:1" || at == Of(faults, all[5]) {
		t.Error("crashes are not grouped by their place")
	}
	if Of(faults, all[6]) != Of(faults, all[7]) || Of(faults, all[6]) == Of(faults, all[8]) {
		t.Error("findings of unknown cause are not grouped by key")
	}
	want := text(faults)
	r := rand.New(rand.NewPCG(testseed.Of(t, 1), 1))
	for range 50 {
		shuffled := slices.Clone(all)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := text(Group(shuffled)); got != want {
			t.Fatalf("another order gives\n%s\nnot\n%s", got, want)
		}
	}
}

// TestUndecidedLast checks that faults whose causes are open because time ran out come after others with the same
// input.
func TestUndecidedLast(t *testing.T) {
	t.Parallel()
	all := sample(t)
	for _, i := range []int{1, 2} {
		all[i].Diagnosis, all[i].Undecided = nil, true
	}
	faults := Group(all)
	if last := faults[len(faults)-2:]; last[0].Findings[0] != all[2] || last[1].Findings[0] != all[1] {
		t.Errorf("the faults are\n%s", text(faults))
	}
}

// TestOwnExperiments checks that a finding whose experiments are about another failure does not stand for a fault if a
// finding with experiments of its own needs no more.
func TestOwnExperiments(t *testing.T) {
	t.Parallel()
	all := sample(t)[:2]
	name := Group(all)[0].Name
	all[0].Diagnosis.Of = "2.3 objective"
	faults := Group(all)
	if len(faults) != 1 || faults[0].Simplest() != all[1] || len(faults[0].Findings) != 2 || faults[0].Name != name {
		t.Errorf("the faults are\n%s", text(faults))
	}
	all[1].Diagnosis.Cause = "repeated-soft + zero-weight"
	if faults := Group(all); faults[0].Simplest() != all[0] {
		t.Errorf("the faults are\n%s", text(faults))
	}
}

// TestRead checks that findings read from directories have the same faults.
func TestRead(t *testing.T) {
	t.Parallel()
	var stored []store.FindingRecord
	all := sample(t)
	for i, f := range all {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		record := store.FindingRecord{Record: trial.RecordOf(&f.Finding, f.Target),
			Target: store.TargetRecord{Name: f.Target}, Cause: f.Cause(), Facts: store.Facts{Location: f.Location}, Seed: "0x7"}
		if f.Diagnosis != nil {
			record.Sentence = f.Diagnosis.Sentence
		}
		json, err := json.Marshal(record)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		for name, text := range map[string][]byte{"finding.json": json, "minimal.trace": f.Minimal.AppendText(nil),
			"original.trace": f.Minimal.AppendText(nil)} {
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		record.Dir = dir
		stored = append(stored, record)
	}
	faults, err := Read(stored)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(faults), text(Group(all)); got != want {
		t.Errorf("read back, the faults are\n%s\nnot\n%s", got, want)
	}
	if !slices.ContainsFunc(faults, func(f Fault) bool { return f.Has(stored[0].Dir) && f.Has(stored[1].Dir) }) ||
		slices.ContainsFunc(faults, func(f Fault) bool { return f.Has(stored[0].Dir) && f.Has(stored[3].Dir) }) {
		t.Error("the faults have other directories")
	}
	if err := os.Remove(filepath.Join(stored[2].Dir, "minimal.trace")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(stored); err == nil || !strings.Contains(err.Error(), stored[2].Dir) {
		t.Errorf("without a minimal trace: %v", err)
	}
}

// TestNew checks that a finding of a known fault is not new, whatever its key.
func TestNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, f *store.Finding) {
		t.Helper()
		record := store.FindingRecord{Record: trial.RecordOf(&f.Finding, f.Target),
			Target: store.TargetRecord{Name: f.Target},
			Cause:  f.Cause(), Facts: store.Facts{Location: f.Location}, Seed: "0x7"}
		f.Dir = filepath.Join(dir, "findings", name)
		text, err := json.Marshal(record)
		if err == nil {
			err = os.MkdirAll(f.Dir, 0o755)
		}
		for name, text := range map[string][]byte{"finding.json": text, "minimal.trace": f.Minimal.AppendText(nil),
			"original.trace": f.Minimal.AppendText(nil)} {
			if err == nil {
				err = os.WriteFile(filepath.Join(f.Dir, name), text, 0o644)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "campaign.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := sample(t)
	faults := Group(all)
	group := faults[slices.IndexFunc(faults, func(f Fault) bool { return len(f.Findings) > 1 })]
	old, fresh := group.Findings[0], group.Findings[1]
	write("old", old)
	write("fresh", fresh)
	old.Again = true
	another := all[slices.IndexFunc(all, func(f *store.Finding) bool { return !slices.Contains(group.Findings, f) })]
	check := func(want *store.Finding, found ...*store.Finding) {
		t.Helper()
		faults := Group(found)
		got, err := New(dir, faults)
		if err != nil || want == nil && len(got) > 0 ||
			want != nil && (len(got) != 1 || &faults[got[0]] != Of(faults, want)) {
			t.Errorf("%d findings: new %v, %v", len(found), got, err)
		}
	}
	check(nil)
	check(nil, old)
	check(nil, old, fresh)
	check(nil, fresh) // this run did not find the old one
	check(another, another)
	write("another", another)
	check(another, old, another)

	known := Group([]*store.Finding{old, another})
	Recognise(known, map[oracle.Key][]*store.Finding{{}: {{Finding: another.Finding, Key: another.Key,
		Target: another.Target, Facts: store.Facts{Fault: "old"}, Diagnosis: another.Diagnosis, Minimal: another.Minimal}}})
	got, err := New(dir, known)
	if err != nil || len(got) > 0 || Of(known, another).KnownAs != "old" || Of(known, old).KnownAs != "" {
		t.Errorf("with a known fault: new %v, %v; %+v", got, err, known)
	}
}
