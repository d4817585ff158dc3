// Package spill keeps long lists of words in temporary files, so that the system can take back their memory.
package spill

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	wordSize = 4
	// most is the maximum number of words in a file. Mapping them takes only addresses.
	most = 1 << 32
	// piece is the number of words for which Room reserves space on the disk at a time, to save system calls.
	piece = 1 << 24
)

// usualLeast is the usual length from which on a list is in a file: 64 MB.
const usualLeast = 1 << 24

// Words holds the memory of a growing list. The zero Words has no file: its list is in ordinary memory.
type Words struct {
	// Least is the length from which on a list is in a file. 0 stands for usualLeast.
	Least int

	file     *os.File
	mapped   []byte
	reserved int  // words for which the disk has reserved space
	isStuck  bool // the list stays in memory: there was no file, or no space
}

// Room returns the list with room for n more words, maybe in other memory. Lists that Room returned before are no
// longer valid.
func (w *Words) Room(list []int32, n int) []int32 {
	need := len(list) + n
	if w.isStuck || need <= w.reserved || w.mapped == nil && need < w.least() {
		return list
	}
	if w.mapped == nil && w.open() != nil {
		return w.stay(list)
	}
	for w.reserved < need {
		// Writing a page for which the disk has no space would end the process.
		if unix.Fallocate(int(w.file.Fd()), 0, int64(w.reserved)*wordSize, piece*wordSize) != nil {
			return w.stay(list)
		}
		w.reserved += piece
	}
	all := unsafe.Slice((*int32)(unsafe.Pointer(&w.mapped[0])), len(w.mapped)/wordSize)
	if len(list) > 0 && &list[0] != &all[0] {
		copy(all, list)
	}
	w.Shed()
	return all[:len(list):cap(all)]
}

func (w *Words) least() int {
	if w.Least > 0 {
		return w.Least
	}
	return usualLeast
}

func (w *Words) open() error {
	file, err := os.CreateTemp("", "ipafuzz-proof-*")
	if err != nil {
		return err
	}
	os.Remove(file.Name())
	if w.mapped, err = unix.Mmap(int(file.Fd()), 0, most*wordSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE); err != nil {
		file.Close()
		w.mapped = nil
		return err
	}
	w.file = file
	return nil
}

// stay moves the list into memory for good.
func (w *Words) stay(list []int32) []int32 {
	if w.mapped != nil {
		list = append([]int32(nil), list...)
	}
	w.Close()
	w.isStuck = true
	return list
}

// IsInFile reports whether the list is in a file.
func (w *Words) IsInFile() bool { return w.mapped != nil }

// Shed returns memory to the system, which reads it from the file again if somebody needs it.
func (w *Words) Shed() {
	if w.mapped != nil {
		_ = unix.Madvise(w.mapped[:w.reserved*wordSize], unix.MADV_DONTNEED)
	}
}

// Close closes the file. Lists in it are not valid any more.
func (w *Words) Close() {
	if w.mapped != nil {
		_ = unix.Munmap(w.mapped)
		w.file.Close()
	}
	*w = Words{Least: w.Least}
}
