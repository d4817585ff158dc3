package message

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/ipafuzz/ipafuzz/trace"
)

// Location returns the place in the code where a process went wrong, or "" if nobody knows it. That is the
// place that the first report names: of a sanitizer, a checking allocator, a failed assertion or an uncaught
// exception. Without a report, it is the place of death or, if that is a function which only reports errors,
// the place of its caller. Two deaths with the same location have the same fault.
//
// If functions call each other without end, the location is their names.
//
// If glibc finds the heap corrupted, there is no location, because the process dies long after the fault.
func Location(death *trace.Death) string {
	if at := reported(death.Stderr); at != "" {
		return at
	}
	report := Report(death.Stderr)
	if report == heapCorruption {
		return ""
	}
	if namesPlace.MatchString(report) {
		return report
	}
	if f := recursion(death.Frames); f != "" {
		return f
	}
	reporter := ""
	for _, f := range death.Frames {
		module := path.Base(f.Module)
		if f.Module == "" || isSystem(module) || isOwn(module, f.Function) {
			continue
		}
		function := sourceName(f.Function)
		if isSanitizerFunction(function) {
			continue // such as a function of the C++ library that is compiled into this one
		}
		if at := placeOf(f, module, function); !reporters.MatchString(function) {
			return at
		} else if reporter == "" {
			reporter = at
		}
	}
	return reporter
}

func placeOf(f trace.Frame, module, function string) string {
	switch {
	case function == "":
		return fmt.Sprintf("%s+%#x", module, f.Offset)
	case strings.HasPrefix(f.Place, "+"):
		return function + f.Place
	}
	return strings.TrimSpace(function + " " + f.Place)
}

// reporters matches functions that only report an error and end the process, such as
// CaDiCaL's fatal_message_end, kissat_fatal and lglabort. Faults of all kinds end there.
var reporters = regexp.MustCompile(`(?:^|[:_])(?:fatal|abort|panic|die)(?:$|[_(])|(?:fatal|abort|panic)$`)

// namesPlace matches reports with a file and a line.
var namesPlace = regexp.MustCompile(`[\w-]\.\w+:\d+$`)

// stacks matches the beginnings of reports with a stack, by sanitizers and by allocators
// that check.
var stacks = []struct {
	begin *regexp.Regexp
	lines func(text string) []reportedFrame
}{
	{regexp.MustCompile(`(?:ERROR|WARNING): (?:Address|Leak|Thread|Memory|HWAddress)Sanitizer`), reportedFrames},
	{regexp.MustCompile(`GWP-ASan detected a memory error`), reportedFrames},
	{regexp.MustCompile(`(?m)^==\d+== (?:Invalid (?:read|write|free)|Mismatched free|Jump to the invalid|` +
		`Conditional jump|Use of uninitialised|Process terminating)`), valgrindFrames},
}

// reported returns the place that the first report with a stack names.
func reported(text string) string {
	first, place := len(text), ""
	for _, s := range stacks {
		found := s.begin.FindStringIndex(text)
		if found == nil || found[0] >= first {
			continue
		}
		if frames := s.lines(text[found[0]:]); len(frames) > 0 {
			first, place = found[0], strings.TrimSpace(frames[0].function+" "+frames[0].place)
		}
	}
	return place
}

// valgrindFrame is a line of valgrind's stacks: ==12==    at 0x4: f(int) (file.c:12), or (in /lib/x.so).
var valgrindFrame = regexp.MustCompile(`(?m)^==\d+==\s+(?:at|by) (0x[0-9A-F]+): (.+?) \((?:in (\S+)|(\S+:\d+))\)\s*$`)

func valgrindFrames(text string) (frames []reportedFrame) {
	for i, line := range strings.SplitAfter(text, "\n") {
		g := valgrindFrame.FindStringSubmatch(line)
		if g == nil && i > 0 {
			break
		}
		if g == nil {
			continue
		}
		f := reportedFrame{function: withoutParameters(g[2]), place: g[4]}
		if isSanitizerFunction(f.function) || isSystem(path.Base(g[3])) || strings.HasPrefix(g[4], "vg_replace_") {
			continue
		}
		if f.function == "???" {
			f.function = path.Base(g[3])
		}
		frames = append(frames, f)
	}
	return frames
}
