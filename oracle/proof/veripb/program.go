package veripb

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/oracle/proof/read"
)

// veriPB is the name in PATH of the program that checks the proofs which Check does not support.
const veriPB = "veripb"

// mostMemory bounds the memory of VeriPB, and mostText bounds its output.
const (
	mostMemory = 4 << 30
	mostText   = 64 << 10
)

// Run runs VeriPB on files, for at most the time most, and returns what it prints. An error that is not a rejection
// says nothing about the proof.
func Run(formula, proof string, most time.Duration) (string, error) {
	path, err := exec.LookPath(veriPB)
	if err != nil {
		return "", fmt.Errorf("%w: 'cargo install veripb' installs what checks the proof, if it is in PATH",
			read.ErrNoChecker)
	}
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, formula, proof)
	out := &start{most: mostText}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("starting %s: %w", path, err)
	}
	seconds := uint64(most/time.Second) + 1
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: mostMemory, Max: mostMemory}, nil)
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
	err = cmd.Wait()
	switch said := out.String(); {
	case ctx.Err() != nil:
		return said, fmt.Errorf("%w: VeriPB took longer than %v", read.ErrCheckerFails, most)
	case err == nil:
		return said, nil
	case strings.Contains(said, "Error: Verification error"):
		return said, rejection(read.Unjustified, said)
	case strings.Contains(said, "Error: Syntax error while parsing proof file"):
		return said, rejection(read.Malformed, said)
	case strings.Contains(said, "memory allocation of"):
		return said, fmt.Errorf("%w: VeriPB needs more than the %d GB of memory that ipafuzz grants it; run '%s %s %s'",
			read.ErrCheckerFails, mostMemory>>30, veriPB, formula, proof)
	default:
		return said, fmt.Errorf("%w: VeriPB ended with %w%s", read.ErrCheckerFails, err, lastLine(said))
	}
}

// lastLine returns the last line that VeriPB printed, to be added to a message.
func lastLine(said string) string {
	said = strings.TrimSpace(said)
	if said == "" {
		return ""
	}
	return fmt.Sprintf("; it says: %q", said[strings.LastIndexByte(said, '\n')+1:])
}

// position matches the place that VeriPB names in an error: "at FILE:LINE" or "at line LINE
// col COLUMN".
var position = regexp.MustCompile(` at (?:\S*:|line )(\d+)`)

// rejection returns an error with VeriPB's message, in one line.
func rejection(kind read.Kind, text string) error {
	text, _, _ = strings.Cut(text, "\nStack backtrace:")
	_, text, _ = strings.Cut(text, "Error: ")
	r := &read.Rejection{Kind: kind, Line: 1}
	if at := position.FindStringSubmatch(text); at != nil {
		r.Line, _ = strconv.ParseInt(at[1], 10, 64)
		text = strings.Replace(text, at[0], "", 1)
	}
	r.Err = fmt.Errorf("VeriPB: %s", strings.Join(strings.Fields(text), " "))
	return r
}

// Ask runs VeriPB on a proof about p. formula is the text of a file that states p, and extension is .cnf, .wcnf or
// .opb.
func Ask(p *Problem, formula []byte, extension string, proof []byte, most time.Duration) (Conclusion, error) {
	c := Conclusion{Shift: p.shift}
	dir, err := os.MkdirTemp("", "ipafuzz-veripb-*")
	if err != nil {
		return c, fmt.Errorf("having a proof checked: %w", err)
	}
	defer os.RemoveAll(dir)
	names := []string{filepath.Join(dir, "proof"+extension), filepath.Join(dir, "proof.veripb")}
	for i, text := range [][]byte{formula, proof} {
		if err := os.WriteFile(names[i], text, 0o600); err != nil {
			return c, fmt.Errorf("having a proof checked: %w", err)
		}
	}
	said, err := Run(names[0], names[1], most)
	if err != nil {
		return c, err
	}
	_, verdict, _ := strings.Cut(said, "s VERIFIED ")
	verdict, _, _ = strings.Cut(verdict, "\n")
	switch words := strings.Fields(verdict); {
	case len(words) == 6 && words[0] == "BOUNDS": // BOUNDS 2 <= obj <= 3
		c.Kind = words[0]
		err = c.setBounds(words[1], words[5])
	case verdict == "UNSATISFIABLE":
		c.Kind = "UNSAT"
	case verdict == "SATISFIABLE":
		c.Kind = "SAT"
	case verdict == "NO CONCLUSION":
		c.Kind = "NONE"
	default:
		err = fmt.Errorf("%w: VeriPB says %q, which this version of ipafuzz does not know", read.ErrCheckerFails, verdict)
	}
	if _, isRejection := read.KindOf(err); isRejection { // the output of VeriPB is wrong, not the proof
		err = fmt.Errorf("%w: VeriPB says %q", read.ErrCheckerFails, verdict)
	}
	return c, err
}

// start keeps the first bytes that are written to it.
type start struct {
	bytes.Buffer
	most int
}

// Write implements io.Writer.
func (s *start) Write(text []byte) (int, error) {
	s.Buffer.Write(text[:min(len(text), max(s.most-s.Len(), 0))])
	return len(text), nil
}
