package replay

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// A TargetsFile names targets, so that a long path with its options is written
// once. It is TOML:
//
//	[targets.mysolver]
//	path = "build/libmysolver.so"       # relative to the file
//	model = "ipamir"                    # optional
//	options = { engine = "core" }       # optional
//	policies = { soft-zero = "rejected" }
//	lacks = ["terminate"]
//
//	[targets.myrunner]
//	command = ["python3", "runner.py"]  # runs in the file's directory
//
//	[targets.myprogram]                 # a file target: it has a format
//	command = ["solver", "{file}"]
//	format = "wcnf"
type TargetsFile struct {
	path    string
	Targets map[string]*targetEntry `toml:"targets"`
}

type targetEntry struct {
	Path     string            `toml:"path"`
	Command  []string          `toml:"command"`
	Model    string            `toml:"model"`
	Options  map[string]string `toml:"options"`
	Policies map[string]string `toml:"policies"`
	Lacks    []string          `toml:"lacks"`
	boundsEntry
	fileEntry

	name string
	file *TargetsFile
}

// boundsEntry are the bounds of a target's traces; 0 is none.
type boundsEntry struct {
	MaxVars   int64 `toml:"max-vars"`
	MaxCalls  int64 `toml:"max-calls"`
	MaxWeight int64 `toml:"max-weight"`
	MaxSum    int64 `toml:"max-sum"`
}

func (e *boundsEntry) bounds() (apimodel.Bounds, error) {
	for name, limit := range map[string]int64{"max-vars": e.MaxVars, "max-calls": e.MaxCalls, "max-weight": e.MaxWeight, "max-sum": e.MaxSum} {
		switch {
		case limit < 0:
			return apimodel.Bounds{}, fmt.Errorf("%s is %d, want a number above 0", name, limit)
		case name == "max-calls" && limit > 0 && limit < apimodel.FewestCalls:
			return apimodel.Bounds{}, fmt.Errorf("%s is %d, want %d or more", name, limit, apimodel.FewestCalls)
		}
	}
	return apimodel.Bounds{MaxVars: uint64(e.MaxVars), MaxCalls: uint64(e.MaxCalls), MaxWeight: uint64(e.MaxWeight), MaxSum: uint64(e.MaxSum)}, nil
}

// DefaultTargetsFile is read when it is there and no other is named.
const DefaultTargetsFile = "ipafuzz.toml"

// ReadTargetsFile reads a targets file. With an empty path it reads
// ipafuzz.toml, if there is one; then no targets are not an error.
func ReadTargetsFile(path string) (*TargetsFile, error) {
	optional := path == ""
	if optional {
		path = DefaultTargetsFile
	}
	file := &TargetsFile{path: path}
	meta, err := toml.DecodeFile(path, file)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	var parse toml.ParseError
	switch {
	case errors.As(err, &parse):
		return nil, fmt.Errorf("targets file %s:%d:%d: %s", path, parse.Position.Line, parse.Position.Col, parse.Message)
	case err != nil:
		return nil, fmt.Errorf("targets file: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("targets file %s: there is no key %s", file.place(unknown[0]), unknown[0])
	}
	for name, entry := range file.Targets {
		entry.name, entry.file = name, file
		switch {
		case entry.Path == "" && len(entry.Command) == 0:
			return nil, fmt.Errorf("targets file %s: target %s has no path", path, name)
		case entry.Path != "" && len(entry.Command) > 0:
			return nil, fmt.Errorf("targets file %s: target %s has both a path and a command", path, name)
		case entry.Format != "" && len(entry.Command) == 0:
			return nil, fmt.Errorf("targets file %s: target %s has a format, which is for those with a command", path, name)
		case entry.Format == "" && !reflect.DeepEqual(entry.fileEntry, fileEntry{}):
			return nil, fmt.Errorf("targets file %s: target %s has no format, and keys that only targets with one have", path, name)
		}
	}
	return file, nil
}

// place is the file and, where it is plain to see, the line of a key, which the
// reader of TOML does not say.
func (f *TargetsFile) place(key toml.Key) string {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return f.path
	}
	var table, last string
	if len(key) > 0 {
		table, last = toml.Key(key[:len(key)-1]).String(), key[len(key)-1]
	}
	in := ""
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		name, _, isKey := strings.Cut(line, "=")
		header := strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]")
		if header {
			in = strings.Trim(line, "[] ")
		}
		if header && (in == key.String() || strings.HasPrefix(in, key.String()+".")) || !header && isKey && in == table && strings.Trim(name, ` "'`) == last {
			return fmt.Sprintf("%s:%d", f.path, i+1)
		}
	}
	return f.path
}

func (f *TargetsFile) entry(name string) *targetEntry {
	if f == nil {
		return nil
	}
	return f.Targets[name]
}

// Names lists the targets of the file in alphabetical order.
func (f *TargetsFile) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.Targets))
}

// Path is where the file was read.
func (f *TargetsFile) Path() string { return f.path }

// known lists the names for an error message.
func (f *TargetsFile) known() string {
	if f == nil || len(f.Targets) == 0 {
		return ""
	}
	return fmt.Sprintf(" in %s (which has %s)", f.path, strings.Join(f.Names(), ", "))
}

func (e *targetEntry) fill(t *Target, model *string) error {
	t.Path = e.Path
	var err error
	if t.Bounds, err = e.bounds(); err != nil {
		return unusable(t.Name, "targets file %s: %v", e.file.path, err)
	}
	if len(e.Command) > 0 {
		t.Kind, t.Command, t.dir = Pipe, e.Command, filepath.Dir(e.file.path)
		if e.Format != "" {
			if t.file, err = e.fileEntry.target(&t.Bounds); err != nil {
				return unusable(e.name, "%v (in %s)", err, e.file.path)
			}
			t.Kind = File
		}
	} else if t.Path != "ref" && !filepath.IsAbs(t.Path) {
		t.Path = filepath.Join(filepath.Dir(e.file.path), t.Path)
		if _, err := os.Stat(t.Path); err != nil {
			return unusable(t.Name, "targets file %s: %v", e.file.path, err)
		}
	}
	if _, err := modelNamed(e.name, e.Model); err != nil {
		return err // also where another model is asked for
	}
	if *model == "" {
		*model = e.Model
	}
	var names []string
	for name := range e.Options {
		names = append(names, name)
	}
	slices.Sort(names)
	var settings []Setting
	for _, name := range names {
		settings = append(settings, Setting{name, e.Options[name]})
	}
	t.Settings = append(settings, t.Settings...) // what stands behind the colon comes later and wins
	for name, value := range e.Policies {
		if err := apimodel.CheckPolicy(name, value); err != nil {
			return unusable(t.Name, "targets file %s: %v", e.file.path, err)
		}
	}
	t.Policies, t.Lacks = e.Policies, e.Lacks
	return nil
}
