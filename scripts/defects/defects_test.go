package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestCampaign reads what a program says that finds two faults of one defect.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	for name, record := range map[string]string{"late": `{"after_seconds": 3.5}`, "early": `{"after_seconds": 0.25}`} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "finding.json"), []byte(record), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	summary := `{"faults": [{}], "findings": [{"class": "2.5", "directory": "` + dir + `/late"},` +
		` {"class": "5.2", "directory": "` + dir + `/early"}]}`
	for exit, works := range map[string]bool{"0": true, "1": true, "4": true, "2": false, "3": false} {
		script := "#!/bin/sh\necho '" + summary + "'\nexit " + exit + "\n"
		if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		c, err := fuzz(program, "ref", "qbf", time.Second, 1, dir)
		if (err == nil) != works {
			t.Errorf("exit code %s: %v", exit, err)
			continue
		}
		if !works {
			continue
		}
		if f := c.first(); f.Class != "5.2" || f.Seconds != 0.25 || len(c.Faults) != 1 || c.classes() != "2.5 5.2" {
			t.Errorf("exit code %s: %+v, first %+v", exit, c, f)
		}
	}
	if new(campaign).first() != nil {
		t.Error("a campaign without findings has a first one")
	}
}

// TestDefectsOf reads the defects of one model.
func TestDefectsOf(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	const script = "#!/bin/sh\ncat <<E\n" +
		"DEFECT NAME MODEL CLASS DOC\n1 a both 2.1 One.\n2 b qbf 2.4 Two.\n3 c ipamir 2.3 Three.\nE\n"
	if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string][]defect{"qbf": {{"b", "2.4"}}, "ipamir": {{"a", "2.1"}, {"c", "2.3"}},
		"ipasir": {{"a", "2.1"}}} {
		if got, err := defectsOf(program, model); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v, %v", model, got, want, err)
		}
	}
}

// TestHangsTakeLonger: a hang has more time than the other defects.
func TestHangsTakeLonger(t *testing.T) {
	hang, wrong := defect{"loops", "3.1"}, defect{"lies", "2.4"}
	if hang.needs(time.Second) <= time.Second || wrong.needs(time.Second) != time.Second {
		t.Errorf("a hang has %v, a wrong answer %v", hang.needs(time.Second), wrong.needs(time.Second))
	}
}
