// Package load opens solver libraries by dlopen and fills the executor's table of their
// functions.
package load

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden -I${SRCDIR}/../exec
#cgo LDFLAGS: -ldl -rdynamic
#include <stdlib.h>
#include "load.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/ipafuzz/ipafuzz/cexternal/exec"
)

const messageBytes = 4096

// Open loads the library at path into this process and fills the table of its
// functions for one API model. The library is never unloaded.
func Open(path string, model uint32, setter exec.Setter) (exec.Target, error) {
	name, buffer := C.CString(path), (*C.char)(C.malloc(messageBytes))
	function := C.CString(setter.Function)
	defer C.free(unsafe.Pointer(function))
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(buffer))
	table := (*C.struct_ipafuzz_target)(C.calloc(1, C.sizeof_struct_ipafuzz_target))
	table.takes = C.enum_ipafuzz_takes(setter.Takes)
	if wrong := C.ipafuzz_load(name, C.unsigned(model), function, table, buffer, messageBytes); wrong != nil {
		defer C.free(unsafe.Pointer(table))
		return nil, errors.New(C.GoString(wrong))
	}
	return exec.Target(table), nil
}
