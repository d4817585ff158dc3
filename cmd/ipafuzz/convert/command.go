// Package convert is 'ipafuzz convert': it turns traces into the files of solvers, and back.
package convert

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A Command is the command line.
type Command struct {
	In    []string `arg:"" optional:"" placeholder:"FILE"`
	From  string   `placeholder:"FORMAT"`
	To    string   `placeholder:"FORMAT"`
	Out   string   `type:"path" placeholder:"FILE"`
	Solve int      `placeholder:"N"`
	List  bool
}

// Run runs the command.
func (c *Command) Run(ctx context.Context) error {
	if c.List {
		return listFormats()
	}
	if len(c.In) == 0 {
		return exit.Misusef("name the files to convert, or - for standard input ('ipafuzz convert --list' lists the formats)")
	}
	from, to, err := c.formats()
	if err != nil {
		return exit.Misuse(err)
	}
	if c.Solve != 0 && format.Of(to).Many {
		return exit.Misusef("--solve is for formats of one solve; %s has all solves of a trace", to)
	}
	stat, err := os.Stat(c.Out)
	directory := c.Out != "" && err == nil && stat.IsDir()
	if len(c.In) > 1 && !directory {
		return exit.Misusef("several files need --out with a directory that exists")
	}
	outs, taken := make([]string, len(c.In)), make(map[string]string)
	for i, name := range c.In {
		outs[i] = c.Out
		if directory {
			outs[i] = filepath.Join(c.Out, BaseName(name)+format.Of(to).Extensions[0])
		}
		if other, again := taken[outs[i]]; again {
			return exit.Misusef("%s and %s would both be written to %s: convert them one by one", other, name, outs[i])
		}
		taken[outs[i]] = name
	}
	for i, name := range c.In {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.convert(name, from, to, outs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *Command) formats() (from, to format.Format, err error) {
	if c.From != "" {
		if from, err = format.Parse(c.From); err != nil {
			return
		}
	}
	if c.To != "" {
		to, err = format.Parse(c.To)
		return
	}
	to = format.Trace
	if named, ok := format.Named(c.Out); ok {
		to = named
	}
	return
}

// convert writes the whole file or nothing.
func (c *Command) convert(name string, from, to format.Format, out string) error {
	t, err := read(name, from, to)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if c.Solve != 0 {
		err = format.WriteSolve(&text, to, t, c.Solve)
	} else {
		err = format.Write(&text, to, t)
	}
	if solves := t.Solves(); err != nil && c.Solve == 0 && solves > 1 && !format.Of(to).Many {
		return fmt.Errorf("%s: %w; --solve 1 to --solve %d choose one", name, err, solves)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if out == "" {
		_, err := os.Stdout.Write(text.Bytes())
		return err
	}
	return outfile.Write(out, text.Bytes())
}

// read reads a file of any format; - is standard input. For another file, the clauses of a formula file stay as they
// are; for a trace, they become calls.
func read(name string, f, to format.Format) (*trace.Trace, error) {
	in := userfile.Stdin
	if name != "-" {
		file, err := userfile.Open(name)
		if err != nil {
			return nil, exit.Misusef("the file cannot be read: %w (give another, or - for standard input)", err)
		}
		defer file.Close()
		if stat, err := file.Stat(); err == nil && stat.IsDir() {
			return nil, exit.Misusef("%s is a directory, want a file", name)
		}
		in = file
	}
	read := format.ReadFile
	if to == format.Trace {
		read = format.Read
	}
	t, err := read(bufio.NewReader(in), name, f, trace.Limits{})
	var parse *trace.ParseError
	if err != nil && !errors.As(err, &parse) {
		return nil, exit.Misuse(err)
	}
	return t, err
}

// BaseName returns the name of a file without its directory, compression and format.
func BaseName(name string) string {
	base := filepath.Base(name)
	if name == "-" {
		base = "stdin"
	}
	for _, packed := range []string{".gz", ".xz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func listFormats() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FORMAT\tFILES\tSOLVES\tCOSTS\t")
	yes := map[bool]string{true: "yes", false: "-"}
	for _, info := range format.All() {
		solves := "one"
		if info.Many {
			solves = "many"
		}
		files := strings.Join(info.Extensions, " ")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", info.Format, files, solves, yes[info.Soft], info.Doc)
	}
	return table.Flush()
}
