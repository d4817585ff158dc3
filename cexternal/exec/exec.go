// Package exec is the executor: the C code that makes the calls of a binary trace.
// Its Go side runs the executor in this process, and holds the C sources for programs
// that contain it.
package exec

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#include "exec.h"
*/
import "C"

import (
	"embed"
	"fmt"
	"sync"
	"unsafe"
)

// Sources are the executor's C files.
//
//go:embed *.c *.h
var Sources embed.FS

// A Setting is an option that the user set for a target.
type Setting struct{ Name, Value string }

// A Setter is a library's own function that sets options by name.
type Setter struct {
	Function string
	Takes    Takes
}

// Takes says what a setter takes as a value.
type Takes uint32

// What setters take. TakesValues is for ipafuzz_set_option, which takes a text and says
// whether it accepts the value.
const (
	TakesValues Takes = C.IPAFUZZ_TAKES_VALUES
	TakesInt    Takes = C.IPAFUZZ_TAKES_INT
	TakesText   Takes = C.IPAFUZZ_TAKES_TEXT
)

// Target is a filled table of a library's functions (struct ipafuzz_target).
type Target unsafe.Pointer

// The executor has static memory: one trace at a time in a process.
var running sync.Mutex

// Run runs one encoded trace in this process and returns the answer words. A crash of
// the target is a crash of this process.
func Run(target Target, settings []Setting, trace, answers []uint32) ([]uint32, error) {
	running.Lock()
	defer running.Unlock()
	list := (*[1 << 16]C.struct_ipafuzz_setting)(C.calloc(C.size_t(len(settings)+1), C.sizeof_struct_ipafuzz_setting))
	defer C.free(unsafe.Pointer(list))
	for i, s := range settings {
		list[i].name, list[i].value = C.CString(s.Name), C.CString(s.Value)
		defer C.free(unsafe.Pointer(list[i].name))
		defer C.free(unsafe.Pointer(list[i].value))
	}
	progress := (*C.struct_ipafuzz_progress)(C.calloc(1, C.sizeof_struct_ipafuzz_progress))
	defer C.free(unsafe.Pointer(progress))
	if len(trace) == 0 || len(answers) == 0 {
		return nil, ResultError(C.IPAFUZZ_NO_ROOM)
	}
	result := C.ipafuzz_exec((*C.struct_ipafuzz_target)(target), &list[0], C.uint32_t(len(settings)),
		(*C.uint32_t)(&trace[0]), C.uint64_t(len(trace)), (*C.uint32_t)(&answers[0]), C.uint64_t(len(answers)), progress)
	if result != C.IPAFUZZ_OK {
		return nil, ResultError(int32(result))
	}
	return answers[:progress.answer_words], nil
}

// ResultError explains why the executor did not run a trace.
func ResultError(result int32) error {
	switch result {
	case C.IPAFUZZ_OK:
		return nil
	case C.IPAFUZZ_BAD_TRACE:
		return fmt.Errorf("the executor refuses the binary trace: its lengths or arguments are inconsistent")
	case C.IPAFUZZ_WRONG_MODEL:
		return fmt.Errorf("the trace is for another API model than the target")
	case C.IPAFUZZ_NO_ROOM:
		return fmt.Errorf("the executor has no space for the answers")
	}
	return fmt.Errorf("the executor returned %d", result)
}
