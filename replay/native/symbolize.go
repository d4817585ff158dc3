package native

import (
	"cmp"
	"debug/elf"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"

	"github.com/ipafuzz/ipafuzz/trace"
)

// symbolize finds the functions of a frame if the module has symbols. The function that
// contains the address comes last, after those that the compiler inlined there. Frames need
// names because a name survives a rebuild; an offset does not.
//
// The frame of a caller holds a return address. If the call never returns, that address may
// belong to the next function, so symbolize looks up the byte before.
func symbolize(f trace.Frame, program string, caller bool) []trace.Frame {
	path := f.Module
	if path == workerName {
		path = program
	}
	offset := f.Offset
	if caller && offset > 0 {
		offset--
	}
	m := moduleOf(path)
	if m == nil {
		return []trace.Frame{f}
	}
	var frames []trace.Frame
	var around []inlined
	if f.Module != workerName { // the worker's debug information is large, and its frames are not the target's
		around = m.lines.at(offset + m.base)
	}
	for _, in := range around {
		frames = append(frames, trace.Frame{Module: f.Module, Offset: f.Offset, Function: sourceName(in.function),
			Place: in.place})
	}
	if len(frames) > 0 {
		return frames
	}
	if symbol := m.functions.at(offset); symbol != nil {
		f.Function, f.Place = sourceName(symbol.Name), fmt.Sprintf("+%#x", offset-symbol.Value)
	}
	return []trace.Frame{f}
}

// sourceName demangles the symbol of a C++ or Rust function and omits the types of its
// parameters.
func sourceName(symbol string) string { return demangle.Filter(symbol, demangle.NoParams) }

var undefinedSymbol = regexp.MustCompile(`undefined symbol: [^\s,]+`)

// inSource replaces the symbol that the dynamic linker misses, in its message, by the name in the source.
func inSource(message string) string {
	return undefinedSymbol.ReplaceAllStringFunc(message, func(found string) string {
		at := strings.LastIndexByte(found, ' ') + 1
		return found[:at] + demangle.Filter(found[at:])
	})
}

type symbolTable []elf.Symbol // functions, by address

func (t symbolTable) at(offset uint64) *elf.Symbol {
	i, found := slices.BinarySearchFunc(t, offset, func(s elf.Symbol, at uint64) int { return cmp.Compare(s.Value, at) })
	if !found {
		i--
	}
	if i < 0 || offset >= t[i].Value+t[i].Size {
		return nil
	}
	return &t[i]
}

// A build identifies a build of a module by size and time.
type build struct {
	path       string
	size, time int64
}

// A module holds the symbols and the debug information of a file.
type module struct {
	base      uint64 // load address of a program at a fixed address, otherwise 0
	functions symbolTable
	lines     *debugLines
}

var modules = struct {
	sync.Mutex
	modules map[build]*module
}{modules: make(map[build]*module)}

// moduleOf returns a module, or nil if it cannot be read. The path comes from a process
// that may have written anything there, so moduleOf opens only regular files.
func moduleOf(path string) *module {
	stat, err := os.Stat(path)
	if err != nil || !stat.Mode().IsRegular() {
		return nil
	}
	modules.Lock()
	defer modules.Unlock()
	key := build{path, stat.Size(), stat.ModTime().UnixNano()}
	m, known := modules.modules[key]
	if !known {
		m = readModule(path)
		modules.modules[key] = m
	}
	return m
}

// readModule returns a module, or nil if the file has no code. It turns the addresses of a
// program at a fixed address into offsets, like those of frames.
func readModule(path string) *module {
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	m := &module{lines: &debugLines{path: path}}
	if file.Type == elf.ET_EXEC {
		for _, segment := range file.Progs {
			if segment.Type == elf.PT_LOAD {
				m.base = segment.Vaddr
				break
			}
		}
	}
	symbols, err := file.Symbols()
	if err != nil && file.Type == elf.ET_DYN {
		symbols, err = file.DynamicSymbols() // a stripped library has at least those of its interface
	}
	if err != nil {
		return m
	}
	symbols = slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Size == 0
	})
	for i := range symbols {
		symbols[i].Value -= m.base
	}
	slices.SortFunc(symbols, func(a, b elf.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Name, b.Name))
	})
	m.functions = slices.CompactFunc(symbols, func(a, b elf.Symbol) bool { return a.Value == b.Value }) // aliases
	return m
}
