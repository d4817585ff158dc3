package message

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A race is what ThreadSanitizer reports: two unordered accesses to one place.
type race struct {
	variable string // "" if it is not a global one, or has no name
	accesses []access
}

// An access is one of the two, by the function of the target that makes it.
type access struct {
	kind     string // "read", "write"
	function string // or module+offset
	place    string // file:line; "" if unknown
	own      bool   // the function is the executor's
}

var (
	raceReport   = regexp.MustCompile(`WARNING: ThreadSanitizer: data race\b`)
	raceAccess   = regexp.MustCompile(`(?mi)^\s*(?:previous )?(?:atomic )?(read|write) of size \d+ at `)
	raceVariable = regexp.MustCompile(`Location is global '([^']+)'`)
	// The function, the place in the source, and the place in the module.
	raceFrame = regexp.MustCompile(`^\s*#\d+ (.+?) (\S+?)(?::(\d+))?(?::\d+)? \((\S+)\+(0x[0-9a-f]+)\)` +
		`(?: \(BuildId: \S+\))?\s*$`)
)

// raceIn returns the first race that a text reports, or nil.
func raceIn(text string) *race {
	at := raceReport.FindStringIndex(text)
	if at == nil {
		return nil
	}
	text = text[at[0]:]
	if end := strings.Index(text, "\n====="); end >= 0 {
		text = text[:end]
	}
	r := new(race)
	if g := raceVariable.FindStringSubmatch(text); g != nil {
		r.variable = withoutParameters(g[1])
	}
	for _, g := range raceAccess.FindAllStringSubmatchIndex(text, -1) {
		a := access{kind: strings.ToLower(text[g[2]:g[3]])}
		_, stack, _ := strings.Cut(text[g[1]:], "\n")
		for line := range strings.Lines(stack) {
			frame := raceFrame.FindStringSubmatch(line)
			if frame == nil {
				break
			}
			if a.take(frame) {
				break
			}
		}
		if a.function != "" {
			r.accesses = append(r.accesses, a)
		}
	}
	return r
}

// take notes the function of a frame, unless it belongs to the sanitizer or the C library.
func (a *access) take(frame []string) bool {
	function, file, line, module, offset := frame[1], frame[2], frame[3], path.Base(frame[4]), frame[5]
	switch {
	case isSystem(module):
		return false
	case function == "<null>":
		a.function = module + "+" + offset
	default:
		if a.function = withoutParameters(function); isSanitizerFunction(a.function) {
			a.function = ""
			return false
		}
	}
	if line != "" {
		a.place = path.Base(file) + ":" + line
	}
	a.own = isOwn(module, a.function)
	return true
}

// stable returns a text that does not depend on which thread comes first: it names the variable, or both
// functions.
func (r *race) stable() string {
	if r.variable != "" {
		return "data race on " + r.variable
	}
	var functions []string
	for _, a := range r.accesses {
		functions = append(functions, a.function)
	}
	slices.Sort(functions)
	if functions = slices.Compact(functions); len(functions) == 0 {
		return "data race"
	}
	return "data race in " + strings.Join(functions, " and ")
}

// Race describes the two accesses of the first race that a text reports, for people. It returns "" if there is
// none.
func Race(text string) string {
	r := raceIn(text)
	if r == nil {
		return ""
	}
	var parts []string
	for _, a := range r.accesses {
		part := a.kind + " in " + a.function
		if a.place != "" {
			part += " (" + a.place + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// ofExecutor reports whether the target has no part in the race.
func (r *race) ofExecutor() bool {
	return len(r.accesses) > 0 && !slices.ContainsFunc(r.accesses, func(a access) bool { return !a.own })
}
