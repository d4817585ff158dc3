package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// script runs a script of the project, with this program as ipafuzz.
func script(t *testing.T, env []string, name string, args ...string) (output string, code int) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "ipafuzz")
	if err := os.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\nexport %s=1\nexec %s \"$@\"\n", asProgram, os.Args[0]),
		0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../../scripts/"+name, args...)
	cmd.Env = append(append(os.Environ(), "IPAFUZZ="+program), env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestClusterJobs runs the jobs of an array one after the other, and one of them twice, as a cluster does
// with a killed job. Then it joins their results.
func TestClusterJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	fuzz := []string{out, "fuzz", "--target", "ref:defect=redeclare-adds", "--profile", "tiny", "--seed", "7", "--traces",
		"60", "--workers", "1"}
	for _, job := range []string{"1", "2", "2"} {
		if said, code := script(t, []string{"SLURM_ARRAY_TASK_ID=" + job, "SLURM_ARRAY_TASK_COUNT=2"}, "cluster",
			fuzz...); code != 0 {
			t.Fatalf("job %s ended with %d:\n%s", job, code, said)
		}
	}
	if said, code := script(t, []string{"SHARD=1", "SHARDS=1"}, "cluster", filepath.Join(t.TempDir(), "ended"), "fuzz",
		"--target", hostileLibrary(t, "terminates-ipafuzz"), "--no-containment", "--profile", "tiny", "--seed", "7",
		"--time", "30s", "--workers", "1"); code != 4 || !strings.Contains(said, "A target ended the run") ||
		!strings.Contains(said, "The job failed (exit code 4)") {
		t.Errorf("a shard that a target ended: exit %d\n%s", code, said)
	}
	cmd := exec.Command(os.Args[0], "merge", filepath.Join(out, "1"), filepath.Join(out, "2"), "--out", out+"-all")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if said, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "2 parts, 120 traces") {
		t.Errorf("merge: %v\n%s", err, said)
	}
	if said, code := script(t, nil, "cluster", fuzz...); code != 2 || !strings.Contains(said, "set SHARD and SHARDS") {
		t.Errorf("without a number: exit %d\n%s", code, said)
	}
	if said, code := script(t, []string{"SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=2"}, "cluster",
		fuzz...); code != 2 || !strings.Contains(said, "number the jobs of the array from 1") {
		t.Errorf("numbered from 0: exit %d\n%s", code, said)
	}
	if said, code := script(t, nil, "cluster"); code != 2 || !strings.Contains(said, "sbatch --array") {
		t.Errorf("without arguments: exit %d\n%s", code, said)
	}
}

// TestSoakInShort runs the same as 'make soak', with few traces.
func TestSoakInShort(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: several seconds")
	}
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	env := []string{"TRACES=300", "TIME=1m", "SEED=5", "PAGE=" + page}
	if said, code := script(t, env, "soak", "ref:ipasir", "ref:ipamir"); code != 0 {
		t.Fatalf("exit %d\n%s", code, said)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"| ref (ipasir) | 300 |", "| ref (ipamir) | 300 |"} {
		if !strings.Contains(string(text), row) {
			t.Errorf("no %q in\n%s", row, text)
		}
	}
	if strings.Count(string(text), " | 0 | none | `ipafuzz fuzz --target ref ") != 2 {
		t.Errorf("a healthy target is not said to be so:\n%s", text)
	}
}

// TestSoakRows checks that 'make soak' goes on after a run with findings or unconfirmed failures, but not after one
// that could not work.
func TestSoakRows(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]int{0: 0, 1: 0, 4: 0, 3: 3} {
		dir := t.TempDir()
		page, fake := filepath.Join(dir, "page.md"), filepath.Join(dir, "fake")
		summary := `{"stats": {"undecided": 1, "cells": [{"model": "ipasir"}], "traces": 7, "solves": 8, ` +
			`"unconfirmed": 2}, "findings": [{"key": "k"}]}`
		if err := os.WriteFile(fake, fmt.Appendf(nil, "#!/bin/sh\necho '%s'\nexit %d\n", summary, code), 0o755); err != nil {
			t.Fatal(err)
		}
		said, got := script(t, []string{"PAGE=" + page, "IPAFUZZ=" + fake}, "soak", "first", "second")
		if got != want {
			t.Errorf("after exit code %d: exit %d\n%s", code, got, said)
		}
		text, err := os.ReadFile(page)
		if rows := strings.Count(string(text), "(ipasir) | 7 | 8 | 1 | 2 | k | "); rows != 2-2*want/3 {
			t.Errorf("after exit code %d: %d rows, %v\n%s", code, rows, err, text)
		}
	}
}
