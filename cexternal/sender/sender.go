// Package sender tells who sent the signal that ends a command. A person or a cluster
// engine may send one; a target may not.
package sender

/*
#cgo CFLAGS: -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -fvisibility=hidden
#include "sender.h"
*/
import "C"

import (
	"fmt"
	"syscall"
)

// An Origin is the relation of a sender to this process.
type Origin int

// The origins.
const (
	Nobody  Origin = C.IPAFUZZ_NOBODY  // no signal has come
	Outside Origin = C.IPAFUZZ_OUTSIDE // not below this process
	Below   Origin = C.IPAFUZZ_BELOW   // started by this process, or below that
	Gone    Origin = C.IPAFUZZ_GONE    // it ended before its parent was looked up
)

// A Sender is the process that sent a signal.
type Sender struct {
	Origin Origin
	Signal syscall.Signal
	PID    int // 0: the kernel, or a process that has no number here
}

// Watch records who sends the first of the signals from now on. The Go runtime still
// handles them, so call Watch after signal.Notify.
func Watch(signals ...syscall.Signal) error {
	for _, s := range signals {
		if number := C.ipafuzz_watch_sender(C.int(s)); number != 0 {
			return fmt.Errorf("cannot watch who sends %v: %w", s, syscall.Errno(number))
		}
	}
	return nil
}

// First returns the sender of the first signal that came since Watch.
func First() Sender {
	first := C.ipafuzz_first_sender()
	return Sender{Origin(first.origin), syscall.Signal(first.signal), int(first.pid)}
}
