// Package byscript is 'ipafuzz minimize --test': it reduces a file by the word of the user's own command.
package byscript

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/cause"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/dd"
	"github.com/ipafuzz/ipafuzz/dd/script"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A Request says what to reduce, and how.
type Request struct {
	File    string
	Out     string // "": FILE with .min before its extension
	Command string
	Wall    time.Duration // of one test
	JSON    bool
	dd.Config
}

// record is the result as JSON.
type record struct {
	File    string  `json:"file"`
	Ending  string  `json:"ending"`
	Given   size    `json:"given"`
	Result  size    `json:"result"`
	Tests   int     `json:"tests"`
	Seconds float64 `json:"seconds"`
	Minimal bool    `json:"minimal"`
	Ended   string  `json:"ended,omitempty"` // why the search ended early
}

// Reduce reduces the file, keeps the best one so far in the file for the result, and prints a summary.
func Reduce(ctx context.Context, r Request) error {
	t, f, err := r.read()
	if err != nil {
		return err
	}
	out := r.out(f)
	write := func(best *trace.Trace) error { return outfile.WriteAs(out, f, best) }
	if out == "-" {
		write = func(*trace.Trace) error { return nil }
	} else if err := outfile.CheckPlace(out); err != nil {
		return err
	}
	r.Plain = func(candidate *trace.Trace) bool { return !cause.AddsInput(t, candidate) }
	searching, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	r.OnBest = func(best *trace.Trace) {
		if failed = write(best); failed != nil {
			stop()
		}
	}
	config := script.Config{Command: r.Command, Format: f, Wall: r.Wall, Config: r.Config}
	result, err := script.Reduce(searching, t, config)
	if _, wrong := errors.AsType[*script.CommandError](err); wrong {
		return exit.Misuse(err)
	}
	if err := errors.Join(failed, err); err != nil {
		return err
	}
	if out == "-" {
		return format.Write(os.Stdout, f, result.Trace)
	}
	if err := write(result.Trace); err != nil {
		return err
	}
	return r.print(out, t, result)
}

// read reads the file and tells its format.
func (r *Request) read() (*trace.Trace, format.Format, error) {
	from := io.Reader(userfile.Stdin)
	if r.File != "-" {
		file, err := userfile.Open(r.File)
		if err != nil {
			return nil, "", exit.Misuse(err)
		}
		defer file.Close()
		from = file
	}
	in := bufio.NewReaderSize(from, 64<<10)
	head, err := in.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", exit.Misuse(fmt.Errorf("%s: %w", r.File, err))
	}
	f, err := format.Detect(r.File, head)
	if err != nil {
		return nil, "", exit.Misuse(err)
	}
	if !slices.Contains(script.Formats, f) {
		return nil, "", exit.Misusef("%s: files of format %s cannot be reduced by a command, only %v", r.File, f,
			script.Formats)
	}
	t, err := format.ReadFile(in, r.File, f, trace.Limits{})
	if err != nil {
		return nil, "", exit.Misuse(err)
	}
	return t, f, nil
}

func (r *Request) out(f format.Format) string {
	switch {
	case r.Out != "":
		return r.Out
	case r.File == "-":
		return "minimal" + format.Of(f).Extensions[0]
	}
	name := r.File
	for _, packed := range []string{".gz", ".xz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return strings.TrimSuffix(name, filepath.Ext(name)) + ".min" + format.Of(f).Extensions[0]
}

func (r *Request) print(out string, given *trace.Trace, result *script.Reduction) error {
	before, after := sizeOf(given), sizeOf(result.Trace)
	if r.JSON {
		report := record{File: out, Ending: result.Ending.String(), Given: before, Result: after,
			Tests: result.Stats.Tests, Seconds: result.Time.Seconds(), Minimal: result.Minimal}
		if result.Ended != nil {
			report.Ended = result.Ended.Error()
		}
		return json.NewEncoder(os.Stdout).Encode(report)
	}
	how := "nothing can be left out"
	if !result.Minimal {
		how = "not minimal: " + result.Ended.Error()
	}
	_, err := fmt.Printf("%s: %s, %s and %s of %d, %d and %d; the command %s; %s (%s, %.1f s)\n", printable.Name(out),
		printable.Things(after.Clauses, "clause"), printable.Things(after.Literals, "literal"),
		printable.Things(after.Variables, "variable"), before.Clauses, before.Literals, before.Variables, result.Ending, how,
		printable.Things(result.Stats.Tests, "test"), result.Time.Seconds())
	return err
}

// A size measures a file.
type size struct {
	Clauses   int `json:"clauses"` // and blocks and assumptions
	Literals  int `json:"literals"`
	Variables int `json:"variables"`
}

func sizeOf(t *trace.Trace) size {
	all := dd.SizeOf(t)
	s := size{Literals: all.Literals, Variables: all.Variables}
	for i := range t.Calls {
		if t.Calls[i].Op.Does(apimodel.Poses) {
			s.Clauses++
		}
	}
	return s
}
