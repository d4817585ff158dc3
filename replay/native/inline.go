package native

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

const (
	mostDebug = 512 << 20 // bytes: larger debug information is not read
	keptDebug = 64 << 20  // bytes: larger debug information is read again for each address
)

// debugLines finds functions and lines in the debug information of a module. It caches the
// results, and the information itself if that is small.
type debugLines struct {
	path string

	mu    sync.Mutex
	data  *dwarf.Data // cached, or nil
	found map[uint64][]inlined
}

// An inlined is a function around an address, and a line in it: the line of the address or of
// the inlined call around the address.
type inlined struct {
	function string // its symbol, or else its name
	place    string // file:line
}

// at returns the functions that contain the address, the innermost first. The last one is a
// real function; the compiler inlined each of the others into the next. at returns none if
// the module has no debug information.
func (d *debugLines) at(address uint64) (functions []inlined) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.found[address]; ok {
		return known
	}
	if d.found == nil {
		d.found = make(map[uint64][]inlined)
	}
	d.found[address] = nil
	// The reader may panic on damaged information.
	defer func() {
		if recover() != nil {
			functions = nil
		}
	}()
	functions = d.read(address)
	d.found[address] = functions
	return functions
}

// open returns the debug information, or nil if there is none or too much.
func (d *debugLines) open() *dwarf.Data {
	if d.data != nil {
		return d.data
	}
	module, err := elf.Open(d.path)
	if err != nil {
		return nil
	}
	defer module.Close()
	size := uint64(0)
	for _, section := range module.Sections {
		if strings.HasPrefix(section.Name, ".debug_") {
			size += section.Size
		}
	}
	if module.Section(".debug_info") == nil || size > mostDebug {
		return nil
	}
	data, err := module.DWARF()
	if err != nil {
		return nil
	}
	if size <= keptDebug {
		d.data = data
	}
	return data
}

func (d *debugLines) read(address uint64) []inlined {
	data := d.open()
	if data == nil {
		return nil
	}
	reader := data.Reader()
	unit, err := reader.SeekPC(address)
	if err != nil {
		return nil
	}
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	entry := lineOf(lines, address)
	if entry == nil {
		return nil
	}
	return chain(data, reader, lines.Files(), address, place(entry.File.Name, int64(entry.Line)))
}

// lineOf returns the line of an address. It does not use LineReader.SeekPC, which expects the
// sequences of a unit in order.
func lineOf(lines *dwarf.LineReader, address uint64) *dwarf.LineEntry {
	last := dwarf.LineEntry{EndSequence: true}
	for {
		var next dwarf.LineEntry
		if lines.Next(&next) != nil {
			return nil
		}
		if !last.EndSequence && last.Address <= address && address < next.Address {
			if last.File == nil {
				return nil
			}
			return &last
		}
		last = next
	}
}

func place(file string, line int64) string { return fmt.Sprintf("%s:%d", path.Base(file), line) }

// chain collects the functions of a unit around an address. The next entry of the reader is the
// first child of the unit; innermost is the line of the address.
func chain(
	data *dwarf.Data, reader *dwarf.Reader, files []*dwarf.LineFile, address uint64, innermost string,
) []inlined {
	var around []inlined // the outermost first, each with the line of the call to the next
	for depth := 1; depth > 0; {
		entry, err := reader.Next()
		if err != nil || entry == nil {
			break
		}
		if entry.Tag == 0 {
			depth--
			continue
		}
		inside := false
		switch entry.Tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine:
			inside = covers(data, entry, address)
			if !inside {
				reader.SkipChildren()
				continue
			}
			if entry.Tag == dwarf.TagInlinedSubroutine && len(around) > 0 {
				around[len(around)-1].place = callPlace(entry, files)
			}
			around = append(around, inlined{function: nameOf(data, entry, 0), place: innermost})
		}
		if entry.Children {
			depth++
		}
	}
	if slices.ContainsFunc(around, func(f inlined) bool { return f.function == "" }) {
		return nil
	}
	slices.Reverse(around)
	return around
}

func covers(data *dwarf.Data, entry *dwarf.Entry, address uint64) bool {
	ranges, err := data.Ranges(entry)
	return err == nil && slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= address && address < r[1] })
}

// callPlace returns the line of the call that the compiler has inlined.
func callPlace(entry *dwarf.Entry, files []*dwarf.LineFile) string {
	file, _ := entry.Val(dwarf.AttrCallFile).(int64)
	line, _ := entry.Val(dwarf.AttrCallLine).(int64)
	if file < 0 || file >= int64(len(files)) || files[file] == nil {
		return ""
	}
	return place(files[file].Name, line)
}

// nameOf returns the symbol of a function, or else its name. Another entry, to which this one
// refers, may hold them.
func nameOf(data *dwarf.Data, entry *dwarf.Entry, depth int) string {
	if name, ok := entry.Val(dwarf.AttrLinkageName).(string); ok {
		return name
	}
	const deepest = 4
	for _, attr := range []dwarf.Attr{dwarf.AttrAbstractOrigin, dwarf.AttrSpecification} {
		offset, ok := entry.Val(attr).(dwarf.Offset)
		if !ok || depth == deepest {
			continue
		}
		reader := data.Reader()
		reader.Seek(offset)
		if other, err := reader.Next(); err == nil && other != nil {
			if name := nameOf(data, other, depth+1); name != "" {
				return name
			}
		}
	}
	name, _ := entry.Val(dwarf.AttrName).(string)
	return name
}
