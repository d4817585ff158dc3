package replay

import (
	"debug/elf"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/trace"
)

// symbolize finds the function of a frame where the module still has its
// symbols. A name survives a rebuild, an offset does not.
func symbolize(f trace.Frame, program string) trace.Frame {
	path := f.Module
	if path == workerName {
		path = program
	}
	f.Function = symbolsOf(path).at(f.Offset)
	return f
}

type symbolTable []elf.Symbol // functions, by address

func (t symbolTable) at(offset uint64) string {
	// A frame is a return address: it may already be the next function's.
	i, found := slices.BinarySearchFunc(t, offset, func(s elf.Symbol, at uint64) int {
		switch {
		case s.Value < at:
			return -1
		case s.Value > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || offset > t[i].Value+t[i].Size {
		return ""
	}
	return t[i].Name
}

var symbolTables = struct {
	sync.Mutex
	of map[string]symbolTable
}{of: make(map[string]symbolTable)}

func symbolsOf(path string) symbolTable {
	symbolTables.Lock()
	defer symbolTables.Unlock()
	table, known := symbolTables.of[path]
	if !known {
		table = readSymbols(path)
		symbolTables.of[path] = table
	}
	return table
}

// readSymbols returns the functions of a module, none when it has no symbols or
// is no file. A program at a fixed address has its addresses made offsets, as
// the frames are.
func readSymbols(path string) symbolTable {
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		if symbols, err = file.DynamicSymbols(); err != nil {
			return nil
		}
	}
	var base uint64
	if file.Type == elf.ET_EXEC {
		for _, segment := range file.Progs {
			if segment.Type == elf.PT_LOAD {
				base = segment.Vaddr
				break
			}
		}
	}
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Size == 0
	})
	for i := range symbols {
		symbols[i].Value -= base
	}
	slices.SortFunc(symbols, func(a, b elf.Symbol) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	return symbols
}
