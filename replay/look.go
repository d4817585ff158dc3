package replay

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"

	"github.com/ipafuzz/ipafuzz/apimodel"
)

// Hello is what a target says when it is loaded.
type Hello struct {
	Signature   string
	Description *apimodel.Description // without the options that the user has set
}

// Greet loads the target in a process of its own and returns what it says. An
// error is a TargetError when the target is to blame.
func Greet(t *Target, limits Limits) (Hello, error) {
	q, err := OpenQueue(t, Fork, limits, oneTrace)
	if err != nil {
		return Hello{}, err
	}
	defer q.Close()
	d, err := q.Description()
	return Hello{q.Signature(), d}, err
}

// A Symbol is a function that ipafuzz looks for in a target.
type Symbol struct {
	Name     string `json:"name"`
	Exported bool   `json:"exported"`
	Demanded bool   `json:"demanded"` // the interface does not work without it
}

// ownSymbols are the functions by which a library helps to be tested deeper.
var ownSymbols = []string{"ipafuzz_describe", "ipafuzz_set_option", "ipafuzz_havoc"}

// ipasir2Symbols are taken in their place.
var ipasir2Symbols = []string{"ipasir2_options", "ipasir2_set_option"}

// Symbols lists the functions that ipafuzz looks for in the target, in the
// order of the model's table; none when its functions are not symbols of a
// file.
func (t *Target) Symbols() ([]Symbol, error) {
	var exported map[string]bool
	var err error
	switch t.Kind {
	case Library:
		exported, err = librarySymbols(t.Path)
	case Static:
		exported, err = archiveSymbols(t.archive)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", t.Name, err)
	}
	var symbols []Symbol
	add := func(name string, demanded bool) {
		symbols = append(symbols, Symbol{name, exported[name], demanded})
	}
	for i := range t.Model.Calls {
		call := &t.Model.Calls[i]
		if call.Function != "" && !slices.Contains(ownSymbols, call.Function) {
			add(call.Function, call.Optional == "")
		}
	}
	for _, name := range ownSymbols {
		add(name, false)
	}
	if t.Kind == Library && t.Model.Interface() == apimodel.IPASIR {
		for _, name := range ipasir2Symbols {
			add(name, false)
		}
	}
	return symbols, nil
}

// librarySymbols reads the names that a shared library defines for others.
func librarySymbols(path string) (map[string]bool, error) {
	file, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return definedSymbols(file)
}

func definedSymbols(file *elf.File) (map[string]bool, error) {
	symbols, err := file.DynamicSymbols()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, fmt.Errorf("its table of symbols cannot be read: %w", err)
	}
	defined := make(map[string]bool)
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			defined[s.Name] = true
		}
	}
	return defined, nil
}
