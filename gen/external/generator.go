// Package external makes traces from the output of other programs, such as generators of
// CNF or WCNF. It reads their output strictly: a mistake in it is a fault of the generator,
// never of the target.
package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// Placeholders of a command.
const (
	seedPlace = "{seed}"   // 31 bits, because most programs read an int
	widePlace = "{seed64}" // all bits
)

// Limits of one run of a generator.
type Limits struct {
	Time   time.Duration
	Output uint64 // bytes
}

// DefaultLimits are for generators of small instances.
var DefaultLimits = Limits{Time: 10 * time.Second, Output: 16 << 20}

// A Config says which program makes the traces, and what they must respect.
type Config struct {
	Command string // for the shell, with {seed}
	Limits  Limits
	Traces  gen.Config // model, description, bounds and features that must not happen
	// Start starts the program in a process group of its own; the generator calls forget
	// when the program has ended. Callers that kill unknown processes set Start.
	Start func(*exec.Cmd) (forget func(), err error)
}

// A Generator runs the program once for each trace. It is not safe for concurrent use.
type Generator struct {
	config Config
	fitter *mutate.Mutator
	format format.Format // of the last trace
	fitted bool          // the last trace lacks something that was printed
	probed bool
}

// New checks the configuration. It does not run the program.
func New(config Config) (*Generator, error) {
	if err := CheckCommand(config.Command); err != nil {
		return nil, err
	}
	fitter, err := mutate.New(config.Traces)
	if err != nil {
		return nil, err
	}
	if config.Start == nil {
		config.Start = startAlone
	}
	return &Generator{config: config, fitter: fitter}, nil
}

// CheckCommand refuses a command without a seed, which would always print the same.
func CheckCommand(command string) error {
	if !strings.Contains(command, seedPlace) && !strings.Contains(command, widePlace) {
		return fmt.Errorf("the generator %q has neither %s nor %s, so that every trace would be the same",
			command, seedPlace, widePlace)
	}
	return nil
}

// CommandFor returns the command for a seed.
func CommandFor(command string, seed uint64) string {
	return strings.NewReplacer(
		seedPlace, strconv.FormatUint(seed>>33, 10),
		widePlace, strconv.FormatUint(seed, 10),
	).Replace(command)
}

// A Fault is a run of the generator that made no trace, for which the generator is to
// blame.
type Fault struct {
	Command string // as it was run
	Reason  Reason
	Detail  string
}

// A Reason is a class of faults.
type Reason string

// The reasons.
const (
	Failed       Reason = "exit code"      // it ended with an exit code other than 0, or by a signal
	TooSlow      Reason = "time"           // it did not end in time
	TooMuch      Reason = "output"         // it printed more than the limit
	NotLegal     Reason = "grammar"        // its output is not in a format that we read
	Unrepeatable Reason = "not repeatable" // it printed something else for the same seed
)

// Error returns the message.
func (f *Fault) Error() string { return fmt.Sprintf("the generator '%s' %s", f.Command, f.Detail) }

// Make resets t and fills it with the trace of a seed. It returns a *Fault if the generator
// made none; any other error comes from ipafuzz or the system. It runs the first seed
// twice: if a program prints something else the second time, its findings cannot be
// reproduced.
func (g *Generator) Make(ctx context.Context, seed uint64, t *trace.Trace) error {
	t.Reset(g.config.Traces.Model)
	command := CommandFor(g.config.Command, seed)
	text, err := g.run(ctx, command)
	if err != nil {
		return err
	}
	if !g.probed {
		again, err := g.run(ctx, command)
		if err != nil {
			return err
		}
		if !bytes.Equal(text, again) {
			return &Fault{command, Unrepeatable, "prints something else when it is run again with the same seed"}
		}
		g.probed = true
	}
	const name = "the generator's output"
	if g.format, err = format.Detect(name, text); errors.Is(err, format.ErrHeaderless) {
		g.format = format.WCNF // it has no other name, and may well have no hard clauses
	}
	made, err := format.Read(bytes.NewReader(text), name, g.format, trace.DefaultLimits)
	if err != nil {
		return &Fault{command, NotLegal, "printed an illegal file: " + strings.TrimPrefix(err.Error(), name+":")}
	}
	g.fitted = !g.fitter.Fit(made, t)
	return nil
}

// run returns what the command prints.
func (g *Generator) run(ctx context.Context, command string) ([]byte, error) {
	p := process{limits: g.config.Limits, start: g.config.Start}
	text, err := p.run(ctx, command)
	var fault *Fault
	if errors.As(err, &fault) {
		fault.Command = command
	}
	return text, err
}

// Profile returns "external": these traces have no profile.
func (g *Generator) Profile() string { return "external" }

// Fitted reports whether the last trace lacks something that the generator printed, because
// the target does not accept it.
func (g *Generator) Fitted() bool { return g.fitted }

// Notes returns the header of the last trace.
func (g *Generator) Notes(seed uint64) []string {
	o := notes.Origin{Generator: "external", Seed: seed, Options: []string{fmt.Sprint("format=", g.format)},
		Command: CommandFor(g.config.Command, seed)}
	if g.fitted {
		o.Fitted = "that the generator printed"
	}
	return o.Notes()
}
