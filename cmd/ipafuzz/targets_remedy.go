package main

import "regexp"

// Why a target cannot be used, and what to do, for those who did not write ipafuzz.
var remedies = []struct {
	reason *regexp.Regexp
	mend   string
}{
	{regexp.MustCompile(`exports neither|the library lacks`), "Export the functions with C linkage (extern \"C\") and default visibility; 'nm -D --defined-only FILE' shows what is exported."},
	{regexp.MustCompile(`undefined symbol|undefined reference`), "Link it with the library that defines the symbol: for a shared library when it is built ('ldd -r FILE' shows what is missing), for a directory in its file LIBS. A library in C++ needs c++ in its file LINK."},
	{regexp.MustCompile(`cannot open shared object file`), "A library that it needs is not found: 'ldd FILE' names it; install it, or set LD_LIBRARY_PATH or an rpath."},
	{regexp.MustCompile(`cannot link it`), "The linker's message stands above. The file LINK holds the command that links (c++ for C++), LIBS what is to be linked besides."},
	{regexp.MustCompile(`not a shared library|not an ELF file`), "Build a shared library: cc -shared -fPIC -o libsolver.so ... A static library belongs in a directory of its own (docs/targets.md)."},
	{regexp.MustCompile(`is for another machine`), "Build it for this machine."},
	{regexp.MustCompile(`damaged or cut short`), "Build it or copy it again."},
	{regexp.MustCompile(`holds neither`), "Name the directory and the archive alike: solver/libipamirsolver.a or solver/libipasirsolver.a."},
	{regexp.MustCompile(`serves \w+, not`), "Choose the interface that it has with --model, or leave --model out."},
	{regexp.MustCompile(`refuses option|does not take an option|takes no options`), "Correct the option where the target is named: behind the colon or in the targets file."},
	{regexp.MustCompile(`what it says of itself`), "Correct the text that ipafuzz_describe returns, or what the runner prints before \"ready\"; docs/targets.md has its form."},
	{regexp.MustCompile(`ended the process while it was being loaded`), "Its constructors, its signature function or its description end the process: load it in a program of your own under a debugger."},
	{regexp.MustCompile(`executable file not found|no such file or directory`), "The file is not there: build it, install it, or correct the path; a relative one counts from the targets file."},
	{regexp.MustCompile(`permission denied`), "Make the file readable, and a program executable."},
	{regexp.MustCompile(`protocol`), "docs/protocol.md says what a runner prints first and what it answers to which line."},
}

// remedy says what to do about a target that cannot be used.
func remedy(reason string) string {
	for _, r := range remedies {
		if r.reason.MatchString(reason) {
			return r.mend
		}
	}
	return "See docs/targets.md."
}
