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
	cmd := exec.CommandContext(t.Context(), os.Args[0], "fuzz", "--targets-file", file, "--target", "lib")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when it waits
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Failure || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("%v, want exit code %d and 'interrupted':\n%s", cmd.ProcessState, exit.Failure, &said)
	}
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
	cmd := exec.CommandContext(t.Context(), os.Args[0], "fuzz", "--no-containment", "--target", "pipe:sh "+script)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(pipe); err != nil { // when the runner has started
		t.Fatal(err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Failure || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("%v, want exit code %d and 'interrupted':\n%s", cmd.ProcessState, exit.Failure, &said)
	}
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
	for _, args := range [][]string{{"fuzz"}, {"targets", "inspect", library}} {
		if args[0] == "fuzz" {
			args = append(args, "--target", library, "--out", filepath.Join(dir, "out"))
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "--model", "ipasir", "--no-containment")...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.ReadFile(pipe); err != nil { // when the library is being loaded
			t.Fatal(err)
		}
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exit.Failure || !strings.Contains(said.String(), "interrupted") {
			t.Errorf("%s: %v, want exit code %d and 'interrupted':\n%s", args[0], cmd.ProcessState, exit.Failure, &said)
		}
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
