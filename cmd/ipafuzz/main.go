// Command ipafuzz fuzzes solver libraries through their interfaces.
package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/replay/process"
)

var cli struct {
	Fuzz     fuzzCommand     `cmd:"" help:"Make up traces, run them on a target, judge every answer, and keep what is wrong."`
	Replay   replayCommand   `cmd:"" help:"Run traces on a target and say what is wrong with the answers."`
	Run      runCommand      `cmd:"" help:"Run instances and traces on several targets, compare them, and make the table of times."`
	Minimize minimizeCommand `cmd:"" help:"Make a failing trace as small as it gets and keep the failure."`
	Export   exportCommand   `cmd:"" help:"Write a trace as a program of its own that shows the fault, or in a file format."`
	Convert  convertCommand  `cmd:"" help:"Convert between traces and the file formats of solvers: CNF, WCNF, iCNF, OPB, MPS and others."`
	Conform  conformCommand  `cmd:"" help:"Run the conformance suite: a trace for every sentence of the header files."`
	Targets  targetsCommand  `cmd:"" help:"List targets, inspect one, or test one and say how to fix what is wrong."`
	Gen      genCommand      `cmd:"" help:"Print traces as fuzz makes them up."`
	Archive  archiveCommand  `cmd:"" help:"Keep many traces in one file that is small, and from which each is read at once."`
	Suite    suiteCommand    `cmd:"" help:"Make regression suites."`
	Check    checkCommand    `cmd:"" help:"Judge a solver with a regression suite."`
	Merge    mergeCommand    `cmd:"" help:"Join the directories of the shards of one campaign."`
	Report   reportCommand   `cmd:"" help:"Make the report of runs: one HTML file, or its tables."`
	Model    modelCommand    `cmd:"" help:"Print an API model: its calls, states and transitions."`
	Defects  defectsCommand  `cmd:"" help:"List the defects that can be planted in the built-in library."`
	Serve    serveCommand    `cmd:"" help:"Serve a library as a pipe target (docs/protocol.md): the reference runner."`
	Version  versionCommand  `cmd:"" help:"Print the version."`

	Verbose bool        `short:"v" help:"Log more, to stderr."`
	Says    versionFlag `name:"version" hidden:"" help:"The same as the command."`
}

const description = `A model-based API fuzzer for solver libraries (IPASIR, IPAMIR).

Exit codes: 0 nothing wrong was found, 1 findings, 2 wrong use, 3 ipafuzz or its environment failed.`

func main() {
	// The Go runtime ends a program that crashes with exit code 2, which is wrong
	// use here; with this setting it ends it with SIGABRT.
	debug.SetTraceback("crash")
	os.Exit(run(os.Args[1:]))
}

// newParser returns a parser of command lines, which fills in cli.
func newParser() (*kong.Kong, error) {
	return kong.New(&cli, kong.Name("ipafuzz"), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Help(printHelp), kong.Vars{"demo": demoTarget, "thorough": strconv.Itoa(trial.Thorough),
			"profile": gen.DefaultProfile, "familyProfile": gen.FamilyProfile},
		kong.KindMapper(reflect.String, kong.MapperFunc(wordMapper)), kong.NamedMapper("path", kong.MapperFunc(pathMapper)))
}

func run(args []string) int {
	parser, err := newParser()
	if err != nil {
		panic(err) // the tags of this package are wrong
	}
	command, err := parser.Parse(args)
	if failed := new(helpError); errors.As(err, failed) {
		return exit.Code(os.Stderr, failed)
	}
	if err != nil {
		printUsageError(os.Stderr, parser.Model, err)
		return exit.Usage
	}
	level := slog.LevelWarn
	if cli.Verbose {
		level = slog.LevelDebug
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})))
	if err := process.AdoptStrays(); err != nil {
		slog.Warn("processes that a target leaves behind may survive", "error", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	command.BindTo(ctx, (*context.Context)(nil))
	return exit.Code(os.Stderr, command.Run())
}

// endings are the signals that end a command cleanly. A closed terminal is one,
// unless the caller wants the command to outlive it (nohup).
func endings() []os.Signal {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	return ends
}

// programName is how the person who runs this calls it, for commands to copy.
func programName() string {
	if strings.Contains(os.Args[0], "/go-build") {
		return "go run ./cmd/ipafuzz"
	}
	return os.Args[0]
}
