package targets

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
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/file"
)

// A File names targets, so that a long path with its options is written once. It is
// TOML:
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
type File struct {
	path    string
	text    string
	Targets map[string]*entry `toml:"targets"`

	// Uncontained applies to all targets that are resolved with this file, whether or not
	// they are in it.
	Uncontained bool `toml:"-"`

	// Only is the model that the user asked for: ForModel refuses the others. "" means any.
	Only string `toml:"-"`
}

type entry struct {
	Path     string            `toml:"path"`
	Command  []string          `toml:"command"`
	Model    string            `toml:"model"`
	Options  map[string]string `toml:"options"`
	Policies map[string]string `toml:"policies"`
	Lacks    []string          `toml:"lacks"`
	boundsEntry
	libraryEntry
	file.Entry

	name string
	from *File
}

// boundsEntry holds the bounds of a target's traces. 0 means no bound.
type boundsEntry struct {
	MaxVars   int64 `toml:"max-vars"`
	MaxCalls  int64 `toml:"max-calls"`
	MaxWeight int64 `toml:"max-weight"`
	MaxSum    int64 `toml:"max-sum"`
}

func (e *boundsEntry) bounds() (apimodel.Bounds, error) {
	for name, limit := range map[string]int64{
		"max-vars": e.MaxVars, "max-calls": e.MaxCalls, "max-weight": e.MaxWeight, "max-sum": e.MaxSum,
	} {
		switch {
		case limit < 0:
			return apimodel.Bounds{}, fmt.Errorf("%s is %d, want a number above 0", name, limit)
		case name == "max-calls" && limit > 0 && limit < apimodel.FewestCalls:
			return apimodel.Bounds{}, fmt.Errorf("%s is %d, want %d or more", name, limit, apimodel.FewestCalls)
		}
	}
	return apimodel.Bounds{
		MaxVars: uint64(e.MaxVars), MaxCalls: uint64(e.MaxCalls),
		MaxWeight: uint64(e.MaxWeight), MaxSum: uint64(e.MaxSum),
	}, nil
}

// DefaultFile is the targets file that is read if the user names no other.
const DefaultFile = "ipafuzz.toml"

// ReadFile reads a targets file. If the path is empty, it reads DefaultFile; if that does
// not exist, it returns a file without targets.
func ReadFile(path string) (*File, error) {
	optional := path == ""
	if optional {
		path = DefaultFile
	}
	f := &File{path: path}
	text, err := userfile.ReadFile(path)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("targets file: %w", err)
	}
	f.text = string(text)
	if err := f.load(); err != nil {
		return nil, err
	}
	return f, nil
}

// expected says what may stand where an unknown key does.
func expected(unknown toml.Key) string {
	if unknown[0] != "targets" || len(unknown) < 3 {
		return "each target has a section [targets.NAME]"
	}
	var keys []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[entry]()) {
		if key := field.Tag.Get("toml"); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return "the keys of a target are " + strings.Join(keys, ", ")
}

// load decodes and checks the text.
func (f *File) load() error {
	meta, err := f.decode()
	if err != nil {
		return fmt.Errorf("targets file %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("targets file %s: unknown key %s; %s", f.place(unknown[0]), unknown[0], expected(unknown[0]))
	}
	for name, e := range f.Targets {
		e.name, e.from = name, f
		if wrong := e.wrong(); wrong != "" {
			return fmt.Errorf("targets file %s: target %s has %s", f.path, name, wrong)
		}
	}
	return nil
}

// wrong returns which keys of the entry contradict one another, or "".
func (e *entry) wrong() string {
	switch {
	case e.Path == "" && len(e.Command) == 0:
		return "no path"
	case e.Path != "" && len(e.Command) > 0:
		return "both a path and a command"
	case e.Format != "" && len(e.Command) == 0:
		return "a format but no command"
	case e.Format == "" && !reflect.DeepEqual(e.Entry, file.Entry{}):
		return strings.Join(keysOf(&e.Entry), ", ") + ", for programs that read a file, and no format"
	}
	return ""
}

func keysOf(e *file.Entry) (keys []string) {
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			keys = append(keys, v.Type().Field(i).Tag.Get("toml"))
		}
	}
	return keys
}

