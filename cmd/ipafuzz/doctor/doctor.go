package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
)

// A Diagnosis is the result of one test.
type Diagnosis struct {
	State  State  `json:"state"`
	What   string `json:"what"`
	Detail string `json:"detail,omitempty"`
	Fix    string `json:"mend,omitempty"`
	Again  string `json:"again,omitempty"` // the command that shows the fault again
}

// A State says how a test ended.
type State string

// The states.
const (
	Fine    State = "fine"
	Wrong   State = "wrong"
	Note    State = "note"
	Skipped State = "skipped"
	// Unchecked is the state of a test that found nothing wrong, and could not check all that it asked.
	Unchecked State = "unchecked"
)

// A Checkup tests a target.
type Checkup struct {
	Target  string      `json:"target"`
	Fine    bool        `json:"fine"` // nothing is wrong, and nothing stayed unchecked
	Results []Diagnosis `json:"results"`

	Limits  replay.Limits `json:"-"`
	Program string        `json:"-"` // ipafuzz, in commands to copy
	Flags   string        `json:"-"` // choose the target, in commands to copy
	Each    func()        `json:"-"` // called after each result, unless it is nil; tests may take long

	unexcused map[string]bool // classes with which cases failed that no policy excuses
}

// Examine tests the target for as long as the next test makes sense. resolved is the error of resolving the
// target. If Examine returns an error, that is not a fault of the target.
func (c *Checkup) Examine(ctx context.Context, target *replay.Target, resolved error) error {
	err := c.examine(ctx, target, resolved)
	c.Fine = c.count(Wrong)+c.count(Unchecked) == 0
	return err
}

