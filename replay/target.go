package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
)

// Kind says where a target's functions come from.
type Kind string

// The kinds of targets.
const (
	BuiltIn Kind = "built-in" // the reference library, part of this program
	Library Kind = "library"  // a shared library, opened by dlopen
	Static  Kind = "static"   // an official libipamir<name>.a directory, linked with the executor
	Pipe    Kind = "pipe"     // a program that speaks docs/protocol.md on its stdin and stdout
	File    Kind = "file"     // a program that is given a file with a formula and prints an answer
)

// A Target is a solver library under test, with the options that the user chose.
type Target struct {
	Name     string // as the user gave it; part of a finding's key
	Kind     Kind
	Path     string // of a library or of a directory
	Model    *apimodel.Model
	Settings []Setting
	Policies map[string]string
	Lacks    []string // capabilities that the user says it does not have
	Bounds   apimodel.Bounds
	Command  []string // of a pipe or file target

	file      *fileTarget
	dir       string // that the command of a pipe or file target runs in; "" is the current one
	archive   string // of a static target: its static library
	program   string // of a static target: the linked worker
	allocator bool   // the library exports a malloc of its own
}

// A Setting is an option with its value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A TargetError is a target that cannot be used: the caller's mistake, or a
// library that is not one. It is never a finding.
type TargetError struct {
	Target string
	Reason string
}

func (e *TargetError) Error() string { return fmt.Sprintf("target %s: %s", e.Target, e.Reason) }

func unusable(target, format string, args ...any) error {
	return &TargetError{Target: target, Reason: fmt.Sprintf(format, args...)}
}

// A SpecError is a TargetError whose cause is not the target: what the user
// wrote names none.
type SpecError struct{ TargetError }

// Unwrap makes it a target that cannot be used.
func (e *SpecError) Unwrap() error { return &e.TargetError }

func misnamed(target, format string, args ...any) error {
	return &SpecError{TargetError{target, fmt.Sprintf(format, args...)}}
}

// Resolve turns what the user wrote into a target. A spec is the name of an
// entry in the targets file, "ref", the path of a library, the path of a
// directory, or "pipe:" and a command, split at blanks; behind all but the last a colon may stand with options: "ref:defect=17,maxsat=...".
// Model is "ipasir", "ipamir", or "" for IPAMIR where the target serves it.
func Resolve(spec, model string, file *TargetsFile) (*Target, error) {
	if command, ok := strings.CutPrefix(spec, pipePrefix); ok {
		t := &Target{Name: spec, Kind: Pipe, Command: strings.Fields(command)}
		return t, resolvePipe(t, model)
	}
	name, options, err := splitSpec(spec)
	if err != nil {
		return nil, err
	}
	t := &Target{Name: spec, Path: name, Settings: options}
	if entry := file.entry(name); entry != nil {
		if err := entry.fill(t, &model); err != nil {
			return nil, err
		}
		name = t.Path
		switch t.Kind {
		case Pipe:
			return t, resolvePipe(t, model)
		case File:
			return t, resolveFile(t, model)
		}
	}
	wanted, err := modelNamed(spec, model)
	if err != nil {
		return nil, err
	}
	if name == "ref" {
		t.Kind = BuiltIn
		return t, resolveBuiltIn(t, wanted)
	}
	stat, err := os.Stat(name)
	switch {
	case err != nil && !strings.ContainsRune(name, filepath.Separator) && !strings.Contains(name, ".so"):
		return nil, misnamed(spec, "there is no target of that name%s and no file %s; built in is: ref", file.known(), name)
	case err != nil:
		return nil, misnamed(spec, "%v", err)
	case stat.IsDir():
		t.Kind = Static
		return t, resolveDirectory(t, wanted)
	}
	t.Kind = Library
	return t, resolveLibrary(t, wanted)
}

// modelNamed finds a model; "" is none.
func modelNamed(spec, model string) (*apimodel.Model, error) {
	m := apimodel.ByName(model)
	if m == nil && model != "" {
		return nil, misnamed(spec, "there is no API model %q; there are %s", model, apimodel.Names())
	}
	return m, nil
}

// splitSpec cuts "path:name=value,name=value". A path may hold colons itself:
// the options begin behind the last one that an existing file does not contain.
func splitSpec(spec string) (name string, options []Setting, err error) {
	if spec == "" {
		return "", nil, misnamed(`""`, "a target is a path, a name from the targets file, or ref")
	}
	if _, err := os.Stat(spec); err == nil {
		return spec, nil, nil
	}
	name, list, found := spec, "", false
	if i := strings.LastIndexByte(spec, ':'); i >= 0 {
		name, list, found = spec[:i], spec[i+1:], true
	}
	if !found {
		return spec, nil, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok || key == "" || value == "" || strings.ContainsAny(item, " \t\n\x00") {
			return "", nil, misnamed(spec, "want options as name=value,name=value behind the colon, got %q", item)
		}
		options = append(options, Setting{key, value})
	}
	return name, options, nil
}

func resolveBuiltIn(t *Target, wanted *apimodel.Model) error {
	t.Model = wanted
	for i, s := range t.Settings {
		if s.Name != "defect" && s.Name != "second" {
			continue
		}
		defect, ok := findDefect(s.Value)
		if !ok {
			return misnamed(t.Name, "there is no defect %q; 'ipafuzz defects' lists them", s.Value)
		}
		if t.Model == nil && defect.Model != "both" {
			t.Model = apimodel.ByName(defect.Model)
		}
		if t.Model != nil && defect.Number != 0 && defect.Model != "both" && defect.Model != t.Model.Name && defect.Model != t.Model.Interface().Name {
			return misnamed(t.Name, "defect %d (%s) is one of the %s side, the model is %s", defect.Number, defect.Name, defect.Model, t.Model.Name)
		}
		t.Settings[i].Value = fmt.Sprint(defect.Number)
	}
	if t.Model == nil {
		t.Model = apimodel.IPAMIR
	}
	return nil
}

// ForModel returns the target as it serves another model: itself, or a copy
// when it can.
func (t *Target) ForModel(m *apimodel.Model, file *TargetsFile) (*Target, error) {
	if t.Model == m {
		return t, nil
	}
	other, err := Resolve(t.Name, m.Name, file)
	if err != nil {
		var reason *TargetError
		if errors.As(err, &reason) {
			err = errors.New(reason.Reason) // the target is named once
		}
		return nil, unusable(t.Name, "the trace is for model %s, which the target does not serve: %v", m.Name, err)
	}
	return other, nil
}

// findDefect finds a planted defect of the built-in library by number or name;
// 0 and "none" are the healthy library.
func findDefect(spec string) (ref.Defect, bool) {
	if spec == "0" || spec == "none" {
		return ref.Defect{Name: "none", Model: "both"}, true
	}
	for _, d := range ref.Defects() {
		if spec == d.Name || spec == fmt.Sprint(d.Number) {
			return d, true
		}
	}
	return ref.Defect{}, false
}