// decode decodes the text. Its errors name the line.
func (f *File) decode() (toml.MetaData, error) {
	var values map[string]any
	var parse toml.ParseError
	_, err := toml.Decode(f.text, &values)
	if err == nil {
		if wrong := checkTypes(nil, values, reflect.TypeFor[File]()); wrong != nil {
			return toml.MetaData{}, fmt.Errorf("%s: %w", f.place(wrong.key), wrong)
		}
	}
	meta, err := toml.Decode(f.text, f)
	switch {
	case errors.As(err, &parse):
		return meta, fmt.Errorf("%s:%d:%d: %s", f.path, parse.Position.Line, parse.Position.Col, parse.Message)
	case err != nil:
		return meta, fmt.Errorf("%s: %w", f.path, err)
	}
	return meta, nil
}

// place returns the path and, if it can find it, the line of a key or of the table around the
// key. The TOML decoder does not report lines of keys.
func (f *File) place(key toml.Key) string {
	for ; len(key) > 0; key = key[:len(key)-1] {
		in := ""
		for i, line := range strings.Split(f.text, "\n") {
			line = strings.TrimSpace(line)
			name, _, isKey := strings.Cut(line, "=")
			header := strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]")
			if header {
				in = strings.Trim(line, "[] ")
			}
			isTable := header && (in == key.String() || strings.HasPrefix(in, key.String()+"."))
			name = strings.Trim(name, ` "'`)
			if in != "" {
				name = in + "." + name
			}
			if isTable || !header && isKey && (name == key.String() || strings.HasPrefix(name, key.String()+".")) {
				return fmt.Sprintf("%s:%d", f.path, i+1)
			}
		}
	}
	return f.path
}

func (f *File) entry(name string) *entry {
	if f == nil {
		return nil
	}
	return f.Targets[name]
}

// Names lists the targets of the file in alphabetical order.
func (f *File) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.Targets))
}

// Path returns the path that the file was read from.
func (f *File) Path() string { return f.path }

// known lists the targets of the file for an error message.
func (f *File) known() string {
	if f == nil || len(f.Targets) == 0 {
		return ""
	}
	return fmt.Sprintf(" in %s (which has %s)", f.path, strings.Join(f.Names(), ", "))
}

func (e *entry) unusable(target string, err error) error {
	return replay.Unusable(target, "targets file %s: %v", e.from.path, err)
}

// fill copies the entry to a target. It also sets the model, unless the caller asked for one.
func (e *entry) fill(t *replay.Target, model *string) error {
	t.Path = e.Path
	var err error
	if t.Bounds, err = e.bounds(); err != nil {
		return e.unusable(t.Name, err)
	}
	switch {
	case len(e.Command) > 0:
		t.Kind, t.Command, t.Dir = replay.Pipe, e.Command, filepath.Dir(e.from.path)
		if e.Format == "" {
			break
		}
		t.Kind = replay.File
		if t.Driver, err = e.Entry.Driver(&t.Bounds); err != nil {
			return replay.Unusable(e.name, "%v (in %s)", err, e.from.path)
		}
	case t.Path != "ref" && !filepath.IsAbs(t.Path):
		t.Path = filepath.Join(filepath.Dir(e.from.path), t.Path)
		if _, err := os.Stat(t.Path); errors.Is(err, fs.ErrNotExist) {
			return e.unusable(t.Name, fmt.Errorf("path: there is no file %s", t.Path))
		} else if err != nil {
			return e.unusable(t.Name, fmt.Errorf("path: %w", err))
		}
	}
	if _, err := modelNamed(e.name, e.Model); err != nil {
		return err // even if the caller asked for another model
	}
	if *model == "" {
		*model = e.Model
	}
	var settings []replay.Setting
	for _, name := range slices.Sorted(maps.Keys(e.Options)) {
		settings = append(settings, replay.Setting{Name: name, Value: e.Options[name]})
	}
	t.Settings = append(settings, t.Settings...) // options after the colon come last and win
	for name, value := range e.Policies {
		if err := apimodel.CheckPolicy(name, value); err != nil {
			return e.unusable(t.Name, err)
		}
	}
	t.Policies, t.Lacks = e.Policies, e.Lacks
	switch err := e.libraryEntry.fill(t, filepath.Dir(e.from.path)); {
	case userfile.IsOver(err):
		return err // the user ended the wait: the target is not to blame
	case err != nil:
		return e.unusable(t.Name, err)
	}
	return nil
}