func (c *Checkup) examine(ctx context.Context, target *replay.Target, resolved error) error {
	const loads = "it can be used"
	hello, err := replay.Hello{}, resolved
	if err == nil {
		hello, err = replay.Greet(target, c.Limits)
	}
	if unusable := new(replay.TargetError); errors.As(err, &unusable) {
		reason, fix := withRemedy(unusable.Reason)
		c.wrong(loads, reason, fix)
		return nil
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s, %s, %s", hello.Signature, target.Model.Name, target.Kind)
	c.add(Fine, loads, strings.TrimPrefix(what, ", ")) // a runner need not have a name
	if hello.Signature == "" && (target.Kind == replay.Library || target.Kind == replay.Static) {
		c.wrong("it has a name", target.Model.Prefix()+"_signature returns NULL or an empty text",
			"Return the name and the version of the library.")
	}
	if err := c.protocol(target); err != nil || c.count(Wrong) > 0 {
		return err
	}
	if err := c.options(ctx, target, hello.Description); err != nil {
		return err
	}
	if err := c.conformance(ctx, target); err != nil {
		return err
	}
	c.notes(target, hello.Description)
	return nil
}

func (c *Checkup) record(d Diagnosis) {
	c.Results = append(c.Results, d)
	if c.Each != nil {
		c.Each()
	}
}

func (c *Checkup) add(state State, what, detail string) {
	c.record(Diagnosis{State: state, What: what, Detail: detail})
}

func (c *Checkup) wrong(what, detail, fix string) {
	c.record(Diagnosis{State: Wrong, What: what, Detail: detail, Fix: fix})
}

// IsWrong reports whether a test found something wrong.
func (c *Checkup) IsWrong() bool { return c.count(Wrong) > 0 }

func (c *Checkup) count(state State) int {
	n := 0
	for _, r := range c.Results {
		if r.State == state {
			n++
		}
	}
	return n
}

// protocol tests the runner of a pipe target.
func (c *Checkup) protocol(target *replay.Target) error {
	if target.Kind != replay.Pipe {
		return nil
	}
	checks, err := pipe.CheckRunner(target, c.Limits)
	for _, check := range checks {
		what := "the runner " + check.Name
		switch {
		case check.Wrong != "":
			c.wrong(what, check.Wrong, runnerRemedy(check.Wrong))
		case check.Absent != "":
			c.add(Skipped, what, check.Absent)
		default:
			c.add(Fine, what, "")
		}
	}
	return err
}

// conformance runs the smoke tests of the conformance suite.
func (c *Checkup) conformance(ctx context.Context, target *replay.Target) error {
	open := func() (replay.Runner, error) { return replay.Open(target, replay.Fork, c.Limits) }
	printed := printing{}
	err := runCases(ctx, open, conform.Smoke(target.Model), func(r *conform.Result) {
		printed.see(r)
		what := r.Case.Short() + ": " + r.Case.Title
		switch r.Outcome {
		case conform.Pass:
			c.add(Fine, what, "")
		case conform.Fail:
			c.failed(what, r, target)
		case conform.Unchecked:
			c.add(Unchecked, what, r.Reason)
		default:
			c.add(Skipped, what, r.Reason)
		}
	})
	if err == nil && target.Kind == replay.File {
		printed.notes(c, target)
	}
	return err
}

func (c *Checkup) failed(what string, r *conform.Result, target *replay.Target) {
	detail, fix, excuse := r.Reason, r.Advice(), r.Excuse()
	if c.unexcused == nil {
		c.unexcused = make(map[string]bool)
	}
	if excuse == "" {
		c.unexcused[r.Class] = true
	} else if c.unexcused[r.Class] {
		excuse = "" // it fails like this without what the policy is about, too
	}
	if r.Line != "" {
		detail = fmt.Sprintf("call %d, %s: observed %s; expected %s%s",
			r.Call, r.Line, r.Observed, r.Expected, wrote(r.Stderr))
	}
	switch {
	case target.Kind == replay.File:
		fix = programAdvice(r, excuse, fix)
	case r.Breach:
		fix = protocolRemedy // whatever the case tests
	case excuse != "":
		fix += " " + excuse
	}
	c.record(Diagnosis{State: Wrong, What: what, Detail: detail, Fix: fix,
		Again: fmt.Sprintf("%s conform %s --case %s", c.Program, c.Flags, r.Case.Short())})
}

func wrote(stderr string) string {
	if stderr = strings.TrimSpace(stderr); stderr == "" {
		return ""
	}
	const shown = 4 // a stack has dozens of lines, and every case of a library may end with it
	lines := strings.Split(stderr, "\n")
	if more := len(lines) - shown; more > 1 {
		lines = append(lines[:shown], fmt.Sprintf("... and %d more lines", more))
	}
	return "; it wrote: " + printable.Text(strings.Join(lines, "\n"))
}

// notes adds what the target lacks for deeper tests.
func (c *Checkup) notes(target *replay.Target, described *apimodel.Description) {
	if target.Kind == replay.File {
		return // a program that reads a file cannot have any of this
	}
	optionless := len(described.Options) == 0 && len(target.Settings) == 0
	for _, name := range described.Lacks {
		if name == "options" && optionless {
			continue // the last note says what to do
		}
		if capability := apimodel.CapabilityNamed(name); capability != nil && target.Model.Uses(name) {
			kind := "part of the interface: "
			if !capability.Standard {
				kind = "optional: "
			}
			c.add(Note, "it lacks "+name, kind+capability.Doc)
		}
	}
	if !optionless {
		return
	}
	const need = "options change how a solver works, and many faults need them: "
	if target.Model == apimodel.IPASIR2 {
		c.add(Note, "ipasir2_options lists no options of its own", need+"list them as tunable, with "+
			"their bounds; of ipasir.* ipafuzz sets none that changes answers")
		return
	}
	if setters := target.Setters(); len(setters) > 0 {
		c.add(Note, "it exports "+strings.Join(setters, ", ")+", which is not used", need+"name it in the targets file "+
			"(set-option), with a table of its options (describe); docs/targets.md says how")
		return
	}
	c.add(Note, "it describes no options", need+"docs/targets.md says how to offer them")
}
