package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// TestWaitForDescriptionEnds: the same for the description of a target.
func TestWaitForDescriptionEnds(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "targets.toml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	const entry = "[targets.lib]\npath = \"/dev/null\"\ndescribe = \"pipe\"\n"
	if err := os.WriteFile(file, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	terminate(t, func() {
		writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when it waits
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { writer.Close() })
	}, "fuzz", "--targets-file", file, "--target", "lib")
}

// TestWaitForRunnerEnds: the same for a runner that does not describe itself.
func TestWaitForRunnerEnds(t *testing.T) {
	dir := t.TempDir()
	pipe, script := filepath.Join(dir, "pipe"), filepath.Join(dir, "silent.sh")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, []byte("echo >"+pipe+"; exec sleep 1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	terminateWhenOpened(t, pipe, "fuzz", "--no-containment", "--target", "pipe:sh "+script)
}

// TestWaitForLibraryEnds: the same for a library that does not load.
func TestWaitForLibraryEnds(t *testing.T) {
	dir := t.TempDir()
	pipe, source := filepath.Join(dir, "pipe"), filepath.Join(dir, "stuck.c")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	const stuck = `#include <fcntl.h>
#include <unistd.h>
__attribute__ ((constructor)) static void load (void) { close (open (PIPE, O_WRONLY)); pause (); }
void ipasir_init (void) {}
`
	if err := os.WriteFile(source, []byte(stuck), 0o600); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "libstuck.so")
	text, err := exec.Command("cc", "-shared", "-fPIC", "-DPIPE=\""+pipe+"\"", "-o", library, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	const model, free = "--model=ipasir", "--no-containment"
	terminateWhenOpened(t, pipe, "fuzz", model, free, "--target", library, "--out", filepath.Join(dir, "out"))
	terminateWhenOpened(t, pipe, "targets", "inspect", library, model, free)
}

// terminateWhenOpened is terminate for a command whose target opens the pipe.
func terminateWhenOpened(t *testing.T, pipe string, args ...string) {
	t.Helper()
	terminate(t, func() {
		if _, err := os.ReadFile(pipe); err != nil {
			t.Fatal(err)
		}
	}, args...)
}

// terminate sends SIGTERM to a command after waits has returned, and checks that the command says so.
func terminate(t *testing.T, waits func(), args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waits()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Failure || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("%v: %v, want exit code %d and 'interrupted':\n%s", args, cmd.ProcessState, exit.Failure, &said)
	}
}

// TestWaitsEnd: a signal ends a command that waits for a pipe which nobody writes.
func TestWaitsEnd(t *testing.T) {
	const one = "ipafuzz 1 ipasir\nadd 1 0\nsolve\n"
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "one.trace")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args   []string
		signal syscall.Signal
	}{
		{[]string{"replay", file, pipe, "--target", "ref"}, syscall.SIGTERM},
		{[]string{"replay", file, "-", "--target", "ref"}, syscall.SIGINT},
	} {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, os.Args[0], row.args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		in, input, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		out, output, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, output, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		input.WriteString("ipafuzz 1 ipasir\n") // a trace without an end
		bufio.NewReader(out).ReadByte()         // it has read the first trace, and so it handles signals
		cmd.Process.Signal(row.signal)
		cmd.Wait()
		stop()
		if code := cmd.ProcessState.ExitCode(); code != exit.Failure || !strings.Contains(said.String(), "interrupted") {
			t.Errorf("%q: %v, want exit code %d and 'interrupted':\n%s", row.args, cmd.ProcessState, exit.Failure, &said)
		}
		for _, end := range []*os.File{in, input, out, output} {
			end.Close()
		}
	}
}
