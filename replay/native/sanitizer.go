package native

import (
	"debug/elf"
	"os"
	"slices"
	"strings"
)

// needsThreadSanitizer returns the name of the library that reports data races if the file
// was built with -fsanitize=thread and needs that library, otherwise "". It can only be
// loaded when a program starts, so workers preload it. ipafuzz itself runs without it.
func needsThreadSanitizer(file *elf.File) string {
	needed, err := file.ImportedLibraries()
	if err != nil {
		return ""
	}
	at := slices.IndexFunc(needed, func(name string) bool { return strings.HasPrefix(name, "libtsan.so") })
	if at < 0 {
		return ""
	}
	return needed[at]
}

// reportingRaces returns settings with which the sanitizer reports races and nothing else. A
// worker can still fork for traces, and its exit code is the target's.
func reportingRaces() string {
	const name, settings = "TSAN_OPTIONS", "die_after_fork=0 exitcode=0 report_thread_leaks=0 report_signal_unsafe=0"
	if own := os.Getenv(name); own != "" {
		return name + "=" + settings + " " + own
	}
	return name + "=" + settings
}
