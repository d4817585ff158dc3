// Package external makes traces from the output of other programs, such as generators of CNF or
// WCNF. It reads their output strictly, because a mistake in it is a fault of the generator and must
// not look like one of the target.
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

// A Config says which program makes the traces, and which traces it may make.
type Config struct {
	Command string // for the shell, with {seed}
	Limits  Limits
	Traces  gen.Config // model, description, bounds and features that must not happen
	// Start starts the program in a process group of its own. The generator calls forget when the
	// program has ended. Callers that kill processes which they do not know set Start.
	Start func(*exec.Cmd) (forget func(), err error)
}

// A Generator runs the program once for each trace. It is not safe for concurrent use.
type Generator struct {
	config Config
	fitter *mutate.Mutator
	format format.Format // of the last trace
	fitted bool          // the last trace lacks something that the program printed
	probed bool          // the program printed the same twice for one seed
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

// CheckCommand returns an error for a command without a place for the seed, which would always print
// the same.
func CheckCommand(command string) error {
	if !strings.Contains(command, seedPlace) && !strings.Contains(command, widePlace) {
		return fmt.Errorf("the generator %q has neither %s nor %s, so that every trace would be the same",
			command, seedPlace, widePlace)
	}
	return nil
}

func commandFor(command string, seed uint64) string {
	return strings.NewReplacer(
		seedPlace, strconv.FormatUint(seed>>33, 10),
		widePlace, strconv.FormatUint(seed, 10),
	).Replace(command)
}

// A Fault reports a run of the program that made no trace, which is the program's own fault.
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
	NotLegal     Reason = "grammar"        // its output is in no format that package format reads
	Unrepeatable Reason = "not repeatable" // it printed something else for the same seed
)

// Error returns the message.
func (f *Fault) Error() string { return fmt.Sprintf("the generator '%s' %s", f.Command, f.Detail) }

// Make resets t and fills it with the trace of a seed. It returns a *Fault if the program is to blame
// that there is none. Any other error comes from ipafuzz or the system. Make runs the program twice for
// the first seed: if it printed something else the second time, nobody could reproduce its findings.
func (g *Generator) Make(ctx context.Context, seed uint64, t *trace.Trace) error {
	t.Reset(g.config.Traces.Model)
	command := commandFor(g.config.Command, seed)
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
		g.format = format.WCNF // the output has no file name that would tell, and may lack hard clauses
	}
	read := format.Read
	if g.config.Traces.Model.File {
		read = format.ReadFile
	}
	made, err := read(bytes.NewReader(text), name, g.format, trace.DefaultLimits)
	if err != nil {
		return &Fault{command, NotLegal, "printed an illegal file: " + strings.TrimPrefix(err.Error(), name+":")}
	}
	g.fitted = !g.fitter.Fit(made, t)
	if !g.fitted {
		t.TakeGiven(made) // programs get it as the generator printed it
	}
	return nil
}

func (g *Generator) run(ctx context.Context, command string) ([]byte, error) {
	p := process{limits: g.config.Limits, start: g.config.Start}
	text, err := p.run(ctx, command)
	var fault *Fault
	if errors.As(err, &fault) {
		fault.Command = command
	}
	return text, err
}

// Profile returns "external", because these traces have no profile.
func (g *Generator) Profile() string { return "external" }

// Fitted reports whether the last trace lacks something that the generator printed, because
// the target does not accept it.
func (g *Generator) Fitted() bool { return g.fitted }

// Notes returns the header of the last trace.
func (g *Generator) Notes(seed uint64) []string {
	o := notes.Origin{Generator: "external", Seed: seed, Options: []string{fmt.Sprint("format=", g.format)},
		Command: commandFor(g.config.Command, seed)}
	if g.fitted {
		o.Fitted = "that the generator printed"
	}
	return o.Notes()
}
