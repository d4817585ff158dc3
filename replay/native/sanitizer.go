package native

import (
	"debug/elf"
	"os"
	"strings"
)

// A sanitizer is the runtime of a sanitizer that a library was built with.
type sanitizer struct {
	library string // its file name, such as libasan.so.8; "": none
	flag    string // the option of gcc that links a program with it; "": it belongs to another compiler
	runtime string // the C++ runtime that the library needs, too; "": none
}

// sanitizers are the beginnings of the names of runtimes that only work if they are loaded before all other libraries.
// Workers preload them; ipafuzz itself runs without.
var sanitizers = []struct{ prefix, flag string }{
	{"libtsan.so", "-fsanitize=thread"},
	{"libasan.so", "-fsanitize=address"},
	{"libhwasan.so", "-fsanitize=hwaddress"},
	{"libclang_rt.tsan", ""},
	{"libclang_rt.asan", ""},
}

func sanitizerOf(file *elf.File) (s sanitizer) {
	needed, err := file.ImportedLibraries()
	if err != nil {
		return sanitizer{}
	}
	for _, name := range needed {
		for _, r := range sanitizers {
			if s.library == "" && strings.HasPrefix(name, r.prefix) {
				s.library, s.flag = name, r.flag
			}
		}
		if strings.HasPrefix(name, "libstdc++.so") || strings.HasPrefix(name, "libc++.so") {
			s.runtime = name
		}
	}
	return s
}

// preloaded returns the libraries to load before all others. When the runtime of a sanitizer starts, it looks for the
// functions that throw exceptions, and dies of the first exception if no C++ runtime was loaded by then.
func (s sanitizer) preloaded() string {
	if s.runtime == "" {
		return s.library
	}
	return s.library + ":" + s.runtime
}

// reportsRaces reports whether the sanitizer is ThreadSanitizer.
func (s sanitizer) reportsRaces() bool { return strings.Contains(s.library, "tsan") }

// SanitizerFlag returns the option with which gcc must link a program with the library, or "" if the library was built
// without a sanitizer of gcc.
func SanitizerFlag(library string) string {
	file, err := elf.Open(library)
	if err != nil {
		return ""
	}
	defer file.Close()
	return sanitizerOf(file).flag
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
