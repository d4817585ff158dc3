// Package generate writes what 'ipafuzz gen' makes: traces, files of other formats, mutations, statistics
// and coverage. The packages below gen make the traces; this one only writes and counts.
package generate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// An OutputConfig says where and how to write traces.
type OutputConfig struct {
	Path   string // a directory, an archive, or "" for standard output
	Binary bool
	JSON   bool
	Format format.Format // "": traces
	Advice string        // how to get one file for each trace of another format
}

// An Output writes traces to standard output, a directory, or an archive.
type Output struct {
	OutputConfig
	printed *bufio.Writer
	archive *archive.Writer
	sorter  *archive.Sorter

	prefix           string // of the names of traces and files
	written, skipped int    // files of another format
	firstSkipped     error
}

// Open opens an output. The caller must call Close or Abort.
func Open(config OutputConfig) (*Output, error) {
	out := &Output{OutputConfig: config, printed: bufio.NewWriter(os.Stdout)}
	if strings.HasSuffix(out.Path, archive.Extension) {
		return out, out.openArchive()
	}
	if out.Path != "" {
		if err := os.MkdirAll(out.Path, 0o755); err != nil {
			return nil, out.unwritable(err)
		}
	}
	return out, nil
}

// Begin names what the following traces come from, where the output has traces of several generators.
func (out *Output) Begin(name string) { out.prefix = name + "-" }

func (out *Output) openArchive() error {
	if out.Binary || out.Format != "" {
		return exit.Misusef("an archive holds traces as text, without --binary and --format")
	}
	if _, err := os.Lstat(out.Path); err == nil {
		return exit.Misusef("--out %s: the file exists; 'ipafuzz gen | ipafuzz archive add %s -' adds to it",
			out.Path, out.Path)
	}
	var err error
	if out.archive, err = archive.Create(out.Path); err != nil {
		return out.unwritable(err)
	}
	out.sorter = archive.NewSorter(out.archive)
	return nil
}

// Write writes the trace with that number.
func (out *Output) Write(t *trace.Trace, number, seed uint64) error {
	switch {
	case out.Format != "":
		return out.writeFormulas(t, number)
	case out.archive != nil:
		return out.explain(out.sorter.Add(fmt.Sprintf("%s%d.trace", out.prefix, number), t))
	case out.Path == "" && out.JSON:
		return json.NewEncoder(out.printed).Encode(struct {
			Number uint64 `json:"number"`
			Seed   string `json:"seed"`
			Calls  int    `json:"calls"`
			Trace  string `json:"trace"`
		}{number, fmt.Sprintf("%#x", seed), len(t.Calls), t.String()})
	case out.Path == "":
		_, err := t.WriteTo(out.printed)
		return err
	}
	text := t.AppendText(nil)
	if out.Binary {
		var err error
		if text, err = t.AppendBinary(nil); err != nil {
			return err
		}
	}
	return out.writeFile(fmt.Sprintf("%d.trace", number), text)
}

func (out *Output) writeFile(name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(out.Path, out.prefix+name), text, 0o644); err != nil {
		return out.unwritable(err)
	}
	return nil
}

// Close ends the output. After an interruption it keeps the traces that an archive has so far, as in a
// directory.
func (out *Output) Close(interrupted error) error {
	if out.archive != nil {
		if err := out.sorter.Flush(); err != nil {
			return errors.Join(out.explain(err), out.archive.Abort())
		}
		if err := out.archive.Close(); err != nil {
			return out.explain(err)
		}
	}
	if err := errors.Join(out.printed.Flush(), interrupted); err != nil {
		return err
	}
	return out.reportSkipped()
}

// Abort ends the output and discards an archive.
func (out *Output) Abort() error {
	if out.archive != nil {
		return out.archive.Abort()
	}
	return nil
}

// explain says what to do if the archive could not be written. The error names a temporary file beside it.
func (out *Output) explain(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return out.unwritable(pathErr.Err)
	}
	return err
}

func (out *Output) unwritable(err error) error {
	return exit.Misusef("traces cannot be written into %s: %w (name another directory with --out)", out.Path, err)
}
