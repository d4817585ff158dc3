package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

type targetsDoctorCommand struct {
	Target string `arg:"" help:"A path, a name from the targets file, pipe:COMMAND, or ref." placeholder:"TARGET"`
	JSON   bool   `help:"Print a JSON object."`
	targetFlags
	limitFlags
}

// A diagnosis is what the doctor found of one thing that it looked at.
type diagnosis struct {
	State  string `json:"state"` // fine, wrong, note or skipped
	What   string `json:"what"`
	Detail string `json:"detail,omitempty"`
	Mend   string `json:"mend,omitempty"`
	Again  string `json:"again,omitempty"` // the command that shows it
}

const (
	fine    = "fine"
	wrong   = "wrong"
	note    = "note"
	skipped = "skipped"
)

type doctor struct {
	Target  string      `json:"target"`
	Fine    bool        `json:"fine"`
	Results []diagnosis `json:"results"`
	flags   string      // that choose the target, for commands to copy
	limits  replay.Limits
}

func (c *targetsDoctorCommand) Run(ctx context.Context) error {
	d := &doctor{Target: c.Target, flags: c.flags(c.Target), limits: c.limits()}
	target, _, err := c.resolve(c.Target)
	if named := new(replay.SpecError); errors.As(err, &named) {
		return err
	}
	if err := d.examine(ctx, target, err); err != nil {
		return err
	}
	d.Fine = d.count(wrong) == 0
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(d)
	} else {
		err = d.print(os.Stdout)
	}
	if err == nil && !d.Fine {
		err = exit.ErrFindings
	}
	return err
}

// flags are what a command needs to choose the same target.
func (f *targetFlags) flags(spec string) string {
	words := []string{"--target", spec}
	if f.Model != "" {
		words = append(words, "--model", f.Model)
	}
	if f.TargetsFile != "" {
		words = append(words, "--targets-file", f.TargetsFile)
	}
	return shell.Join(words...)
}

func (d *doctor) say(state, what, detail, mend string) {
	d.Results = append(d.Results, diagnosis{State: state, What: what, Detail: detail, Mend: mend})
}

func (d *doctor) count(state string) int {
	n := 0
	for _, r := range d.Results {
		if r.State == state {
			n++
		}
	}
	return n
}

// examine looks at one thing after the other, as long as what comes next makes
// sense. An error is not the target's.
func (d *doctor) examine(ctx context.Context, target *replay.Target, resolved error) error {
	hello, err := replay.Hello{}, resolved
	if err == nil {
		hello, err = replay.Greet(target, d.limits)
	}
	if unusable := new(replay.TargetError); errors.As(err, &unusable) {
		d.say(wrong, "it can be used", unusable.Reason, remedy(unusable.Reason))
		return nil
	}
	if err != nil {
		return err
	}
	d.say(fine, "it can be used", fmt.Sprintf("%s, %s, %s", hello.Signature, target.Model.Name, target.Kind), "")
	if err := d.protocol(target); err != nil || d.count(wrong) > 0 {
		return err
	}
	if err := d.options(ctx, target, hello.Description); err != nil {
		return err
	}
	if err := d.conformance(ctx, target); err != nil {
		return err
	}
	d.notes(target, hello.Description)
	return nil
}

func (d *doctor) protocol(target *replay.Target) error {
	if target.Kind != replay.Pipe {
		return nil
	}
	checks, err := replay.CheckPipe(target, d.limits)
	for _, c := range checks {
		switch {
		case c.Wrong != "":
			d.say(wrong, "the runner "+c.Name, c.Wrong, "docs/protocol.md says what a runner answers to which line.")
		case c.Absent != "":
			d.say(skipped, "the runner "+c.Name, c.Absent, "")
		default:
			d.say(fine, "the runner "+c.Name, "", "")
		}
	}
	return err
}

// options sets every option that a generator may choose to the ends of its range.
func (d *doctor) options(ctx context.Context, target *replay.Target, described *apimodel.Description) error {
	if len(described.Options) == 0 {
		return nil
	}
	runner, err := replay.Open(target, replay.Persistent, d.limits)
	if err != nil {
		return err
	}
	defer runner.Close()
	options, values, refused := 0, 0, 0
	for i := range described.Options {
		o := &described.Options[i]
		if o.Fixed {
			continue
		}
		t := &trace.Trace{Model: target.Model}
		for _, value := range trials(o, described) {
			t.Plain(0, apimodel.OpInit)
			t.SetOption(0, o.Name, value)
			t.Clause(0, true, 1, 2)
			t.Plain(0, apimodel.OpSolve)
			t.Plain(0, apimodel.OpRelease)
			values++
		}
		options++
		var run trace.Run
		if err := runner.Run(ctx, t, &run); err != nil {
			return err
		}
		if reason := optionFault(t, &run); reason != "" {
			refused++
			d.say(wrong, "it takes option "+o.Name, reason, "What ipafuzz_describe (or the runner's description) offers must be taken: correct its kind, its range, when it may be set, or add an exclude line.")
		}
	}
	if refused == 0 {
		d.say(fine, "it takes the options that it describes", fmt.Sprintf("%d options, %d values", options, values), "")
	}
	return nil
}

