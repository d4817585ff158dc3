package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type archiveCommand struct {
	Create  archiveCreate  `cmd:""`
	Add     archiveAdd     `cmd:""`
	List    archiveList    `cmd:""`
	Cat     archiveCat     `cmd:""`
	Extract archiveExtract `cmd:""`
	Stats   archiveStats   `cmd:""`
	Verify  archiveVerify  `cmd:""`
	Merge   archiveMerge   `cmd:""`
}

// traceSources returns the options with which commands read traces.
func traceSources() sources.Options {
	return sources.Options{Stdin: userfile.Stdin, Warn: func(what string) {
		fmt.Fprintf(os.Stderr, "ipafuzz: %s\n", printable.Text(what))
	}, Lost: exit.Unread}
}

// sourcesFor returns the options for traces of the models of targets. If one is that of formula files, these stay as
// they are; otherwise they become calls.
func sourcesFor(options sources.Options, models ...*apimodel.Model) sources.Options {
	options.Files = slices.ContainsFunc(models, func(m *apimodel.Model) bool { return m.File })
	return options
}

// traceSourcesFrom returns the options for files of a format; "" stands for any.
func traceSourcesFrom(name string) (sources.Options, error) {
	options := traceSources()
	if name == "" {
		return options, nil
	}
	var err error
	if options.Format, err = format.Parse(name); err != nil {
		return options, exit.Misuse(fmt.Errorf("--from: %w", err))
	}
	return options, nil
}

type archiveCreate struct {
	Archive string   `arg:"" placeholder:"ARCHIVE"`
	Traces  []string `arg:"" placeholder:"TRACES"`
	Force   bool
}

// Run runs the command.
func (a *archiveCreate) Run(ctx context.Context) error {
	if _, err := os.Lstat(a.Archive); err == nil && !a.Force {
		return exit.Misusef("%s exists; 'ipafuzz archive add' adds to it, --force replaces it", a.Archive)
	}
	return createArchive(ctx, a.Archive, a.Traces)
}

// createArchive makes an archive of the traces in sources. It may replace one of them.
func createArchive(ctx context.Context, path string, names []string) error {
	w, err := archive.Create(path)
	if err != nil {
		return exit.Misuse(archiveError(path, err))
	}
	return fillArchive(ctx, w, path, names)
}

// archiveError names the archive in an error of the file system, not the temporary file beside it.
func archiveError(path string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return exit.Misusef("%s cannot be written: %w (name an archive elsewhere)", path, pathErr.Err)
	}
	return err
}

