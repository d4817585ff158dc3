package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// genOut is where the traces of gen go: standard output, a directory, or an
// archive.
type genOut struct {
	*genCommand
	printed *bufio.Writer
	archive *archive.Writer
	sorter  *archive.Sorter

	said, unsaid int // files of another format that were written, and that could not be
	firstUnsaid  error
}

func (g *genCommand) open() (*genOut, error) {
	out := &genOut{genCommand: g, printed: bufio.NewWriter(os.Stdout)}
	if strings.HasSuffix(g.Out, archive.Extension) {
		if g.Binary || g.fileFormat != "" {
			return nil, exit.Misusef("an archive holds traces as text, without --binary and --format")
		}
		if _, err := os.Lstat(g.Out); err == nil {
			return nil, exit.Misusef("--out %s: it is there already; 'ipafuzz gen | ipafuzz archive add %s -' adds to it", g.Out, g.Out)
		}
		var err error
		if out.archive, err = archive.Create(g.Out); err != nil {
			return nil, g.unwritable(err)
		}
		out.sorter = archive.NewSorter(out.archive)
		return out, nil
	}
	if g.Out != "" {
		if err := os.MkdirAll(g.Out, 0o755); err != nil {
			return nil, g.unwritable(err)
		}
	}
	return out, nil
}

func (out *genOut) write(t *trace.Trace, number, seed uint64) error {
	if out.fileFormat != "" {
		return out.writeFormulas(t, number)
	}
	if out.archive != nil {
		return out.sorter.Add(fmt.Sprintf("%d.trace", number), t)
	}
	if out.Out == "" && out.JSON {
		return json.NewEncoder(out.printed).Encode(struct {
			Number uint64 `json:"number"`
			Seed   string `json:"seed"`
			Calls  int    `json:"calls"`
			Trace  string `json:"trace"`
		}{number, fmt.Sprintf("%#x", seed), len(t.Calls), t.String()})
	}
	if out.Out == "" {
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
	if err := os.WriteFile(filepath.Join(out.Out, fmt.Sprintf("%d.trace", number)), text, 0o644); err != nil {
		return out.unwritable(err)
	}
	return nil
}

// close ends the output. When the command was interrupted, an archive is kept
// with what there is, as a directory is.
func (out *genOut) close(interrupted error) error {
	if out.archive != nil {
		if err := out.sorter.Flush(); err != nil {
			return errors.Join(err, out.archive.Abort())
		}
		if err := out.archive.Close(); err != nil {
			return out.unwritable(err)
		}
	}
	if err := errors.Join(out.printed.Flush(), interrupted); err != nil {
		return err
	}
	return out.tellUnsaid()
}

func (out *genOut) abort() error {
	if out.archive != nil {
		return out.archive.Abort()
	}
	return nil
}

func (g *genCommand) unwritable(err error) error {
	return exit.Misusef("traces cannot be written into %s: %w (name another directory with --out)", g.Out, err)
}
