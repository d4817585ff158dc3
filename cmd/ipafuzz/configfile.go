package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"
)

// A configFlag names a TOML file with values for other flags of the command. Its
// keys are their names; what the command line says counts more.
type configFlag string

// BeforeResolve is called by the parser of command lines when it has read them.
func (c configFlag) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := string(ctx.FlagValue(trace.Flag).(configFlag))
	file := configFile{path: path}
	var parse toml.ParseError
	if _, err := toml.DecodeFile(path, &file.values); errors.As(err, &parse) {
		return fmt.Errorf("%s:%d:%d: %s", path, parse.Position.Line, parse.Position.Col, parse.Message)
	} else if err != nil {
		return err
	}
	var known []string
	for _, flag := range ctx.Selected().AllFlags(true) {
		for _, f := range flag {
			known = append(known, f.Name)
		}
	}
	for key := range file.values {
		if !slices.Contains(known, key) || key == trace.Flag.Name || key == "help" {
			return fmt.Errorf("%s: there is no key %s; the keys are the names of flags, without the dashes", path, key)
		}
	}
	ctx.AddResolver(file)
	return nil
}

// A configFile resolves flags.
type configFile struct {
	path   string
	values map[string]any
}

// Validate has nothing to say: the keys were looked at when the file was read.
func (f configFile) Validate(*kong.Application) error { return nil }

// Resolve returns what the file says of a flag, nil when it says nothing.
func (f configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, there := f.values[flag.Name]
	if !there {
		return nil, nil
	}
	wrong := func(want string) error { return fmt.Errorf("%s: want %s, got %v", f.path, want, value) }
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
				return nil, wrong("words")
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
	return nil, wrong("a word or a number")
}