func fillArchive(ctx context.Context, w *archive.Writer, path string, names []string) error {
	options := traceSources()
	options.Everything = true
	sorter := archive.NewSorter(w)
	read := 0
	var failed error
	for item, err := range sources.Read(names, options) {
		if failed = cmp.Or(err, ctx.Err()); failed != nil {
			break
		}
		if failed = archiveError(path, sorter.Add(item.Label, item.Trace)); failed != nil {
			break
		}
		read++
	}
	if failed == nil {
		failed = archiveError(path, sorter.Flush())
	}
	if failed == nil && read == 0 {
		failed = exit.Misusef("there are no traces in %s", strings.Join(names, ", "))
	}
	if failed != nil {
		return errors.Join(failed, w.Abort())
	}
	if err := w.Close(); err != nil {
		return archiveError(path, err)
	}
	if w.Dropped.Why != "" {
		fmt.Fprintf(os.Stderr, "ipafuzz: %s was torn at byte %d (%s); bytes dropped at its end: %d\n",
			path, w.Dropped.Offset, w.Dropped.Why, w.Dropped.Bytes)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return printText(fmt.Sprintf("%s: %s added, %s more were in it already; it has %s bytes now\n",
		path, printable.Things(int64(read-w.Known), "trace"), printable.Count(w.Known), printable.Count(info.Size())))
}

type archiveAdd struct {
	Archive string   `arg:"" placeholder:"ARCHIVE"`
	Traces  []string `arg:"" placeholder:"TRACES"`
}

// Run runs the command.
func (a *archiveAdd) Run(ctx context.Context) error {
	w, err := archive.Append(a.Archive)
	if err != nil {
		return exit.Misuse(archiveError(a.Archive, err))
	}
	return fillArchive(ctx, w, a.Archive, a.Traces)
}

type archiveMerge struct {
	Archive string   `arg:"" placeholder:"ARCHIVE"`
	From    []string `arg:"" placeholder:"FROM"`
	Force   bool
}

// Run runs the command.
func (a *archiveMerge) Run(ctx context.Context) error {
	named := false
	for _, from := range a.From {
		named = named || filepath.Clean(from) == filepath.Clean(a.Archive)
	}
	if _, err := os.Lstat(a.Archive); err == nil && !a.Force && !named {
		return exit.Misusef("%s exists; name it among the merged archives, or replace it with --force", a.Archive)
	}
	return createArchive(ctx, a.Archive, a.From)
}

// chosen selects traces of an archive.
type chosen struct {
	Archive string   `arg:"" placeholder:"ARCHIVE"`
	Which   []string `arg:"" optional:"" placeholder:"WHICH"`
}

// each calls do for every selected trace. i counts from 0.
func (c *chosen) each(ctx context.Context, do func(a *archive.Reader, i int) error) error {
	a, err := archive.Open(c.Archive)
	if errors.Is(err, fs.ErrNotExist) {
		// Other commands name a trace of an archive so.
		if colon := strings.LastIndexByte(c.Archive, ':'); colon >= 0 {
			if _, err := os.Stat(c.Archive[:colon]); err == nil {
				return exit.Misusef("there is no archive %s; here a trace is named after a blank: %s %s", c.Archive,
					shell.QuotePath(c.Archive[:colon]), shell.Quote(c.Archive[colon+1:]))
			}
		}
		return exit.Misusef("there is no archive %s ('ipafuzz archive create' makes one)", c.Archive)
	}
	if err != nil {
		return exit.Misuse(err)
	}
	defer a.Close()
	if a.Torn != nil {
		traceSources().Warn(sources.TornNote(c.Archive, a))
	}
	which := c.Which
	if len(which) == 0 {
		which = []string{""}
	}
	for _, which := range which {
		numbers, err := sources.Choose(a, c.Archive, which)
		if err != nil {
			return err
		}
		for _, i := range numbers {
			if err := cmp.Or(ctx.Err(), do(a, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

type archiveList struct {
	chosen
	JSON bool
}

// Run runs the command.
func (a *archiveList) Run(ctx context.Context) error {
	out := bufio.NewWriter(os.Stdout)
	err := a.each(ctx, func(r *archive.Reader, i int) error {
		name, err := r.Name(i)
		if err != nil {
			return exit.Misuse(err)
		}
		text, err := r.Text(i)
		if err != nil {
			return exit.Misuse(err)
		}
		hash := archive.HashOf(text)
		if a.JSON {
			return json.NewEncoder(out).Encode(struct {
				Number int    `json:"number"`
				Name   string `json:"name"`
				Bytes  int    `json:"bytes"`
				Hash   string `json:"hash"`
			}{i + 1, name, len(text), hex.EncodeToString(hash[:])})
		}
		_, err = fmt.Fprintf(out, "%7d  %8d  %x  %s\n", i+1, len(text), hash[:6], printable.Name(name))
		return err
	})
	return errors.Join(err, out.Flush())
}

type archiveCat struct{ chosen }

// Run runs the command.
func (a *archiveCat) Run(ctx context.Context) error {
	out := bufio.NewWriter(os.Stdout)
	err := a.each(ctx, func(r *archive.Reader, i int) error {
		text, err := r.Text(i)
		if err != nil {
			return exit.Misuse(err)
		}
		_, err = out.Write(text)
		return err
	})
	return errors.Join(err, out.Flush())
}

type archiveStats struct {
	Archive string `arg:"" placeholder:"ARCHIVE"`
	JSON    bool
}

// Run runs the command.
func (a *archiveStats) Run() error {
	r, err := archive.Open(a.Archive)
	if err != nil {
		return exit.Misuse(err)
	}
	defer r.Close()
	s := r.Stats()
	if a.JSON {
		return json.NewEncoder(os.Stdout).Encode(s)
	}
	if r.Torn != nil {
		traceSources().Warn(sources.TornNote(a.Archive, r))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s in %s\n", printable.Things(s.Traces, "trace"), printable.Things(s.Frames, "frame"))
	fmt.Fprintf(&out, "%s bytes of packed traces in %s bytes: ratio %.2f\n", printable.Count(s.Bytes),
		printable.Count(s.FileBytes), float64(s.Bytes)/float64(max(s.FileBytes, 1)))
	return printText(out.String())
}

type archiveVerify struct {
	Archives []string `arg:"" placeholder:"ARCHIVE"`
}

// Run runs the command.
func (a *archiveVerify) Run() error {
	wrong := 0
	for _, path := range a.Archives {
		r, err := archive.Open(path)
		if err != nil {
			return exit.Misuse(err)
		}
		report := r.Verify()
		r.Close()
		var out strings.Builder
		for _, problem := range report.Problems {
			fmt.Fprintln(&out, problem)
		}
		if more := report.Wrong - len(report.Problems); more > 0 {
			fmt.Fprintf(&out, "%s: %s\n", path, printable.Things(more, "more problem"))
		}
		if report.Wrong == 0 {
			fmt.Fprintf(&out, "%s: %s in %s, no damage\n", path, printable.Things(report.Traces, "trace"),
				printable.Things(report.Frames, "frame"))
		} else {
			wrong++
			fmt.Fprintf(&out, "%s: %s can be read\n", path, printable.Things(report.Traces, "trace"))
		}
		if err := printText(out.String()); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return exit.Misusef("damaged archives: %d of %d; "+
			"'ipafuzz archive create NEW OLD' keeps what is readable of a torn one",
			wrong, len(a.Archives))
	}
	return nil
}
