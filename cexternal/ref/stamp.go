// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.

package ref

// #cgo CFLAGS: -DIPAFUZZ_STAMP=0xc73f7fe4
import "C"
