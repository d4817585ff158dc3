package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/convert"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/flagvalue"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/format"
	"github.com/ipafuzz/ipafuzz/trace/notes"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type exportCommand struct {
	Trace  string     `arg:"" placeholder:"TRACE"`
	To     string     `placeholder:"FORM"`
	Out    string     `type:"path" placeholder:"FILE"`
	Target *string    `placeholder:"TARGET"`
	Key    oracle.Key `placeholder:"KEY" xor:"what"`
	All    bool       `xor:"what"`
	targetFlags
	CPU    flagvalue.Duration `default:"5s" placeholder:"5s"`
	Memory flagvalue.Size     `default:"1G" placeholder:"1G"`
}

// Run runs the command.
func (e *exportCommand) Run(ctx context.Context) error {
	e.To = cmp.Or(e.To, formOf(e.Out), "c")
	language := export.LanguageNamed(e.To)
	var form format.Format
	if language == nil {
		var err error
		if form, err = format.Parse(e.To); err != nil {
			return exit.Misusef("--to %s: want %s", e.To, strings.Join(exportForms(), ", "))
		}
	}
	if err := e.fitsCompiler(language); err != nil {
		return err
	}
	item, err := sources.One(e.Trace, traceSources())
	if err != nil {
		return err
	}
	t := item.Trace
	var text bytes.Buffer
	build := ""
	if language == nil {
		err = format.Write(&text, form, t)
	} else {
		build, err = e.program(ctx, &text, item, language)
	}
	if err != nil {
		return e.explain(err)
	}
	return e.write(text.Bytes(), build)
}

// fitsCompiler refuses a file name by which a compiler does not recognise its language. The command that builds the
// program would write over such a file.
func (e *exportCommand) fitsCompiler(language *export.Language) error {
	if language == nil || language.Name == "python" || e.Out == "" || suffixOf(e.Out) == language.Suffix {
		return nil
	}
	if info, err := os.Stat(e.Out); err == nil && !info.Mode().IsRegular() {
		return nil // such as /dev/stdout
	}
	return exit.Misusef("--out %s: compilers want a name that ends in %s for %s; --to names another form",
		e.Out, language.Suffix, language.Name)
}

// formOf returns the language or format of files with that name, or "".
func formOf(name string) string {
	suffix := suffixOf(name)
	for _, l := range export.Languages {
		if l.Suffix == suffix {
			return l.Name
		}
	}
	if to, ok := format.Named(name); ok {
		return string(to)
	}
	return ""
}

// suffixOf returns the suffix of the name. For every suffix of C++ it returns ours.
func suffixOf(name string) string {
	switch suffix := filepath.Ext(name); suffix {
	case ".cpp", ".cxx":
		return ".cc"
	default:
		return suffix
	}
}

func exportForms() []string {
	var names []string
	for _, l := range export.Languages {
		names = append(names, l.Name)
	}
	for _, info := range format.All() {
		names = append(names, string(info.Format))
	}
	return names
}

func (e *exportCommand) program(ctx context.Context, text *bytes.Buffer, item sources.Item,
	language *export.Language) (string, error) {
	t := item.Trace
	limits := replay.Limits{CPU: e.CPU.Duration, Memory: uint64(e.Memory)}
	target, err := e.target(t)
	if err != nil {
		return "", err
	}
	if e.All {
		t = t.Clone()
		t.Notes = nil
	}
	file := cmp.Or(e.Out, sourceName(item.Name)+language.Suffix)
	p, err := repro.ProgramFor(ctx, t, language, file, target, e.Key, limits)
	if err != nil {
		return "", err
	}
	text.Write(p.Text)
	return p.Build, nil
}

// sourceName returns the name of the program of a trace. It is not that of the trace's file, which the command
// that builds the program would overwrite.
func sourceName(file string) string {
	switch name := convert.BaseName(file); {
	case file == "-":
		return "repro"
	case name == filepath.Base(file):
		return name + "-repro"
	default:
		return name
	}
}

// target resolves the library for the program; nil stands for any library. The library that the notes name
// may not exist on this machine.
func (e *exportCommand) target(t *trace.Trace) (*replay.Target, error) {
	spec := notes.ResultOf(t.Notes).Target
	if e.Target != nil {
		spec = *e.Target
	}
	if spec == "" {
		return nil, nil
	}
	target, file, err := e.resolve(spec)
	if err == nil {
		target, err = targets.ForModel(target, t.Model, file)
	}
	if err != nil && e.Target == nil {
		fmt.Fprintf(os.Stderr, "The trace is for %s, which is missing: the program is for any library and sets no options. "+
			"--target names another library.\n", spec)
		return nil, nil
	}
	return target, err
}

func (e *exportCommand) explain(err error) error {
	var cannot *export.CannotSayError
	var format *format.CannotSayError
	if errors.As(err, &cannot) || errors.As(err, &format) {
		return exit.Misusef("%s cannot be exported: %w", e.Trace, err)
	}
	return err
}

func (e *exportCommand) write(text []byte, build string) error {
	if e.Out == "" {
		_, err := os.Stdout.Write(text)
		return err
	}
	if err := outfile.Write(e.Out, text); err != nil {
		return err
	}
	if build == "" {
		return nil
	}
	_, err := fmt.Printf("Build it in %s with:\n  %s\n", filepath.Dir(e.Out), build)
	return err
}
