// Package sources opens the sources of traces that a user names: a file with one or more traces,
// a formula, an archive or one trace of it, a directory, or standard input. All commands read
// traces through this package.
package sources

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// An Item is one trace.
type Item struct {
	// Name is the name of a source that has only this trace: a file, or ARCHIVE:NUMBER.
	Name string
	// Label is the name of the trace in its archive. For a trace of no archive, it comes from the
	// path (see Label).
	Label string
	Trace *trace.Trace
}

// Options say what to read.
type Options struct {
	Stdin io.Reader
	// Everything reads all traces of a directory. Without it, Read takes only the minimal trace
	// of each finding of a campaign: the others show the same failure again, or are experiments
	// that need not fail. Read also omits the archives of a campaign, which hold the same findings.
	Everything bool
	// Format is that of all files; "": each tells its own. An empty file tells none.
	Format format.Format
	// Files keeps formula files as they are, for programs (format.ReadFile). Without it they become calls.
	Files bool
	// Warn is called with a description of each torn archive. Its whole traces are read.
	Warn func(string)
	// Lost is called for each torn archive that has, or may have, lost traces.
	Lost func()
	// Skip is called with the error of each source that cannot be read. Reading then
	// continues. If Skip is nil, reading ends with the first error.
	Skip func(error)
}

// An Error reports a source that cannot be read or has no traces.
type Error struct{ Err error }

// Error returns the message.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func wrong(format string, args ...any) error { return &Error{fmt.Errorf(format, args...)} }

// Read returns the traces of the named sources, in order. Without Options.Skip it ends
// with the first error.
func Read(names []string, options Options) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		r := &reader{options: options, yield: yield}
		for _, name := range names {
			if !r.source(name) {
				return
			}
		}
	}
}

// One returns the only trace of a source.
func One(name string, options Options) (Item, error) {
	var only Item
	count := 0
	for item, err := range Read([]string{name}, options) {
		if err != nil {
			return item, err
		}
		if count++; count > 1 {
			if only.Name != name { // otherwise it stands for all of them
				item = only
			}
			return only, wrong("%s holds several traces, want one: name it, such as %s", name, item.Name)
		}
		only = item
	}
	return only, nil
}

