package message

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Death returns the stable text of a death. That is what the process printed about it: an assertion, a
// sanitizer's report, an exception. Otherwise, it is how the process died, and the top frames of its stack or,
// if there are none, the place, which names the call in progress.
func Death(death *trace.Death, how, place string) string {
	if said := Report(death.Stderr); said != "" {
		return said
	}
	if frames := Frames(death.Frames); frames != "" {
		return how + " " + frames
	}
	return how + " " + place
}

// LastWords returns the line that tells best why the process died: its error message or, if it aborted or exited,
// the last line that is not a comment. It returns "" if there is none.
func LastWords(death *trace.Death) string {
	if line, _ := Error(death.Stderr); line != "" {
		return shortened(line)
	}
	if signal := syscall.Signal(death.Signal); signal != 0 && signal != syscall.SIGABRT {
		return ""
	}
	lines := strings.FieldsFunc(death.Stderr, func(r rune) bool { return r == '\n' || r == '\r' })
	for _, whole := range slices.Backward(lines) {
		line := strings.TrimSpace(plain(whole[:min(len(whole), longestLine)]))
		if line != "" && !isRemark(line) {
			return shortened(line)
		}
	}
	return ""
}

// shortened cuts a line to a length that fits into a sentence.
func shortened(line string) string {
	const longest = 160
	if len(line) <= longest {
		return line
	}
	return strings.ToValidUTF8(line[:longest], "") + "..."
}

// signals has the names that keys have always used.
var signals = map[syscall.Signal]string{syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGILL: "SIGILL", syscall.SIGKILL: "SIGKILL", syscall.SIGTRAP: "SIGTRAP",
	syscall.SIGXFSZ: "SIGXFSZ"}

// Signal returns what keys call a signal that ends a process.
func Signal(number int) string {
	if name := signals[syscall.Signal(number)]; name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", number)
}

// SignalWithName returns the number and the name of a signal; those for programs' own purposes have no names.
func SignalWithName(number int) string {
	if name := unix.SignalName(syscall.Signal(number)); name != "" {
		return fmt.Sprintf("signal %d (%s)", number, name)
	}
	return fmt.Sprintf("signal %d", number)
}
