package native

import (
	"debug/elf"
	"errors"
	"fmt"
)

// librarySymbols returns the names that a shared library exports.
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