// All returns all traces of the sources.
func All(names []string, options Options) ([]Item, error) {
	var items []Item
	for item, err := range Read(names, options) {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

type reader struct {
	options Options
	yield   func(Item, error) bool
}

// fail passes an error to Skip, or yields it if Skip is nil. It reports whether to continue.
func (r *reader) fail(err error) bool {
	if r.options.Skip != nil {
		r.options.Skip(err)
		return true
	}
	r.yield(Item{}, err)
	return false
}

func (r *reader) source(name string) bool {
	if name == "-" {
		return r.stream(r.options.Stdin, "-", 0)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if file, which, ok := member(name); ok {
			return r.file(file, which)
		}
		return r.fail(wrong("there is no trace file %s (give a path, or - for standard input; 'ipafuzz gen' prints traces)",
			name))
	case err != nil:
		return r.fail(wrong("the trace cannot be read: %w (give another file, or - for standard input)", err))
	case info.IsDir():
		return r.directory(name)
	}
	return r.file(name, "")
}

// member splits a name FILE:WHICH.
func member(name string) (file, which string, ok bool) {
	for at := len(name) - 1; at > 0; at-- {
		if name[at] != ':' {
			continue
		}
		if info, err := os.Stat(name[:at]); err == nil && info.Mode().IsRegular() {
			return name[:at], name[at+1:], true
		}
	}
	return "", "", false
}

// file reads the traces of a file that which chooses, or all if which is "".
func (r *reader) file(name, which string) bool {
	file, err := userfile.Open(name)
	if err != nil {
		return r.fail(wrong("the trace cannot be read: %w (give another file, or - for standard input)", err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		head := make([]byte, 4)
		if n, _ := file.ReadAt(head, 0); archive.IsArchive(head[:n]) && !isFormula(name) {
			if r.options.Format != "" {
				return r.fail(wrong("%s is an archive of traces, not a file in the format %s", name, r.options.Format))
			}
			return r.archive(name, which)
		}
	}
	number := 0
	if which != "" {
		if number, err = strconv.Atoi(which); err != nil || number < 1 {
			return r.fail(wrong("%s is not an archive: choose one of its traces by its number, from 1, not by %q", name, which))
		}
	}
	return r.stream(file, name, number)
}

// stream reads one formula, one binary trace, or a text of traces one after the other. Any of them may be compressed
// with gzip or xz. If number is not 0, stream yields only the trace with that number.
func (r *reader) stream(from io.Reader, name string, number int) bool {
	buffered := bufio.NewReaderSize(from, 64<<10)
	if head, _ := buffered.Peek(4); !archive.IsArchive(head) && !isFormula(name) { // format.Read unpacks formulas
		plain, packed, err := format.Unpack(buffered, name)
		if err != nil {
			return r.fail(err)
		}
		if packed {
			buffered = bufio.NewReaderSize(unpacked{plain}, 64<<10)
		}
	}
	head, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return r.fail(wrong("%s: %w", name, err))
	}
	isGiven := r.options.Format != "" && r.options.Format != format.Trace
	if known, err := format.Detect(name, head); isGiven || isFormula(name) || err == nil && known != format.Trace {
		read := format.Read
		if r.options.Files {
			read = format.ReadFile
		}
		t, err := read(buffered, name, r.options.Format, trace.Limits{})
		return r.hand(Item{Name: name, Label: Label(name) + ".trace", Trace: t}, err)
	}
	if archive.IsArchive(head) {
		return r.fail(wrong("%s: an archive is read from a file ('ipafuzz archive cat FILE' prints its traces)", name))
	}
	if trace.IsBinary(head) {
		t, err := trace.Read(buffered, name)
		return r.hand(Item{Name: name, Label: Label(name), Trace: t}, err)
	}
	splitter := archive.NewSplitter(buffered)
	line := 0
	for count := 0; ; count++ {
		text, err := splitter.Next()
		if err == io.EOF && count > 0 {
			if number > count {
				return r.fail(wrong("%s has traces 1 to %d, not %d", name, count, number))
			}
			return true
		}
		if err != nil && err != io.EOF {
			return r.fail(wrong("%s: %w", name, err))
		}
		t, err := trace.Parse(bytes.NewReader(text), name)
		if parse, ok := errors.AsType[*trace.ParseError](err); ok {
			parse.Line += line
		}
		line += bytes.Count(text, []byte{'\n'})
		item := Item{Name: name, Label: Label(name), Trace: t}
		if count > 0 {
			item.Name += ":" + strconv.Itoa(count+1)
			item.Label = strings.TrimSuffix(item.Label, ".trace") + "-" + strconv.Itoa(count+1) + ".trace"
		}
		if err == nil && number > 0 && number != count+1 {
			continue
		}
		if !r.hand(item, err) {
			return false
		}
	}
}

// unpacked says in the errors of a decompressor that the file is compressed, because the name of standard input does
// not tell.
type unpacked struct{ io.Reader }

func (u unpacked) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the compressed file is damaged, or its end is missing: %w", err)
	}
	return n, err
}

func (r *reader) hand(item Item, err error) bool {
	var parse *trace.ParseError
	var check *trace.CheckError
	if err != nil && !errors.As(err, &parse) && !errors.As(err, &check) {
		err = &Error{err}
	}
	if err != nil {
		return r.fail(err)
	}
	return r.yield(item, nil)
}

// Label turns a path into a name in an archive. The name never leads out of the directory to
// which somebody extracts the archive.
func Label(file string) string {
	if file == "-" {
		return "stdin.trace"
	}
	label := filepath.ToSlash(filepath.Clean(file))
	for {
		shorter := strings.TrimPrefix(strings.TrimPrefix(label, "/"), "../")
		if shorter == label {
			return label
		}
		label = shorter
	}
}
