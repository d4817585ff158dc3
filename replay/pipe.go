package replay

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// A pipe target is a program of any language that speaks docs/protocol.md: it
// is given traces line by line on its stdin and answers on its stdout.

const (
	pipePrefix = "pipe:"
	// PipeVersion is the version of the protocol.
	PipeVersion = 1
	pipeMagic   = "ipafuzz-runner"
	// pipeReady ends what a runner says of itself.
	pipeReady = "ready"
)

// A ProtocolError is a runner that does not keep to the protocol. Nothing that it
// answered can be trusted then, so it is never a finding.
type ProtocolError struct {
	Target string
	Reason string
	Trace  *trace.Trace // that was being run; nil when there was none
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("target %s: its runner does not keep to the protocol: %s (docs/protocol.md; 'ipafuzz conform --pipe COMMAND' checks a runner)", e.Target, e.Reason)
}

// Violation is what the runner did.
func (e *ProtocolError) Violation() string { return e.Reason }

// Unwrap makes it a target that cannot be used.
func (e *ProtocolError) Unwrap() error { return &TargetError{e.Target, e.Reason} }

func violation(t *Target, format string, args ...any) error {
	return &ProtocolError{Target: t.Name, Reason: fmt.Sprintf(format, args...)}
}

// pipeHello is what a runner says of itself before anything else.
type pipeHello struct {
	signature   string
	description string
	repeatable  bool // every trace is answered as a new process would answer it
}

// parse reads the text up to "ready", without that line.
func (h *pipeHello) parse(text []byte) (*apimodel.Description, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	want := fmt.Sprintf("%s %d", pipeMagic, PipeVersion)
	switch got := string(bytes.TrimRight(first, "\r \t")); {
	case got == want:
	case strings.HasPrefix(got, pipeMagic+" "):
		return nil, fmt.Errorf("it speaks version %q, this ipafuzz speaks version %d", strings.TrimPrefix(got, pipeMagic+" "), PipeVersion)
	default:
		return nil, fmt.Errorf("want %q as its first line, got %s", want, shown(first))
	}
	var described strings.Builder
	for line := range strings.Lines(string(rest)) {
		line = strings.TrimRight(line, "\r\n")
		if word, text, _ := strings.Cut(line, " "); word == "signature" {
			h.signature, line = strings.TrimSpace(text), "" // the numbers of the lines stay
		} else if strings.TrimSpace(line) == "repeatable" {
			h.repeatable, line = true, ""
		}
		described.WriteString(line + "\n")
	}
	h.description = described.String()
	d, err := apimodel.ParseDescription(h.description)
	if err != nil {
		return nil, fmt.Errorf("what it says of itself cannot be read (line 1 is the one behind %q): %w", want, err)
	}
	if len(d.Models) == 0 {
		return nil, fmt.Errorf("it says no model: want a line \"model ipasir\" or \"model ipamir\" before %q", pipeReady)
	}
	return d, nil
}

// mostShown is how much of a line that is wrong a message shows.
const mostShown = 60

func shown(line []byte) string {
	if len(line) > mostShown {
		return fmt.Sprintf("%q... (%d bytes)", line[:mostShown], len(line))
	}
	return fmt.Sprintf("%q", line)
}

// resolvePipe starts the runner once, to hear which models it serves.
func resolvePipe(t *Target, model string) error {
	wanted, err := modelNamed(t.Name, model)
	if err != nil {
		return err
	}
	if len(t.Command) == 0 {
		return unusable(t.Name, "want a command behind pipe:")
	}
	if len(t.Settings) > 0 && strings.HasPrefix(t.Name, pipePrefix) {
		return unusable(t.Name, "options of a runner stand in its command line or in the targets file")
	}
	if _, err := t.lookCommand(); err != nil {
		return unusable(t.Name, "%v", err)
	}
	p, err := startPipe(t, DefaultLimits, func(*pipeProcess) {})
	if err != nil {
		return err
	}
	defer p.close()
	t.Model = wanted
	for _, m := range apimodel.Models() {
		serves := slices.Contains(p.description.Models, m.Name)
		if wanted == nil && serves {
			t.Model = m // the last one: IPAMIR where there are both
		}
		if wanted == m && !serves {
			return unusable(t.Name, "it says that it serves %s, not %s", strings.Join(p.description.Models, " and "), m.Name)
		}
	}
	return nil
}

// lookCommand finds the program of the command: in PATH, or, where its name has
// a slash, from the directory that it runs in.
func (t *Target) lookCommand() (string, error) {
	program := t.Command[0]
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = "." + string(filepath.Separator) + filepath.Join(t.dir, program)
		if filepath.IsAbs(t.dir) {
			program = filepath.Join(t.dir, t.Command[0])
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
