// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.

package load

// #cgo CFLAGS: -DIPAFUZZ_STAMP=0xbf50ba70
import "C"
