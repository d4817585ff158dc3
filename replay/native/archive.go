package native

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
	memberHead   = 60
	maxIndexSize = 64 << 20
)

// archiveSymbols reads the index of a static library: the names of the global
// symbols that its members define. The index is the first member, "/": a
// big-endian count, as many offsets, and as many NUL-terminated names; "/SYM64/"
// is the same with 64-bit numbers.
func archiveSymbols(path string) (map[string]bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, len(archiveMagic)+memberHead)
	_, err = io.ReadFull(file, head)
	if magic := string(head[:8]); err != nil || magic != archiveMagic && magic != thinMagic {
		return nil, fmt.Errorf("%s is not a static library (ar archive)", path)
	}
	member := head[len(archiveMagic):]
	name := strings.TrimRight(string(member[:16]), " ")
	size, err := strconv.ParseInt(strings.TrimRight(string(member[48:58]), " "), 10, 64)
	width := map[string]int{"/": 4, "/SYM64/": 8}[name]
	if err != nil || width == 0 || size < int64(width) || size > maxIndexSize {
		return nil, fmt.Errorf("%s has no index of its symbols; run ranlib on it", path)
	}
	index := make([]byte, size)
	if _, err := io.ReadFull(file, index); err != nil {
		return nil, fmt.Errorf("%s is cut off in its index of symbols", path)
	}
	count := uint64(binary.BigEndian.Uint32(index))
	if width == 8 {
		count = binary.BigEndian.Uint64(index)
	}
	if count > uint64(size)/uint64(width) || (count+1)*uint64(width) > uint64(size) {
		return nil, fmt.Errorf("%s has a damaged index of symbols; run ranlib on it", path)
	}
	defined := make(map[string]bool, count)
	for name := range bytes.SplitSeq(index[(count+1)*uint64(width):], []byte{0}) {
		defined[string(name)] = true
	}
	return defined, nil
}

// archiveIsCPlusPlus reports whether an object of a static library defines or needs a symbol
// of C++. For a thin library, whose objects are in other files, it looks only at the index.
func archiveIsCPlusPlus(path string) (bool, error) {
	defined, err := archiveSymbols(path)
	if err != nil {
		return false, err
	}
	for name := range defined {
		if isCPlusPlus(name) {
			return true, nil
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	magic := make([]byte, len(archiveMagic))
	if _, err := io.ReadFull(file, magic); err != nil || string(magic) == thinMagic {
		return false, err
	}
	for at := int64(len(archiveMagic)); ; {
		head := make([]byte, memberHead)
		if _, err := file.ReadAt(head, at); err != nil {
			return false, nil // the end, or a damaged archive, which the linker will report
		}
		size, err := strconv.ParseInt(strings.TrimRight(string(head[48:58]), " "), 10, 64)
		if err != nil || size < 0 {
			return false, nil
		}
		at += memberHead
		object, err := elf.NewFile(io.NewSectionReader(file, at, size))
		if err == nil {
			symbols, _ := object.Symbols()
			if slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return isCPlusPlus(s.Name) }) {
				return true, nil
			}
		}
		at += size + size&1
	}
}

func isCPlusPlus(symbol string) bool {
	return strings.HasPrefix(symbol, "_Z") || strings.HasPrefix(symbol, "__gxx_personality")
}
