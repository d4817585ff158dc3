package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/cexternal/direct"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay/native"
	"github.com/ipafuzz/ipafuzz/replay/pipe/serve"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

type serveCommand struct {
	Target string `required:"" placeholder:"TARGET"`
	targetFlags
}

// Run runs the command.
func (s *serveCommand) Run() error {
	file, err := targets.ReadFile(s.TargetsFile)
	if err != nil {
		return exit.Misuse(err)
	}
	if file.IsCommand(s.Target) { // to resolve it would start it, and wait for its greeting
		return exit.Misusef("serve --target %s: want a library, not a command", s.Target)
	}
	target, _, err := s.resolve(s.Target)
	if err != nil {
		return err
	}
	table, err := native.Load(target)
	if err != nil {
		return err
	}
	runner := &serve.Runner{Library: direct.New(table), Model: target.Model.Name}
	for _, set := range target.Settings {
		runner.Settings = append(runner.Settings, [2]string{set.Name, set.Value})
	}
	out, err := answersOnly()
	if err != nil {
		return err
	}
	return runner.Serve(userfile.Stdin, out)
}

// answersOnly returns the original stdout as a file, and redirects stdout to stderr: libraries print
// whatever they like there.
func answersOnly() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.Dup3(2, 1, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot keep stdout for the answers: %w", err)
	}
	return os.NewFile(uintptr(fd), "answers"), nil
}
