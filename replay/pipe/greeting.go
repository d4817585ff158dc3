package pipe

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/process"
	"github.com/ipafuzz/ipafuzz/trace"
)

const (
	version = 1 // of the protocol
	magic   = "ipafuzz-runner"
	// readyLine ends the greeting.
	readyLine = "ready"
	// maxGreeting is the maximum size of a greeting in bytes.
	maxGreeting = apimodel.MaxDescription + 4096
)

// greetingTime is how long a runner may take for its greeting.
var greetingTime = process.LoadTime

// A greeting is what a runner says about itself before anything else.
type greeting struct {
	signature   string
	description string
	repeatable  bool // the runner answers every trace as a new process would
}

// parse reads the text before readyLine.
func (g *greeting) parse(text []byte) (*apimodel.Description, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	want := fmt.Sprintf("%s %d", magic, version)
	switch got := string(bytes.TrimRight(first, "\r \t")); {
	case got == want:
	case strings.HasPrefix(got, magic+" "):
		return nil, fmt.Errorf("it speaks version %q, this ipafuzz speaks version %d",
			strings.TrimPrefix(got, magic+" "), version)
	default:
		return nil, fmt.Errorf("want %q as its first line, got %s", want, replay.Excerpt(first))
	}
	var described strings.Builder
	for line := range strings.Lines(string(rest)) {
		line = strings.TrimRight(line, "\r\n")
		if word, text, _ := strings.Cut(line, " "); word == "signature" {
			g.signature, line = strings.TrimSpace(text), "" // the empty line keeps the line numbers
		} else if strings.TrimSpace(line) == "repeatable" {
			g.repeatable, line = true, ""
		}
		described.WriteString(line + "\n")
	}
	g.description = described.String()
	d, err := apimodel.ParseDescription(g.description)
	if err != nil {
		return nil, fmt.Errorf("its description cannot be read (its line 1 follows %q): %w", want, err)
	}
	if len(d.Models) == 0 {
		return nil, fmt.Errorf("it names no model: want a line \"model ipasir\" or \"model ipamir\" before %q", readyLine)
	}
	return d, nil
}

func (r *runner) greet() error {
	late := time.AfterFunc(greetingTime, func() {
		r.end.CompareAndSwap(int32(trace.Finished), int32(trace.OutOfTime))
		r.Kill()
	})
	defer late.Stop()
	who := r.target.Name
	if !strings.HasPrefix(who, Prefix) { // the command is not the name
		who += " (" + strings.Join(r.target.Command, " ") + ")"
	}
	defer process.Starting(fmt.Sprintf("%s to say %q", who, readyLine), greetingTime)()
	var text []byte
	for {
		line, err := r.line()
		switch {
		case err == errRunnerEnded:
			if what := r.Violation(); what != "" {
				return replay.Unusable(r.target.Name, "before it said %q, it called %s, which is forbidden to targets "+
					"(--no-containment allows it)", readyLine, what)
			}
			end := trace.End(r.end.Load())
			if end == trace.OutOfTime {
				return replay.Unusable(r.target.Name, "it did not say %q within %v%s", readyLine, greetingTime, r.LastWords())
			}
			if end != trace.Finished {
				return replay.Unusable(r.target.Name, "it exceeded the %v before it said %q%s", end, readyLine, r.LastWords())
			}
			return replay.Unusable(r.target.Name, "it ended (%v) before it said %q%s", r.State, readyLine, r.LastWords())
		case err != nil:
			return err
		}
		if string(bytes.TrimRight(line, " \t")) == readyLine && len(text) > 0 {
			break
		}
		first := len(text) == 0
		text = append(append(text, line...), '\n')
		if first { // a program that is not a runner may go on forever
			var probe greeting
			if _, err := probe.parse(append(text, "model ipasir\n"...)); err != nil {
				return violation(r.target, "%v", err)
			}
		}
		if len(text) > maxGreeting {
			return violation(r.target, "it says more than %d bytes about itself before %q", maxGreeting, readyLine)
		}
	}
	var err error
	if r.description, err = r.greeting.parse(text); err != nil {
		return violation(r.target, "%v", err)
	}
	return nil
}

func violation(t *replay.Target, format string, args ...any) error {
	return &replay.ProtocolError{Target: t.Name, Reason: fmt.Sprintf(format, args...)}
}
