package native

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

const (
	shownSymbols = 4   // how many undefined or repeated symbols a message shows
	shownWidth   = 160 // how many bytes of a linker's line a message shows
)

// A failedLink explains in at most ten lines why a compiler or linker failed.
type failedLink struct {
	command string
	err     error
	output  []byte
	dir     string   // of the target
	link    []string // the command that links
	setter  string   // set-option of the targets file, or ""
	log     string   // path of the file with the whole output
}

var (
	undefined = regexp.MustCompile("undefined (?:reference to |symbol: )[`'‘]?([^\n'’]+)")
	repeated  = regexp.MustCompile("(?:multiple definition of |duplicate symbol: )[`'‘]?([^\n'’;]+)")
	absent    = regexp.MustCompile("(?:cannot find|unable to find library) ([^\n]+)")
	immovable = regexp.MustCompile("recompile with -f(?:PIC|PIE|pie|pic)")
	foreign   = regexp.MustCompile("(?:file format not recognized|incompatible|is for another machine|wrong format)")
)

// runtimes are symbols of compilers' runtime libraries, and of libraries that people often
// forget in LIBS.
var runtimes = []struct{ symbols, cause, remedy string }{
	{`^(std::|operator (new|delete)|__cxa_|__gxx_personality|vtable for (__cxxabiv1|std)|_Unwind_)`,
		"it needs the library of C++, which %[2]s does not link", "write c++ into the file LINK in %[1]s"},
	{`^__(asan|ubsan|tsan|msan|lsan|sanitizer)_`,
		"it was compiled with a sanitizer", "write the command with the same -fsanitize= into the file LINK in %[1]s"},
	{`^__gcov_`, "it was compiled for coverage", "write the command with --coverage into the file LINK in %[1]s"},
	{`^(omp|GOMP)_`, "it was compiled with OpenMP", "write the command with -fopenmp into the file LINK in %[1]s"},
	{`^(gz(open|read|close|write|gets|getc|dopen|eof)|(in|de)flate|crc32|compress)`,
		"zlib is missing", "write -lz into the file LIBS in %[1]s"},
	{`^__gmp`, "GMP is missing", "write -lgmp (and -lgmpxx for C++) into the file LIBS in %[1]s"},
	{`^BZ2_`, "libbz2 is missing", "write -lbz2 into the file LIBS in %[1]s"},
	{`^lzma_`, "liblzma is missing", "write -llzma into the file LIBS in %[1]s"},
	{`^ipa[sm]ir_`, "the archive lacks a function of the interface",
		`define it in the archive, in C++ as extern "C"; nm --defined-only lists what is there`},
}

// String returns the command and its error, the first symbols or lines, the likely cause, a
// remedy, and the path of the log.
func (f *failedLink) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "it cannot be linked: %s: %v\n", f.command, f.err)
	kind, found, cause, remedy := f.explain()
	for i, one := range found {
		if i == shownSymbols {
			fmt.Fprintf(&b, "  ... and %d more\n", len(found)-i)
			break
		}
		fmt.Fprintf(&b, "  %s%s\n", kind, shorten(one))
	}
	fmt.Fprintf(&b, "likely cause: %s\nremedy: %s", cause, remedy)
	if f.log != "" {
		fmt.Fprintf(&b, "\neverything that %s printed: %s", filepath.Base(f.command), f.log)
	}
	return b.String()
}

// explain returns symbols or lines from the output, of what kind they are, their likely cause
// and a remedy.
func (f *failedLink) explain() (kind string, found []string, cause, remedy string) {
	inLIBS := "correct the file LIBS in " + f.dir
	if found = f.all(absent); len(found) > 0 {
		return "cannot find ", found, "LIBS or LINK names a file or library that is not there",
			"build or install it, or " + inLIBS
	}
	if found = f.all(repeated); slices.Contains(found, "main") {
		return "defined twice: ", found, "a library in LIBS contains a program's main function",
			"take its object out of that library: ar d ARCHIVE OBJECT"
	} else if len(found) > 0 {
		return "defined twice: ", found, "the archive and the libraries in LIBS have symbols of the same names",
			"omit one of them from LIBS, or hide its symbols: objcopy --keep-global-symbols"
	}
	if found = f.all(undefined); len(found) > 0 {
		if f.setter != "" && slices.Contains(found, f.setter) {
			return "undefined: ", []string{f.setter}, "the archive lacks the function that set-option names",
				"correct set-option in the targets file; ipafuzz targets doctor " + f.dir + " names those that look like it"
		}
		for _, r := range runtimes {
			pattern := regexp.MustCompile(r.symbols)
			if at := slices.IndexFunc(found, pattern.MatchString); at >= 0 {
				found[0], found[at] = found[at], found[0]
				return "undefined: ", found, expand(r.cause, f), expand(r.remedy, f)
			}
		}
		return "undefined: ", found, "the library that defines these symbols is not linked",
			"name it in the file LIBS in " + f.dir + ", as -lNAME or as a path from there"
	}
	switch found = f.lines(); {
	case immovable.Match(f.output):
		return "", found, "the archive is not position-independent, as this compiler's programs are",
			"compile it with -fPIC, or write " + strings.Join(f.link, " ") + " -no-pie into the file LINK in " + f.dir
	case foreign.Match(f.output):
		return "", found, "an archive is for another machine or compiler", "build it here, with this compiler"
	}
	return "", found, "the command fails", "read the log; the file LINK in " + f.dir + " holds the command that links"
}

func expand(text string, f *failedLink) string {
	if !strings.Contains(text, "%[") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "%[1]s", f.dir), "%[2]s", strings.Join(f.link, " "))
}

// all returns the symbols that the pattern finds, each once and demangled.
func (f *failedLink) all(pattern *regexp.Regexp) (found []string) {
	seen := make(map[string]bool)
	for _, match := range pattern.FindAllSubmatch(f.output, -1) {
		name := strings.TrimSuffix(strings.TrimSpace(string(match[1])), ": No such file or directory")
		if name = demangle.Filter(name); !seen[name] {
			seen[name] = true
			found = append(found, name)
		}
	}
	return found
}

// lines returns the first lines of the output that contain "error", or else its last lines.
func (f *failedLink) lines() (chosen []string) {
	all := strings.Split(string(bytes.TrimSpace(f.output)), "\n")
	for _, line := range all {
		if strings.Contains(line, "error") || strings.Contains(line, "relocation") {
			chosen = append(chosen, line)
		}
	}
	if len(chosen) == 0 {
		chosen = all[max(0, len(all)-shownSymbols):]
	}
	return chosen[:min(len(chosen), shownSymbols)]
}

func shorten(line string) string {
	line = strings.ToValidUTF8(line, "?")
	if len(line) <= shownWidth {
		return line
	}
	return strings.ToValidUTF8(line[:shownWidth], "") + "..."
}
