// Package configfile lets a TOML file give the flags of a command.
package configfile

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Flag names a TOML file with values for other flags of the command. Its keys are the names of the flags; the
// command line takes precedence.
type Flag string

// BeforeResolve reads the file and checks its keys. The parser calls it after it has parsed the command
// line.
func (Flag) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := string(ctx.FlagValue(trace.Flag).(Flag))
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--%s: %w", trace.Flag.Name, err)
	}
	file := settings{path: path, text: string(text)}
	var parse toml.ParseError
	if _, err := toml.Decode(file.text, &file.values); errors.As(err, &parse) {
		return fmt.Errorf("%s:%d:%d: %s", path, parse.Position.Line, parse.Position.Col, parse.Message)
	} else if err != nil {
		return err
	}
	var known []string
	for _, flag := range ctx.Selected().AllFlags(true) {
		for _, f := range flag {
			known = append(append(known, f.Name), f.Aliases...)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(file.values)) {
		if !slices.Contains(known, key) || key == trace.Flag.Name || key == "help" {
			return fmt.Errorf("%s: unknown key %s; the keys are the names of flags, without the dashes",
				file.place(key), key)
		}
	}
	ctx.AddResolver(file)
	return nil
}

// settings are the values of flags in a file.
type settings struct {
	path, text string
	values     map[string]any
}

// place returns the file and line of a key. The TOML decoder reports only the line of a key that occurs
// twice, so place adds the key once more.
func (f settings) place(key string) string {
	var parse toml.ParseError
	var values map[string]any
	_, err := toml.Decode(fmt.Sprintf("%q = 0\n%s", key, f.text), &values)
	if errors.As(err, &parse) && parse.Position.Line > 1 {
		return fmt.Sprintf("%s:%d", f.path, parse.Position.Line-1)
	}
	return f.path
}

// Validate does nothing: BeforeResolve has checked the keys.
func (f settings) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag in the file, or nil.
func (f settings) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	key := flag.Name
	for _, alias := range flag.Aliases {
		if _, isGiven := f.values[alias]; isGiven {
			key = alias
		}
	}
	given, isGiven := f.values[key]
	if !isGiven {
		return nil, nil
	}
	value, err := asFlag(given, flag)
	if err == nil {
		// Decode the value here, too: an error of the parser would not name the file.
		decoded := reflect.New(flag.Target.Type()).Elem()
		if decoded.Kind() == reflect.Pointer {
			decoded.Set(reflect.New(decoded.Type().Elem()))
		}
		scan := kong.Scan().PushTyped(value, kong.FlagValueToken)
		err = flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, decoded)
		if word, ok := value.(string); err == nil && ok && flag.Enum != "" && !flag.EnumMap()[word] {
			err = fmt.Errorf("want %s, got %q", strings.Join(flag.EnumSlice(), " or "), word)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.place(key), err)
	}
	return value, nil
}

// asFlag converts a value to one that the parser of command lines takes.
func asFlag(value any, flag *kong.Flag) (any, error) {
	wrong := func(want string) error { return fmt.Errorf("want %s, got %s", want, printable.Value(value)) }
	list, isList := value.([]any)
	switch {
	case flag.Target.Kind() == reflect.Slice:
		if !isList {
			list = []any{value}
		}
		words := make([]any, len(list))
		for i, item := range list {
			word, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("want words in quotes, got %s", printable.Value(item))
			}
			words[i] = word
		}
		return words, nil
	case flag.IsBool():
		if _, ok := value.(bool); !ok {
			return nil, wrong("true or false")
		}
		return value, nil
	}
	switch value.(type) {
	case string, int64, float64:
		return strings.TrimSpace(fmt.Sprint(value)), nil
	}
	return nil, wrong("a word in quotes or a number")
}
