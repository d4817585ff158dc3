package message

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/ipafuzz/ipafuzz/trace"
)

const mostFrames = 3

// Frames joins the names of the first frames of a target, without those of ipafuzz and of the C library, in
// which an abort ends. A recursion counts once, so that its depth does not become part of the key.
func Frames(frames []trace.Frame) string {
	if f := recursion(frames); f != "" {
		return Short(f)
	}
	var parts []string
	for _, frame := range frames {
		module := path.Base(frame.Module)
		if frame.Module == "" || isSystem(module) || isOwn(module, frame.Function) {
			continue
		}
		place := cmp.Or(sourceName(frame.Function), fmt.Sprintf("%s+%#x", module, frame.Offset))
		if len(parts) > 0 && parts[len(parts)-1] == place {
			continue
		}
		if parts = append(parts, place); len(parts) == mostFrames {
			break
		}
	}
	return Short(strings.Join(parts, " "))
}

// recursion names the functions that seem to call each other without end, or returns "". All recorded frames
// but the innermost two are theirs, and each function occurs several times. It is chance which of them runs
// out of stack, and at which instruction.
func recursion(frames []trace.Frame) string {
	const deep, circle = 16, 4
	if len(frames) < deep {
		return ""
	}
	times := make(map[string]int)
	for _, frame := range frames[2:] {
		name := sourceName(frame.Function)
		if name == "" || isSystem(path.Base(frame.Module)) {
			return ""
		}
		times[name]++
	}
	names := slices.Sorted(maps.Keys(times))
	if len(names) > circle || slices.ContainsFunc(names, func(name string) bool { return times[name] < 3 }) {
		return ""
	}
	return "endless recursion " + strings.Join(names, " ")
}

// sourceName returns the name of a function in the source. It drops parameter types and the
// suffixes of functions that the compiler split or specialized, which change from build to
// build.
func sourceName(function string) string {
	if name := demangle.Filter(function, demangle.NoParams); name != function || strings.ContainsAny(name, ":<(") {
		return name
	}
	name, _, _ := strings.Cut(function, ".")
	return name
}

var systemModules = []string{
	"libc.so", "libc-", "libpthread", "ld-linux", "ld-2", "libstdc++", "libc++", "libgcc_s", "libm.so", "libm-",
	"libasan", "libubsan", "libtsan", "liblsan", "libclang_rt", "linux-vdso", "[vdso]",
}

func isSystem(module string) bool {
	for _, prefix := range systemModules {
		if strings.HasPrefix(module, prefix) {
			return true
		}
	}
	return false
}

// isOwn reports whether a function belongs to the executor or the worker, whose frames lie between those of
// the target and the bottom of the stack. A target that is linked into the worker has the same module, so
// the name decides.
func isOwn(module, function string) bool {
	if strings.HasPrefix(function, "ipafuzz_") {
		return true
	}
	if !strings.HasPrefix(module, "ipafuzz") && !strings.HasSuffix(module, ".test") {
		return false
	}
	switch name := sourceName(function); name {
	case "", "main", "make", "walk", "answer_solve", "answer_model", "answer_core", "answer_proof", "answer_signature",
		"start_solver", "takes_clause", "says_stop", "run_job", "run_forked", "run_batch", "say_hello", "try_settings",
		"describe_hybrid", "set_named", "enter", "_start":
		return true
	default:
		return strings.HasPrefix(name, "layer_") // ipasir2_layer.h
	}
}
