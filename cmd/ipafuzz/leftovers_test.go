package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// hostileLibrary builds the library of cexternal/hostile with a behaviour.
func hostileLibrary(t *testing.T, behaviour string) string {
	t.Helper()
	sources, err := filepath.Glob("../../cexternal/hostile/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("the sources of the hostile library: %v, %v", sources, err)
	}
	path := filepath.Join(t.TempDir(), "libhostile-"+behaviour+".so")
	args := append([]string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-w", "-o", path}, sources...)
	if said, err := exec.Command("cc", append(args, "-lm", "-lpthread")...).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v\n%s", err, said)
	}
	return path
}

// marked returns the names of the living processes that have the mark in their environment.
func marked(t *testing.T, mark string) (names []string) {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err != nil || !bytes.Contains(environment, []byte(mark)) {
			continue
		}
		if stat, err := p.Stat(); err == nil && stat.State != "Z" {
			words, _ := p.CmdLine()
			names = append(names, fmt.Sprintf("%d (%s) %s", p.PID, stat.Comm, strings.Join(words, " ")))
		}
	}
	return names
}

// end kills the processes that have the mark, even if they start others faster than they can be listed.
func end(t *testing.T, mark string) {
	for begun := time.Now(); time.Since(begun) < time.Minute; {
		left := marked(t, mark)
		if len(left) == 0 {
			return
		}
		for _, name := range left {
			pid := 0
			if fmt.Sscan(name, &pid); pid > 1 {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}

// TestNothingSurvivesKill kills ipafuzz while targets of every kind run, which have started processes that
// nobody waits for. It checks that all of them end, and that the next run removes the directories of the
// killed one.
func TestNothingSurvivesKill(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: several seconds")
	}
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const leave = "#!/bin/sh\n(setsid sh -c 'while :; do :; done' &)\n(while :; do :; done) &\n"
	program := write("program", leave+"while :; do :; done\n")
	runner := write("runner", leave+"echo ipafuzz-runner 1; echo model ipasir; echo ready\nwhile :; do :; done\n")
	stubborn := write("stubborn", "#!/bin/sh\ntrap '' TERM HUP INT\nwhile :; do :; done\n")
	generator := write("generator", leave+"while :; do :; done\n")
	file := write("targets.toml", fmt.Sprintf("[targets.program]\ncommand = [%q, \"{file}\"]\nformat = \"cnf\"\n",
		program))
	for _, c := range []struct {
		name   string
		args   []string
		beside int // least number of processes beside ipafuzz
	}{
		{"library", []string{"--target", hostileLibrary(t, "leaves-17-children")}, 19},
		{"library that hides a daemon", []string{"--target", hostileLibrary(t, "leaves-daemon"), "--way", "fork"}, 3},
		{"library that runs away", []string{"--target", hostileLibrary(t, "leaves-runaway")}, 3},
		{"library that hangs while loading", []string{"--target", hostileLibrary(t, "spins-in-signature")}, 2},
		{"program", []string{"--target", "program", "--targets-file", file}, 4},
		{"runner", []string{"--target", "pipe:" + runner}, 4},
		{"runner that hangs before its greeting", []string{"--target", "pipe:" + stubborn}, 2},
		{"generator", []string{"--target", "ref", "--model", "ipasir", "--generator", generator + " {seed}"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			mark, temporary := "IPAFUZZ_MARK="+rand.Text(), t.TempDir()
			command := func(args ...string) *exec.Cmd {
				cmd := exec.Command(os.Args[0], args...)
				cmd.Env = append(os.Environ(), asProgram+"=1", mark, "TMPDIR="+temporary)
				cmd.Dir = dir
				return cmd
			}
			said := new(bytes.Buffer)
			cmd := command(append([]string{"fuzz", "--cpu", "60s", "--wall", "60s", "--time", "60s", "--out",
				filepath.Join(t.TempDir(), "out")}, c.args...)...)
			cmd.Stderr = said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			const patience = 20 * time.Second
			var there []string
			for begun := time.Now(); time.Since(begun) < patience && len(there) <= c.beside; time.Sleep(5 * time.Millisecond) {
				there = marked(t, mark)
			}
			cmd.Process.Kill()
			cmd.Wait()
			if len(there) <= c.beside {
				t.Errorf("%d processes were there, want more than %d: %v\n%s", len(there), c.beside, there, said)
			}
			left := marked(t, mark)
			for begun := time.Now(); time.Since(begun) < patience && len(left) > 0; time.Sleep(5 * time.Millisecond) {
				left = marked(t, mark)
			}
			if len(left) > 0 {
				t.Errorf("after the kill, these are left: %v", left)
				end(t, mark)
			}
			if out, err := command("fuzz", "--target", "ref", "--traces", "1", "--out",
				filepath.Join(t.TempDir(), "out")).CombinedOutput(); err != nil {
				t.Errorf("the next run: %v\n%s", err, out)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("the next run leaves %v, %v", left, err)
			}
		})
	}
}
