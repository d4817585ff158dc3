package native

import (
	"cmp"
	"debug/elf"
	"os"
	"slices"
	"sync"

	"github.com/ipafuzz/ipafuzz/trace"
)

// symbolize finds the function of a frame where the module still has its
// symbols. A name survives a rebuild, an offset does not.
//
// The frame of a caller holds a return address, which behind a call that does
// not return is already the next function's.
func symbolize(f trace.Frame, program string, caller bool) trace.Frame {
	path := f.Module
	if path == workerName {
		path = program
	}
	offset := f.Offset
	if caller && offset > 0 {
		offset--
	}
	f.Function = symbolsOf(path).at(offset)
	return f
}

type symbolTable []elf.Symbol // functions, by address

func (t symbolTable) at(offset uint64) string {
	i, found := slices.BinarySearchFunc(t, offset, func(s elf.Symbol, at uint64) int { return cmp.Compare(s.Value, at) })
	if !found {
		i--
	}
	if i < 0 || offset >= t[i].Value+t[i].Size {
		return ""
	}
	return t[i].Name
}

// A build of a module is told from the next one by its size and time.
type build struct {
	path       string
	size, time int64
}

var symbolTables = struct {
	sync.Mutex
	of map[build]symbolTable
}{of: make(map[build]symbolTable)}

// symbolsOf returns the functions of a module. The path comes from a process
// that may have written anything there: what is no plain file is not opened.
func symbolsOf(path string) symbolTable {
	stat, err := os.Stat(path)
	if err != nil || !stat.Mode().IsRegular() {
		return nil
	}
	symbolTables.Lock()
	defer symbolTables.Unlock()
	key := build{path, stat.Size(), stat.ModTime().UnixNano()}
	table, known := symbolTables.of[key]
	if !known {
		table = readSymbols(path)
		symbolTables.of[key] = table
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
	if err != nil && file.Type == elf.ET_DYN {
		symbols, err = file.DynamicSymbols() // of a stripped library at least its interface
	}
	if err != nil {
		return nil
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
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(symbols, func(a, b elf.Symbol) bool { return a.Value == b.Value }) // aliases
}
