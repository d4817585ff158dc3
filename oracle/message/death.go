package message

import (
	"fmt"
	"syscall"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Death returns the stable text of a death: what the process printed about it (an
// assertion, a sanitizer report, an exception), or else how it died and the top frames of
// its stack, or else how it died and place, which names the call in progress.
func Death(death *trace.Death, how, place string) string {
	if said := Report(death.Stderr); said != "" {
		return said
	}
	if frames := Frames(death.Frames); frames != "" {
		return how + " " + frames
	}
	return how + " " + place
}

var signals = map[syscall.Signal]string{syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGSEGV: "SIGSEGV", syscall.SIGILL: "SIGILL", syscall.SIGKILL: "SIGKILL", syscall.SIGTRAP: "SIGTRAP",
	syscall.SIGXFSZ: "SIGXFSZ"}

// Signal returns the name of a signal that ends a process.
func Signal(number int) string {
	if name := signals[syscall.Signal(number)]; name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", number)
}
