// Command ipafuzz fuzzes solver libraries through their interfaces. Each command has a type with a method
// Run. Other packages do the work; this one reads command lines and prints results.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cexternal/sender"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/convert"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagrules"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/help"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/proofs"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

var cli struct {
	Fuzz     fuzzCommand     `cmd:""`
	Replay   replayCommand   `cmd:""`
	Run      runCommand      `cmd:""`
	Minimize minimizeCommand `cmd:""`
	Export   exportCommand   `cmd:""`
	Convert  convert.Command `cmd:""`
	Proof    proofs.Command  `cmd:"" name:"check-proof"`
	Conform  conformCommand  `cmd:""`
	Targets  targetsCommand  `cmd:""`
	Gen      genCommand      `cmd:""`
	Archive  archiveCommand  `cmd:""`
	Suite    suiteCommand    `cmd:""`
	Check    checkCommand    `cmd:""`
	Merge    mergeCommand    `cmd:""`
	Report   reportCommand   `cmd:""`
	Model    modelCommand    `cmd:""`
	Defects  defectsCommand  `cmd:""`
	Serve    serveCommand    `cmd:""`
	Version  versionCommand  `cmd:""`

	Says versionFlag `name:"version" hidden:""`
}

func main() {
	// By default, a crash of the Go runtime has exit code 2, which means wrong use here. With this setting
	// it raises SIGABRT.
	debug.SetTraceback("crash")
	os.Exit(run(os.Args[1:]))
}

// newParser returns a parser that stores command lines in cli.
func newParser() (*kong.Kong, error) {
	vars := kong.Vars{"demo": demoTarget, "thorough": strconv.Itoa(trial.Thorough),
		"profile": gen.DefaultProfile, "familyProfile": gen.FamilyProfile}
	parser, err := kong.New(&cli, kong.Name("ipafuzz"), kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Help(help.Print), vars, kong.KindMapper(reflect.String, kong.MapperFunc(flagvalue.WordMapper)),
		kong.NamedMapper("path", kong.MapperFunc(flagvalue.PathMapper)), kong.WithAfterApply(flagrules.Check))
	if err != nil {
		return nil, err
	}
	return parser, help.Parse(vars).Set(parser.Model.Node, "")
}

func run(args []string) int {
	parser, err := newParser()
	if err != nil {
		panic(err) // the tags or the help in this package are wrong
	}
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	command, err := parser.Parse(args)
	if failed := new(help.Error); errors.As(err, failed) {
		return exit.Code(os.Stderr, failed)
	}
	if err != nil {
		help.PrintUsageError(os.Stderr, parser.Model, err)
		if slices.Contains(args, "--bisect") {
			return bisectAbort // 'git bisect run' would take the other code for a bad build
		}
		return exit.Usage
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err := process.AdoptStrays(); err != nil {
		slog.Warn("processes that a target leaves behind may survive", "error", err)
	}
	process.SweepTempDirs()
	process.AnnounceSlowStarts(5*time.Second, func(text string) { fmt.Fprintln(os.Stderr, printable.Text(text)) })
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	for _, ends := range endings() {
		if err := sender.Watch(ends.(syscall.Signal)); err != nil {
			slog.Warn("cannot tell whether a target ends this command", "error", err)
		}
	}
	context.AfterFunc(ctx, func() {
		if sender.First().Origin != sender.Below { // a target cannot end the process at once
			stop() // but a second Ctrl-C can
		}
	})
	command.BindTo(ctx, (*context.Context)(nil))
	userfile.WaitUntil(ctx)
	err = command.Run()
	if userfile.IsOver(err) {
		err = ctx.Err()
	}
	return exit.Code(os.Stderr, err)
}

// endings returns the signals that end a command cleanly. The signal of a closed terminal is one of them,
// unless the caller wants the command to survive it (nohup).
func endings() []os.Signal {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
}

// endedByTarget says which process ended this command by a signal, if that is a target or may have been:
// the process no longer exists, and targets could signal every process. Otherwise, it returns "".
func endedByTarget(contained bool) string {
	first := sender.First()
	switch {
	case first.Origin == sender.Below:
		return fmt.Sprintf("process %d, which a target started, sent the %v signal", first.PID, first.Signal)
	case first.Origin == sender.Gone && !contained:
		return fmt.Sprintf("process %d, which has ended and may have been a target, sent the %v signal", first.PID,
			first.Signal)
	}
	return ""
}

// programName returns the name by which the user called this program, for commands to copy.
func programName() string {
	if strings.Contains(os.Args[0], "/go-build") {
		return "go run ./cmd/ipafuzz"
	}
	return os.Args[0]
}
