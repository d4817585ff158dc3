// Package warden is the parent of every process that ipafuzz starts. A program that imports
// it becomes a warden before the Go runtime starts, if the environment says so. The warden
// ends whatever its target leaves behind, even if ipafuzz is killed.
package warden

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden
#include "contain.h"
#include "warden.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"time"
	"unsafe"
)

// Variable is the environment variable that makes a process a warden: the descriptor
// number of its socket.
const Variable = C.IPAFUZZ_WARDEN_VARIABLE

// A Ward says how a warden treats its target.
type Ward struct {
	Self  bool // the target is this program; otherwise the first argument is the path of one
	Group bool // the target has a process group of its own
	CPU   time.Duration
	// Directory is the only place where a contained target may write, a path without
	// symbolic links.
	Directory string
	Contain   bool
	Library   bool // the target is a library, which must not even try to write elsewhere
	Forks     bool // the library runs in children of the target, which it may not signal
	Enter     bool // the target works in the directory
	// SharedMemory limits the bytes of its System V segments and its files in /dev/shm; 0 is no limit.
	SharedMemory uint64
	// Variables are set in the environment of the target, NAME=VALUE.
	Variables []string
}

// Message returns the first message to the warden.
func (w *Ward) Message() ([]byte, error) {
	ward := C.struct_ipafuzz_ward{magic: C.IPAFUZZ_WARDEN_MAGIC}
	if w.Self {
		ward.flags |= C.IPAFUZZ_WARD_SELF
	}
	if w.Group {
		ward.flags |= C.IPAFUZZ_WARD_GROUP
	}
	for flag, on := range map[C.uint32_t]bool{C.IPAFUZZ_WARD_CONTAIN: w.Contain, C.IPAFUZZ_WARD_LIBRARY: w.Library,
		C.IPAFUZZ_WARD_FORKS: w.Forks, C.IPAFUZZ_WARD_ENTER: w.Enter} {
		if on {
			ward.flags |= flag
		}
	}
	if len(w.Directory) >= len(ward.directory) {
		return nil, fmt.Errorf("the path of the target's directory has %d bytes, which is too long", len(w.Directory))
	}
	for i := range len(w.Directory) {
		ward.directory[i] = C.char(w.Directory[i])
	}
	ward.shared_bytes = C.uint64_t(w.SharedMemory)
	if w.CPU > 0 {
		ward.cpu_seconds = C.uint64_t(max(1, (w.CPU+time.Second-1)/time.Second))
	}
	used := 0
	for _, v := range w.Variables {
		if strings.IndexByte(v, 0) >= 0 || used+len(v)+1 >= len(ward.text) {
			return nil, fmt.Errorf("the variables for a target are longer than %d bytes, or hold a NUL", len(ward.text))
		}
		for i := range len(v) {
			ward.text[used+i] = C.char(v[i])
		}
		used += len(v) + 1
		ward.num_variables++
	}
	return C.GoBytes(unsafe.Pointer(&ward), C.sizeof_struct_ipafuzz_ward), nil
}

// A Kind says what a word is about.
type Kind uint32

// The words of wardens.
const (
	Started   Kind = C.IPAFUZZ_STARTED   // Number is an error of exec, or 0
	Ended     Kind = C.IPAFUZZ_ENDED     // Number is the wait status of the target
	Violated  Kind = C.IPAFUZZ_VIOLATED  // Text is a forbidden system call; it waits until the target is ended
	Signalled Kind = C.IPAFUZZ_SIGNALLED // Number is a signal that the process PID below the warden sent to it
	Refused   Kind = C.IPAFUZZ_REFUSED   // Text is the first system call that failed because targets may not make it
)

// CanContain reports whether the kernel keeps a contained target from writing elsewhere. If
// not, the warden only checks the paths in system calls.
func CanContain() bool { return C.ipafuzz_can_contain() != 0 }

// A Word is a message of a warden.
type Word struct {
	Kind        Kind
	PID, Number int
	CPU         time.Duration // used by everything below the warden; Ended
	Text        string
}

// WordBytes is the size of a word.
const WordBytes = C.sizeof_struct_ipafuzz_word

// ParseWord reads a word.
func ParseWord(message []byte) (Word, error) {
	if len(message) != WordBytes {
		return Word{}, fmt.Errorf("a warden sent %d bytes, want %d", len(message), WordBytes)
	}
	word := (*C.struct_ipafuzz_word)(unsafe.Pointer(&message[0]))
	text, _, _ := strings.Cut(C.GoStringN(&word.text[0], C.int(len(word.text))), "\x00")
	return Word{Kind: Kind(word.kind), PID: int(word.pid), Number: int(word.number), CPU: time.Duration(word.cpu_nanos),
		Text: text}, nil
}
