package store

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/pace"
	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

func jsonOf(f *testing.F, value any) []byte {
	f.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		f.Fatal(err)
	}
	return text
}

func fill(t testing.TB, dir string, files map[string][]byte) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzFinding reads damaged findings in every way in which commands read them. A finding that
// can be read is the same after it is written and read again.
func FuzzFinding(f *testing.F) {
	const text = "ipafuzz 1 ipamir\nhard 1 0\nsoft 1 3\nsolve\nobj\n"
	key := oracle.Key{Target: "ref", Class: oracle.NotOptimal, Detail: "not optimal"}
	whole := FindingRecord{Facts: Facts{Fault: "soft-1", Cell: 1, Number: 7, History: 2, MetIn: key, Tests: 9},
		Cause: "tautology", Mistake: "2.1", Hits: 5, CallText: "solve", Solve: 1, Without: []string{"gaps"},
		Experiments: []ExperimentRecord{{Variant: "tautology", File: "experiments/a.trace",
			Control: "experiments/b.trace"}},
		Target: TargetRecord{Name: "ref", Model: "ipamir"}, Seed: "0x7", Run: "RUN",
		Death: &deathRecord{How: "killed", Signal: 11, Frames: []trace.Frame{{}}}, Found: time.Unix(1, 0)}
	whole.Key = key
	f.Add(jsonOf(f, whole), []byte(text))
	f.Add(jsonOf(f, FindingRecord{}), []byte(""))
	f.Add([]byte("null"), []byte(text))
	f.Add([]byte(`{"experiments": [{"file": "../../campaign.json"}], "cause": "x", "cell": 9}`), []byte(text))
	campaign := jsonOf(f, Record{Targets: []TargetRecord{{Name: "ref"}}, Run: "RUN", Cells: make([]CellRecord, 2)})
	f.Fuzz(func(t *testing.T, finding, minimal []byte) {
		dir := t.TempDir()
		const here = "findings/one/"
		fill(t, dir, map[string][]byte{"campaign.json": campaign, here + "finding.json": finding,
			here + "minimal.trace": minimal, here + "original.trace": []byte(text), here + questionedFile: []byte(text)})
		one := filepath.Join(dir, here)
		stored, err := ReadFinding(one)
		if err != nil {
			return
		}
		stored.Avoided()
		stored.Finding()
		if read, err := ReadStored(dir); err != nil || len(read.Findings) != 1 {
			t.Fatalf("the finding can be read and the campaign cannot: %v", err)
		}
		known, err := ReadKnown(dir)
		if err == nil {
			for _, k := range known[stored.Key] {
				k.Failure()
			}
		}
		written, err := json.Marshal(stored)
		if err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		fill(t, dir, map[string][]byte{here + "finding.json": written})
		again, err := ReadFinding(one)
		if err != nil {
			t.Fatalf("written as\n%s\nit cannot be read: %v", written, err)
		}
		if text, err := json.Marshal(again); err != nil || !bytes.Equal(text, written) {
			t.Errorf("written as\n%s\nthen as\n%s (%v)", written, text, err)
		}
	})
}

// FuzzCampaign reads damaged files campaign.json and state.json, as report and --resume do.
func FuzzCampaign(f *testing.F) {
	key := oracle.Key{Target: "ref", Class: oracle.NotOptimal, Detail: "not optimal"}
	ended := time.Unix(2, 0)
	record := Record{Targets: []TargetRecord{{Name: "ref", Model: "ipamir"}}, Run: "RUN", Seed: 3, Workers: 1,
		Cells: []CellRecord{{Target: "ref", Kind: "tiny"}}, Started: time.Unix(1, 0), Avoid: []string{"gaps"},
		Parts: []Part{{Run: "RUN"}}, Hits: map[oracle.Key]uint64{key: 3}, Unconfirmed: []oracle.Key{key}}
	state := State{Run: "RUN", Judged: 5, Cells: []CellState{{Next: 4, Again: []uint64{1}, Arm: pace.Arm{},
		Profiles: map[string]*stats.ProfileUse{"tiny": {}}, Findings: map[oracle.Class]int{oracle.NotOptimal: 1}}},
		Hits: map[oracle.Key]uint64{key: 2}, Beside: map[oracle.Key][]uint64{key: {1}},
		Evidence: map[oracle.Key]*Evidence{key: {Looked: 1}}, Unconfirmed: []Unconfirmed{{Key: key}},
		Measures: new(stats.Measures)}
	f.Add(jsonOf(f, record), jsonOf(f, state))
	record.Ended, record.Stats, record.Measures = &ended, new(stats.Stats), new(stats.Measures)
	f.Add(jsonOf(f, record), []byte("{}"))
	f.Add([]byte("null"), []byte("null"))
	f.Add([]byte(`{"run": "R", "cells": [{}]}`), []byte(`{"run": "R", "cells": [{"profiles": {"tiny": null}}]}`))
	f.Fuzz(func(t *testing.T, campaign, state []byte) {
		dir := t.TempDir()
		fill(t, dir, map[string][]byte{"campaign.json": campaign, "state.json": state})
		stored, err := ReadStored(dir)
		if err != nil {
			return
		}
		stored.Has(&FindingRecord{})
		past, err := OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer past.Close()
		s := &Store{Dir: dir, Record: stored.Record, past: past}
		s.Resumable(len(stored.Record.Cells))
		written, err := json.Marshal(stored.Record)
		if err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		fill(t, dir, map[string][]byte{"campaign.json": written})
		if _, err := ReadStored(dir); err != nil {
			t.Fatalf("written as\n%s\nit cannot be read: %v", written, err)
		}
	})
}
