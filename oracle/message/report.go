// Package message finds error messages, reports and stacks in what a process has left behind. It extracts
// the part that stays the same from run to run, which becomes part of the key of a finding.
package message

import (
	"path"
	"regexp"
	"strings"
)

// Uncaught begins the message of an exception that nothing caught.
const Uncaught = "uncaught"

// undefinedBehaviour is how a report of UndefinedBehaviorSanitizer begins.
var undefinedBehaviour = regexp.MustCompile(`(?m)([^\s:]+:\d+):\d+: runtime error: ([a-z -]+)`)

// reports match what dying processes print, and select the part that stays the same from
// run to run: no addresses, no process numbers, no directories, no values.
var reports = []struct {
	pattern *regexp.Regexp
	say     func(groups []string, text string) string
}{
	{ // ==123==ERROR: AddressSanitizer: heap-use-after-free on address ...
		regexp.MustCompile(`ERROR: (Address|Leak|Thread|Memory|HWAddress)Sanitizer:? ([A-Za-z0-9_-]+)`),
		func(g []string, text string) string {
			kind := strings.ToLower(g[1]) + " sanitizer: " + g[2]
			if g[1] == "Leak" {
				kind = "leak sanitizer: leak"
			}
			return strings.TrimSpace(kind + " " + sanitizerFrames(text))
		},
	},
	{ // WARNING: ThreadSanitizer: data race (pid=1)
		regexp.MustCompile(`WARNING: (Thread|Memory)Sanitizer: ([a-z -]+[a-z])`),
		func(g []string, text string) string {
			kind := strings.ToLower(g[1]) + " sanitizer: "
			if r := raceIn(text); r != nil {
				return kind + r.stable()
			}
			return strings.TrimSpace(kind + g[2] + " " + sanitizerFrames(text))
		},
	},
	{ // file.c:12:3: runtime error: signed integer overflow: 1 + 2 cannot be ...
		undefinedBehaviour,
		func(g []string, _ string) string {
			return "undefined behaviour: " + strings.TrimSpace(g[2]) + " " + path.Base(g[1])
		},
	},
	{ // prog: dir/file.cpp:12: void f(): Assertion `x' failed.
		regexp.MustCompile(`(?m)([^\s:]+:\d+): .*[Aa]ssertion .*failed`),
		func(g []string, _ string) string { return "assertion " + path.Base(g[1]) },
	},
	{ // Assertion failed: (x), function f, file dir/file.cpp, line 12.
		regexp.MustCompile(`(?m)Assertion failed: .*file ([^\s,]+), line (\d+)`),
		func(g []string, _ string) string { return "assertion " + path.Base(g[1]) + ":" + g[2] },
	},
	{ // ASSERTION VIOLATION\nFile: ../src/file.cpp\nLine: 12
		regexp.MustCompile(`ASSERTION VIOLATION\s+File: (\S+)\s+Line: (\d+)`),
		func(g []string, _ string) string { return "assertion " + path.Base(g[1]) + ":" + g[2] },
	},
	{ // terminate called after throwing an instance of 'std::out_of_range'
		regexp.MustCompile(`terminate called after throwing an instance of '([^']+)'`),
		func(g []string, _ string) string { return Uncaught + " " + g[1] },
	},
	{ // thread 'main' panicked at src/lib.rs:12:5:
		regexp.MustCompile(`panicked at (?:'[^']*', )?([^\s:]+:\d+)`),
		func(g []string, _ string) string { return "panic " + path.Base(g[1]) },
	},
	{ // Exception in thread "main" java.lang.NullPointerException\n\tat org.x.Y.f(Y.java:12),
		// behind frames of Java's own library
		regexp.MustCompile(`(?m)^(?:Exception in thread "[^"]*" )?((?:[a-z0-9_]+\.)+[A-Z]\w*(?:Exception|Error))\b[^\n]*` +
			`(?:\n\s+at (?:[a-z.]+/)?javax?\.[^\n]*)*(?:\n\s+at [^\n(]*\(([^)\n]+)\))?`),
		func(g []string, _ string) string { return strings.TrimSpace(Uncaught + " " + g[1] + " " + g[2]) },
	},
	{ // panic: runtime error: index out of range [5] with length 3
		regexp.MustCompile(`(?m)^panic: ([^\n\[(]+)`),
		func(g []string, text string) string {
			return strings.TrimSpace("panic " + withoutNumbers(strings.TrimSpace(g[1])) + " " + goFrame(text))
		},
	},
	{ // File "solver.py", line 12, in f ... (the innermost frame is the last line)
		regexp.MustCompile(`(?s)Traceback \(most recent call last\):.*File "([^"]+)", line (\d+)[^\n]*\n` +
			`(?:\s+[^\n]*\n)*(\w[\w.]*)`),
		func(g []string, _ string) string { return Uncaught + " " + g[3] + " " + path.Base(g[1]) + ":" + g[2] },
	},
	{ // glibc, on a corrupted stack or an overflow that it detects at once
		regexp.MustCompile(`(stack smashing detected|buffer overflow detected)`),
		func(g []string, _ string) string { return "glibc: " + g[1] },
	},
	{ // glibc, on a corrupted heap; its words depend on where it looks first, so they are not part of the key
		regexp.MustCompile(`double free|free\(\): [a-z ]+|malloc\(\): [a-z ]+|realloc\(\): [a-z ]+|` +
			`munmap_chunk\(\): [a-z ]+|corrupted (?:size|double)`),
		func([]string, string) string { return heapCorruption },
	},
}