func trials(o *apimodel.Option, d *apimodel.Description) []string {
	candidates := []string{o.Default}
	if o.Kind == apimodel.Int || o.Kind == apimodel.Real {
		low, high := o.Ends()
		candidates = append(candidates, low, high)
	} else {
		candidates = o.Samples()
	}
	var values []string
	for _, value := range candidates {
		if _, excluded := d.Excluded(map[string]string{o.Name: value}); !excluded {
			values = append(values, value)
		}
	}
	return values
}

// optionFault says what became of an option that was not taken; "" when all were.
func optionFault(t *trace.Trace, run *trace.Run) string {
	value := ""
	for i := range t.Calls {
		if t.Calls[i].Op == apimodel.OpOption {
			_, value = t.Option(&t.Calls[i])
			if a := run.Answers.At(i); a.Kind == trace.Answered && a.Int() != 0 {
				return fmt.Sprintf("value %s: it answered %d, and 0 is for taken", value, a.Int())
			}
		}
		if run.End != trace.Finished && run.Call == i {
			return fmt.Sprintf("value %s: %s in a small problem%s", value, run.End, told(run.Death.Stderr))
		}
	}
	return ""
}

func told(stderr string) string {
	if stderr = strings.TrimSpace(stderr); stderr == "" {
		return ""
	}
	return "; it wrote: " + stderr
}

// conformance runs the smoke part of the suite.
func (d *doctor) conformance(ctx context.Context, target *replay.Target) error {
	runner, err := replay.Open(target, replay.Fork, d.limits)
	if err != nil {
		return err
	}
	defer runner.Close()
	suite := conform.Suite{Runner: runner}
	results, err := suite.Run(ctx, conform.Smoke(target.Model))
	for i := range results {
		r := &results[i]
		what := r.Case.Short() + ": " + r.Case.Title
		switch r.Outcome {
		case conform.Pass:
			d.say(fine, what, "", "")
		case conform.Fail:
			detail := r.Reason
			if r.Line != "" {
				detail = fmt.Sprintf("call %d, %s: observed %s; expected %s%s", r.Call, r.Line, r.Observed, r.Expected, told(r.Stderr))
			}
			advice := r.Advice()
			if target.Kind == replay.File && (r.Class == string(oracle.OtherExit) || r.Class == string(oracle.WrongStatus)) {
				advice = programAdvice
			}
			d.say(wrong, what, detail, advice)
			d.Results[len(d.Results)-1].Again = fmt.Sprintf("%s conform %s --case %s", programName(), d.flags, r.Case.Short())
		default:
			d.say(skipped, what, r.Reason, "")
		}
	}
	return err
}

// programAdvice is for programs whose answer was not understood: the first thing
// that goes wrong with a new entry.
const programAdvice = "The program ended, and what it printed is no answer in its dialect, or its exit code is another than that answer's: set the keys dialect and exit-codes of its entry. docs/targets.md has the dialects; some write into a file {out}."

// notes say what would let the target be tested deeper.
func (d *doctor) notes(target *replay.Target, described *apimodel.Description) {
	if target.Kind == replay.File {
		return // a program is given a file, and can have none of it
	}
	for _, name := range described.Lacks {
		if c := apimodel.CapabilityNamed(name); c != nil && target.Model.Uses(name) {
			d.say(note, "it lacks "+name, "not tested: "+c.Doc, "")
		}
	}
	if len(described.Options) == 0 && len(target.Settings) == 0 {
		d.say(note, "it describes no options", "options change how a solver works and are where faults are: docs/targets.md says how to offer them", "")
	}
}

func (d *doctor) print(out io.Writer) error {
	var b strings.Builder
	said := make(map[string]bool)
	for _, r := range d.Results {
		state := r.State
		if state == wrong {
			state = "WRONG"
		}
		if r.Mend != "" && said[r.Mend] {
			r.Mend = "as above"
		}
		said[r.Mend] = true
		fmt.Fprintf(&b, "%-7s  %s\n", state, r.What)
		for _, line := range []struct{ label, text string }{{"", r.Detail}, {"mend: ", r.Mend}, {"again: ", r.Again}} {
			if line.text != "" {
				fmt.Fprintf(&b, "           %s%s\n", line.label, strings.ReplaceAll(strings.TrimSpace(line.text), "\n", "\n           "))
			}
		}
	}
	if d.Fine {
		fmt.Fprintf(&b, "\nNothing is wrong with %s: %s fuzz %s\n", d.Target, programName(), d.flags)
	} else {
		fmt.Fprintf(&b, "\n%d of %d things are wrong with %s; mend them first, or every trace will find them again.\n", d.count(wrong), len(d.Results), d.Target)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
