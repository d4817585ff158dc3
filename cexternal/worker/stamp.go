// Code generated from package apimodel by 'go generate ./apimodel'; DO NOT EDIT.

package worker

// #cgo CFLAGS: -DIPAFUZZ_STAMP=0xe69a28fb
import "C"
