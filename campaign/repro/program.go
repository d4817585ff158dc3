package repro

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/file"
	"github.com/ipafuzz/ipafuzz/replay/native"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// A Program is what shows a failure without ipafuzz: a program that makes the calls of a trace or, for a target that is
// a program, the file that it reads.
type Program struct {
	Name  string // of its file
	Text  []byte
	Build string // the command that builds it, run in the file's directory; "": nothing to build
	Run   string // the command that runs the target on the file; "": the program runs by itself

	// Original is the file of the trace as it was generated; nil if there is none.
	Original []byte
}

// Of returns what shows the failure of a minimal trace on a target, or nil if nothing outside ipafuzz does. stem begins
// the name of the file.
func Of(minimal, original *trace.Trace, stem string, target *replay.Target, description *apimodel.Description,
	key oracle.Key, limits replay.Limits, right map[int]export.Right) *Program {
	switch target.Kind {
	case replay.Pipe:
		return nil
	case replay.File:
		text, extension := file.Input(target, minimal)
		if text == nil {
			return nil
		}
		p := &Program{Name: stem + extension, Text: text}
		p.Run = file.CommandLine(target, filepath.Base(p.Name))
		p.Original, _ = file.Input(target, original)
		return p
	}
	bare := minimal.Clone()
	bare.Notes = nil
	name := stem + ".c"
	p, err := ProgramOf(bare, export.LanguageNamed("c"), name, target, description, key, limits, right)
	if err != nil {
		return nil
	}
	p.Name = name
	return p
}

// ProgramOf returns a trace as a program. If the target is nil, the user names the library when building
// it. The program looks for the failure of the key or, if the key is zero, for the failure in the notes of
// the trace.
func ProgramOf(t *trace.Trace, language *export.Language, file string, target *replay.Target,
	description *apimodel.Description, key oracle.Key, limits replay.Limits,
	right map[int]export.Right) (*Program, error) {
	if t.Model.File {
		calls, from := format.Calls(t)
		t, right = calls, ofCalls(right, from)
	}
	o := export.Options{Name: filepath.Base(file), Right: right,
		Limits: export.Limits{Seconds: int(limits.CPU.Seconds() + 0.999), Bytes: limits.Memory}}
	if key.IsZero() {
		key, _ = trial.KeyIn(t)
	}
	if !key.IsZero() {
		o.Failure = export.Failure{Class: string(key.Class), Detail: key.Detail}
	}
	if target != nil {
		o.Target = target.Name
		o.Setter = export.Setter{Function: target.Setter.Function, Int: target.Setter.Takes == "int"}
		for _, s := range target.Settings {
			o.Settings = append(o.Settings, export.Setting(s))
		}
	}
	if description != nil {
		o.Policies = description.Policies
	}
	var flags []string
	if flag := sanitizerFlag(target, o.Failure); flag != "" {
		flags = append(flags, flag, "-g")
	}
	if target != nil {
		if flag := native.DraftFlag(target); flag != "" {
			flags = append(flags, flag)
		}
	}
	if export.StartsThreads(t) {
		flags = append(flags, "-pthread")
	}
	o.Build = buildCommand(target, language, file, flags)
	run := strings.TrimSpace(preload(target) + " " + limits.Fixed.Command())
	if run != "" && o.Build != "" {
		o.Build += fmt.Sprintf(" # run it with: %s", run)
	}
	var text bytes.Buffer
	if err := language.Write(&text, t, o); err != nil {
		return nil, err
	}
	return &Program{Text: text.Bytes(), Build: o.Build}, nil
}

// ofCalls returns the right answers of the calls that ask the same as a formula file. from has the file's call for
// each.
func ofCalls(right map[int]export.Right, from []int) map[int]export.Right {
	moved := make(map[int]export.Right)
	for i, call := range from {
		if answer, known := right[call]; known {
			moved[i] = answer
		}
	}
	return moved
}

// sanitizerFlag returns the option with which a program must be linked to run the library, or to show the failure.
func sanitizerFlag(target *replay.Target, f export.Failure) string {
	if target != nil && target.Kind == replay.Library {
		if flag := native.SanitizerFlag(target.Path); flag != "" {
			return flag
		}
	}
	if export.NeedsThreadSanitizer(f) {
		return "-fsanitize=thread"
	}
	return ""
}

// ProgramFor is ProgramOf with the description of the target, if there is a target, and with the certified
// answers.
func ProgramFor(ctx context.Context, t *trace.Trace, language *export.Language, file string, target *replay.Target,
	key oracle.Key, limits replay.Limits) (*Program, error) {
	var description *apimodel.Description
	var err error
	if target != nil {
		if description, err = trial.Describe(target, replay.DefaultLimits); err != nil {
			return nil, err
		}
	}
	right, err := trial.RightAnswers(ctx, t)
	if err != nil {
		return nil, err
	}
	return ProgramOf(t, language, file, target, description, key, limits, right)
}

// buildCommand returns the command that builds a program and links it with the target. The command runs in
// the directory of the file.
func buildCommand(target *replay.Target, language *export.Language, file string, flags []string) string {
	compiler := map[string]string{"c": "cc", "c++": "c++", "qdpll": "cc"}[language.Name]
	if compiler == "" {
		return ""
	}
	compiler = strings.Join(append([]string{compiler}, flags...), " ")
	source := shell.QuotePath(filepath.Base(file))
	bare := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	program := shell.QuotePath(bare)
	if language.Name == "qdpll" {
		return fmt.Sprintf("%s -o %s %s -lqdpll", compiler, program, source)
	}
	if target == nil {
		return fmt.Sprintf("%s -o %s %s -lYOURSOLVER", compiler, program, source)
	}
	switch target.Kind {
	case replay.BuiltIn:
		self, err := os.Executable()
		if library := builtInLibrary(self); err == nil && library != "" {
			return linkCommand(compiler, program, source, library)
		}
		return fmt.Sprintf("%s -o %s %s -L BUILD -lipafuzzref -Wl,-rpath,BUILD # BUILD: the directory build of ipafuzz, "+
			"after 'make build' there", compiler, program, source)
	case replay.Static:
		link, after, err := native.LinkCommand(target)
		if err != nil { // the target's files are gone
			link = strings.Fields(compiler)
		}
		return fmt.Sprintf("%s -c %s && %s", compiler, source,
			shell.Join(slices.Concat(link, []string{"-o", bare, bare + ".o"}, after)...))
	case replay.Library:
		library, err := filepath.Abs(target.Path)
		if err != nil {
			library = target.Path
		}
		return linkCommand(compiler, program, source, library)
	}
	return fmt.Sprintf("%s -o %s %s -lYOURSOLVER", compiler, program, source)
}

func linkCommand(compiler, program, source, library string) string {
	return fmt.Sprintf("%s -o %s %s %s -Wl,-rpath,%s", compiler, program, source, shell.Quote(library),
		shell.Quote(filepath.Dir(library)))
}

// builtInLibrary returns the built-in solver as a shared library, which 'make build' puts beside ipafuzz; "" if it
// is not there.
func builtInLibrary(ipafuzz string) string {
	library := filepath.Join(filepath.Dir(ipafuzz), "libipafuzzref.so")
	if _, err := os.Stat(library); err != nil {
		return ""
	}
	return library
}
