// Package targets finds the target that a user names: in a targets file, by its path, or as
// a command. It is the only package that knows all kinds of targets.
package targets

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/file"
	"github.com/ipafuzz/ipafuzz/replay/native"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/replay/translate"
)

// Resolve turns a spec into a target. A spec is the name of an entry in the targets file,
// "ref", the path of a library, the path of a directory, or "pipe:" and a command, split at
// blanks. Options may follow after a colon, except after a command:
// "ref:defect=17,maxsat=...". The model is the name of an API model. If it is "", Resolve
// chooses one that the target serves: IPAMIR if possible. The file may be nil.
func Resolve(spec, model string, f *File) (*replay.Target, error) {
	if command, ok := strings.CutPrefix(spec, pipe.Prefix); ok {
		t := &replay.Target{Name: spec, Kind: replay.Pipe, Command: strings.Fields(command)}
		return complete(t, model, f)
	}
	name, options, err := splitSpec(spec)
	if err != nil {
		return nil, err
	}
	if here, ok := nameOfHere(name); ok {
		name, spec = here, here+strings.TrimPrefix(spec, name)
	}
	t := &replay.Target{Name: spec, Path: name, Settings: options}
	if e := f.entry(name); e != nil {
		if err := e.fill(t, &model); err != nil {
			return nil, err
		}
	}
	return complete(t, model, f)
}

// IsCommand reports whether a spec is a command, or names one in the file.
func (f *File) IsCommand(spec string) bool {
	if strings.HasPrefix(spec, pipe.Prefix) {
		return true
	}
	name, _, err := splitSpec(spec)
	e := f.entry(name)
	return err == nil && e != nil && len(e.Command) > 0
}

// nameOfHere returns a path of the working directory that ends in its name, if name is a path such as
// ".": the name of a target is part of the keys of its findings.
func nameOfHere(name string) (string, bool) {
	if filepath.Clean(name) != "." || name == "" {
		return "", false
	}
	directory, err := os.Getwd()
	if err == nil {
		directory, err = filepath.EvalSymlinks(directory)
	}
	if err != nil || filepath.Dir(directory) == directory {
		return "", false
	}
	return filepath.Join("..", filepath.Base(directory)), true
}

// complete lets the package of the target's kind complete the target. Only this function
// knows all kinds.
func complete(t *replay.Target, model string, f *File) (*replay.Target, error) {
	// Every page and command shows the name, and a terminal would obey it.
	if strings.ContainsFunc(t.Name, printable.IsOrder) {
		return nil, replay.Misnamed(t.Name, "the name has control characters; rename it, or give it a name in a targets file")
	}
	wanted, err := modelNamed(t.Name, model)
	if err != nil {
		return nil, err
	}
	if t.Kind == "" {
		if t.Kind, err = kindOf(t, f); err != nil {
			return nil, err
		}
	}
	t.Uncontained = f != nil && f.Uncontained
	if wanted != nil && wanted.File && t.Kind != replay.File {
		if err := completeAs(t, wanted.Asks); err != nil {
			return nil, err
		}
		translate.Target(t, wanted)
		return t, nil
	}
	if err := completeAs(t, wanted); err != nil {
		return nil, err
	}
	return t, nil
}

// completeAs completes a target for the model, or for one that it serves if wanted is nil.
func completeAs(t *replay.Target, wanted *apimodel.Model) (err error) {
	switch t.Kind {
	case replay.BuiltIn:
		err = native.ResolveBuiltIn(t, wanted)
	case replay.Library:
		err = native.ResolveLibrary(t, wanted)
	case replay.Static:
		err = native.ResolveStatic(t, wanted)
	case replay.Pipe:
		err = pipe.Resolve(userfile.Until(), t, wanted)
	case replay.File:
		err = file.Resolve(t, wanted)
	}
	return err
}

// kindOf returns the kind of a target that is not a command: what is at its path.
func kindOf(t *replay.Target, f *File) (replay.Kind, error) {
	if t.Path == "ref" {
		return replay.BuiltIn, nil
	}
	stat, err := os.Stat(t.Path)
	switch {
	case err != nil && !strings.ContainsRune(t.Path, filepath.Separator) && !strings.Contains(t.Path, ".so"):
		return "", replay.Misnamed(t.Name, "there is no target of that name%s and no file %s; built in is: ref",
			f.known(), t.Path)
	case errors.Is(err, fs.ErrNotExist):
		return "", replay.Misnamed(t.Name, "there is no file %s", t.Path)
	case err != nil:
		return "", replay.Misnamed(t.Name, "%v", err)
	case !stat.IsDir() && !stat.Mode().IsRegular(): // to open a pipe would wait for its writer
		return "", replay.Misnamed(t.Name, "it is neither a file nor a directory (%v)", stat.Mode().Type())
	case stat.IsDir(), native.IsArchive(t.Path):
		return replay.Static, nil
	}
	return replay.Library, nil
}

// modelNamed returns the model of that name, or nil if the name is "".
func modelNamed(spec, model string) (*apimodel.Model, error) {
	m := apimodel.ByName(model)
	if m == nil && model != "" {
		return nil, replay.Misnamed(spec, "there is no API model %q; there are %s", model, apimodel.Names())
	}
	return m, nil
}

// splitSpec splits "path:name=value,name=value". Because a path may contain colons, too, the
// options follow the last colon, unless the whole spec is an existing file.
func splitSpec(spec string) (name string, options []replay.Setting, err error) {
	if spec == "" {
		return "", nil, replay.Misnamed(`""`, "a target is a path, a name from the targets file, or ref")
	}
	if _, err := os.Stat(spec); err == nil {
		return spec, nil, nil
	}
	i := strings.LastIndexByte(spec, ':')
	if i < 0 {
		return spec, nil, nil
	}
	for item := range strings.SplitSeq(spec[i+1:], ",") {
		key, value, ok := strings.Cut(item, "=")
		if !ok || key == "" || value == "" || strings.ContainsAny(item, " \t\n\x00") {
			return "", nil, replay.Misnamed(spec, "want options as name=value,name=value after the colon, got %q", item)
		}
		if slices.ContainsFunc(options, func(o replay.Setting) bool { return o.Name == key }) {
			return "", nil, replay.Misnamed(spec, "option %s is set twice", key)
		}
		options = append(options, replay.Setting{Name: key, Value: value})
	}
	return spec[:i], options, nil
}

// ForModel returns the target for the model of a trace. If the target is run under another model, ForModel
// returns a copy of it under that one, or an error if the target does not serve it or the user asked for another.
func ForModel(t *replay.Target, m *apimodel.Model, f *File) (*replay.Target, error) {
	if f != nil && f.Only != "" && f.Only != m.Name {
		return nil, replay.Unusable(t.Name, "the trace is for model %s, not for %s", m.Name, f.Only)
	}
	if t.Model == m {
		return t, nil
	}
	other, err := Resolve(t.Name, m.Name, f)
	if err != nil {
		if reason, ok := errors.AsType[*replay.TargetError](err); ok {
			err = errors.New(reason.Reason) // without the name of the target, which the message has already
		}
		return nil, replay.Unusable(t.Name, "the trace is for model %s, which the target does not serve: %v", m.Name, err)
	}
	return other, nil
}
