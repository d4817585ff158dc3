package store

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestExperiments checks that a diagnosis is stored with traces that can be replayed, and can be read back.
func TestExperiments(t *testing.T) {
	t.Parallel()
	const text = "ipafuzz 1 ipamir\nsolve\n"
	d := &cause.Diagnosis{Cause: "tautology", Sentence: "needs a tautology", Experiments: []cause.Experiment{
		{Variant: "tautology", Trace: text, Control: text, ControlFailed: true},
		{Variant: "incremental", Trace: text}, {Variant: "incremental", Trace: text, Failed: true},
	}, Mistake: cause.FalseSolution, Questioned: text}
	s := &FindingRecord{Dir: t.TempDir(), Cause: d.Cause, Sentence: d.Sentence,
		Mistake: d.Mistake, Experiments: experimentsOf(d)}
	files := experimentFiles(d)
	for _, name := range []string{"tautology.trace", "tautology-control.trace", "incremental.trace",
		"incremental-2.trace", "all-questions.trace"} {
		file := filepath.Join("experiments", name)
		if _, err := trace.ParseString(string(files[file])); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.Dir, "experiments"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.Dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := string(files["experiments/tautology.trace"])
	if !strings.Contains(first, "without tautology: it did not fail\n") {
		t.Errorf("the note is missing in %q", first)
	}
	got, err := s.diagnosis()
	if err != nil || got.Cause != d.Cause || got.Mistake != d.Mistake ||
		!reflect.DeepEqual(experimentsOf(got), experimentsOf(d)) {
		t.Errorf("read back %+v, %v", got, err)
	}
	if again := experimentFiles(got); !reflect.DeepEqual(again, files) {
		t.Errorf("written again, the files are %q", again)
	}
	s.Experiments[0].File = "../elsewhere"
	if got, err = s.diagnosis(); err != nil || got.Experiments[0].Trace != "" {
		t.Errorf("a file elsewhere was read: %+v, %v", got, err)
	}
}
