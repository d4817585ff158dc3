package targets

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/replay"
)

// libraryEntry holds the keys for a library that exports nothing of ipafuzz.h. They describe its
// options, how to set them, and its policies.
type libraryEntry struct {
	SetOption      string `toml:"set-option"`
	SetOptionTakes string `toml:"set-option-takes"`
	Describe       string `toml:"describe"`
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// fill copies the entry to the target. The description is a text, or the path of a file relative
// to dir.
func (e *libraryEntry) fill(t *replay.Target, dir string) error {
	if *e == (libraryEntry{}) {
		return nil
	}
	if len(t.Command) > 0 || t.Path == "ref" {
		return errors.New("set-option, set-option-takes and describe are for libraries and directories")
	}
	switch {
	case e.SetOption == "" && e.SetOptionTakes != "":
		return errors.New("set-option-takes needs the key set-option, which names the function")
	case e.SetOption == "":
	case !identifier.MatchString(e.SetOption):
		return fmt.Errorf("set-option is %q, want the name of a C function", e.SetOption)
	}
	t.Setter = replay.Setter{Function: e.SetOption, Takes: e.SetOptionTakes}
	switch e.SetOptionTakes {
	case "":
		if e.SetOption != "" {
			t.Setter.Takes = "int"
		}
	case "int", "string":
	default:
		return fmt.Errorf("set-option-takes is %q, want int or string", e.SetOptionTakes)
	}
	if t.Describe = e.Describe; e.Describe != "" && !strings.ContainsAny(e.Describe, " \n") {
		path := e.Describe
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		text, err := userfile.ReadFile(path)
		if err != nil {
			return fmt.Errorf("describe: %w", err)
		}
		t.Describe = string(text)
	}
	d, err := apimodel.ParseDescription(t.Describe)
	if err == nil && t.Setter.Takes == "int" {
		err = allInts(d.Options)
	}
	if err != nil {
		return fmt.Errorf("describe: %w", err)
	}
	return nil
}

// allInts returns an error if a function that takes an int cannot set one of the options.
func allInts(options []apimodel.Option) error {
	for _, o := range options {
		word := func(value string) bool {
			_, ok := apimodel.AsInt(value)
			return !ok
		}
		if o.Kind == apimodel.Real || o.Kind == apimodel.Choice && slices.ContainsFunc(o.Choices, word) ||
			o.Kind == apimodel.Int && (o.Min < math.MinInt32 || o.Max > math.MaxInt32) {
			return fmt.Errorf("option %s takes %s, but the function that sets options takes an int "+
				"(set-option-takes = \"string\" is for one that takes a text)", o.Name, o.Range())
		}
	}
	return nil
}