const heapCorruption = "glibc: heap corruption"

// Report returns the stable part of a report in a text, or "" if the text has none.
func Report(stderr string) string {
	if stderr == "" {
		return ""
	}
	for _, r := range reports {
		if groups := r.pattern.FindStringSubmatch(stderr); groups != nil {
			return Short(r.say(groups, stderr))
		}
	}
	return ""
}

// IsSanitizers reports whether a line begins a report of a sanitizer, which a correct library never causes.
func IsSanitizers(line string) bool {
	return strings.Contains(line, "Sanitizer: ") || undefinedBehaviour.MatchString(line)
}

// IsLeak reports whether a sanitizer found a leak.
func IsLeak(stderr string) bool {
	return strings.Contains(stderr, "LeakSanitizer: detected memory leaks")
}

// sanitizerFrame is a line of a stack: a function with its place, if that is known, or a module with
// an offset.
var sanitizerFrame = regexp.MustCompile(`(?m)^\s*#\d+ 0x[0-9a-f]+ +` +
	`(?:in (.+?)(?: (\S+?):(\d+)(?::\d+)?)?|\(([^)+]+)\+(0x[0-9a-f]+)\))` +
	`(?: \([^()]*\+0x[0-9a-f]+\))?(?: \(BuildId: \S+\))?\s*$`)

// A reportedFrame is a line of a reported stack.
type reportedFrame struct {
	function string // or module+offset
	place    string // file:line; "" if unknown
}

// sanitizerFrames returns the first functions of the first stack of a report, without those of the
// sanitizer and the C library.
func sanitizerFrames(text string) string {
	var parts []string
	for _, frame := range reportedFrames(text) {
		if parts = append(parts, frame.function); len(parts) == mostFrames {
			break
		}
	}
	return strings.Join(parts, " ")
}

// reportedFrames returns the frames of the first stack of a report, without those of the sanitizer
// and the C library.
func reportedFrames(text string) (frames []reportedFrame) {
	if i := strings.Index(text, "#0 "); i >= 0 {
		text = text[i:]
		if end := strings.Index(text, "\n\n"); end >= 0 {
			text = text[:end]
		}
	}
	for _, g := range sanitizerFrame.FindAllStringSubmatch(text, -1) {
		f := reportedFrame{function: withoutParameters(g[1])}
		switch {
		case g[1] == "" && isSystem(path.Base(g[4])):
			continue
		case g[1] == "":
			f.function = path.Base(g[4]) + "+" + g[5]
		case g[2] != "":
			f.place = path.Base(g[2]) + ":" + g[3]
		}
		if !isSanitizerFunction(f.function) {
			frames = append(frames, f)
		}
	}
	return frames
}

// withoutParameters removes the types of parameters from a name that a sanitizer demangled.
func withoutParameters(name string) string {
	name = sourceName(strings.TrimSpace(name))
	name = strings.TrimSuffix(name, " const")
	if !strings.HasSuffix(name, ")") {
		return name
	}
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 && i > 0 {
				return name[:i]
			}
		}
	}
	return name
}

var sanitizerFunctions = map[string]bool{"malloc": true, "calloc": true, "realloc": true, "free": true,
	"memcpy": true, "memset": true, "memmove": true, "strlen": true, "abort": true, "raise": true}

func isSanitizerFunction(name string) bool {
	if sanitizerFunctions[name] {
		return true
	}
	for _, prefix := range []string{"__interceptor", "__asan", "__lsan", "__sanitizer", "__ubsan", "__tsan", "__GI_",
		"__libc_", "operator", "std::", "__gnu_cxx::"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

var goFrames = regexp.MustCompile(`(?m)^\t(\S+\.go):(\d+)`)

// goFrame returns the first place of a Go stack outside Go's own runtime.
func goFrame(text string) string {
	for _, g := range goFrames.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(g[1], "/src/runtime/") {
			return path.Base(g[1]) + ":" + g[2]
		}
	}
	return ""
}

// withoutNumbers replaces the numbers of a message, which differ from run to run.
func withoutNumbers(s string) string { return numbers.ReplaceAllString(s, "N") }

var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+`)
