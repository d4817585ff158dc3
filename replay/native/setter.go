package native

import (
	"regexp"
	"slices"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
	"github.com/ipafuzz/ipafuzz/replay"
)

func setterOf(t *replay.Target) exec.Setter {
	setter := exec.Setter{Function: t.Setter.Function, Takes: exec.TakesValues}
	switch t.Setter.Takes {
	case "int":
		setter.Takes = exec.TakesInt
	case "string":
		setter.Takes = exec.TakesText
	}
	return setter
}

// settersLook matches usual names of C functions that set options by name.
var settersLook = regexp.MustCompile(`(?i)^[a-z]\w*set_?(opt(ion)?|param(eter)?)$`)

// Setters implements replay.NativeDriver.
func (d *driver) Setters(t *replay.Target) []string {
	exported, err := d.exported(t)
	if err != nil {
		return nil
	}
	var setters []string
	for name := range exported {
		if settersLook.MatchString(name) && !slices.Contains(ownSymbols, name) && !slices.Contains(ipasir2Symbols, name) {
			setters = append(setters, name)
		}
	}
	slices.Sort(setters)
	return setters
}

// exported returns the functions of a library or an archive, and none for other targets.
func (d *driver) exported(t *replay.Target) (map[string]bool, error) {
	switch t.Kind {
	case replay.Library:
		return librarySymbols(t.Path)
	case replay.Static:
		return archiveSymbols(d.archive)
	}
	return nil, nil
}
