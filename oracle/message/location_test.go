package message

import (
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func TestLocation(t *testing.T) {
	frames := []trace.Frame{
		{Module: "/lib/x86_64-linux-gnu/libc.so.6", Offset: 1, Function: "abort"},
		{Module: "/opt/libsolver.so", Offset: 0x10, Function: "std::vector<int>::operator[]", Place: "stl_vector.h:12"},
		{Module: "/opt/libsolver.so", Offset: 0x10, Function: "_ZN6Solver9propagateEi", Place: "Solver.cc:812"},
		{Module: "/opt/libsolver.so", Offset: 0x20, Function: "solve", Place: "Solver.cc:9"},
	}
	fatal := trace.Frame{Module: "/l.so", Function: "_ZN7CaDiCaL17fatal_message_endEv", Place: "m.cc:1"}
	abort := trace.Frame{Module: "/l.so", Function: "kissat_abort", Place: "e.c:1"}
	const asan = "=================================================================\n" +
		"==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x7f bp 0x1 sp 0x2\n" +
		"READ of size 8 at 0x60 thread T0\n    #0 0x7f12 in __interceptor_memcpy (/lib/libasan.so.8+0x1)\n" +
		"    #1 0x55a in std::vector<int>::at(unsigned long) /usr/include/c++/12/bits/stl_vector.h:1154:3\n" +
		"    #2 0x55b in Solver::detach(Clause*, bool) const /x/y/Solver.cc:5:12\n" +
		"    #3 0x55c in solve /x/y/Solver.cc:9\n\n" +
		"0x60 is located 0 bytes inside of 8-byte region\nfreed by thread T0 here:\n    #0 0x1 in free_clause /x/free.cc:1\n"
	for _, row := range []struct {
		name, stderr string
		frames       []trace.Frame
		want         string
	}{
		{"nothing", "", nil, ""},
		{"frames", "", frames, "Solver::propagate Solver.cc:812"},
		{"no line", "", []trace.Frame{{Module: "/l.so", Offset: 3, Function: "_ZN6Solver9propagateEi.part.0", Place: "+0x3"}},
			"Solver::propagate+0x3"},
		{"reporters", "", slices.Concat([]trace.Frame{fatal, abort}, frames), "Solver::propagate Solver.cc:812"},
		{"a reporter without separators", "", slices.Concat([]trace.Frame{{Module: "/l.so", Function: "lglabort",
			Place: "lglib.c:1233"}}, frames), "Solver::propagate Solver.cc:812"},
		{"only reporters", "", []trace.Frame{fatal, abort}, "CaDiCaL::fatal_message_end m.cc:1"},
		{"no reporter", "", []trace.Frame{{Module: "/l.so", Function: "studied_literals", Place: "l.c:2"}},
			"studied_literals l.c:2"},
		{"no symbol", "", []trace.Frame{{Module: "/opt/l.so", Offset: 3}}, "l.so+0x3"},
		{"free is not a prefix", "", []trace.Frame{{Module: "/l.so", Offset: 3, Function: "free_clause", Place: "a.c:1"}},
			"free_clause a.c:1"},
		{"address sanitizer", asan, frames, "Solver::detach Solver.cc:5"},
		{"two reports", asan + "\n==7==ERROR: AddressSanitizer: SEGV on unknown address\n    #0 0x1 in later /x/l.cc:3\n",
			frames, "Solver::detach Solver.cc:5"},
		{"module only", "==7==ERROR: AddressSanitizer: SEGV\n    #0 0x1  (/opt/libx.so+0x4a2) (BuildId: 1f)\n", frames,
			"libx.so+0x4a2"},
		{"no line of a sanitizer", "==7==ERROR: AddressSanitizer: SEGV\n    #0 0x1 in f(int) (/opt/libx.so+0x4a2)\n", frames,
			"f"},
		{"valgrind", "==12== Memcheck\n==12== Invalid write of size 8\n" +
			"==12==    at 0x484A: free (vg_replace_malloc.c:872)\n" +
			"==12==    by 0x10A: Solver::detach(Clause*) (Solver.cc:5)\n==12==    by 0x10B: main (in /x/a)\n", frames,
			"Solver::detach Solver.cc:5"},
		{"assertion", "a.out: /x/Solver.cc:5: void f(): Assertion `0' failed.", frames, "assertion Solver.cc:5"},
		{"exception", "terminate called after throwing an instance of 'std::out_of_range'", frames,
			"Solver::propagate Solver.cc:812"},
		{"Rust", "thread 'main' panicked at src/lib.rs:9:1:\nx", frames, "panic lib.rs:9"},
		{"undefined behaviour", "/a/b.cc:12:3: runtime error: division by zero", frames,
			"undefined behaviour: division by zero b.cc:12"},
		{"corrupted heap", "double free or corruption (fasttop)", frames, ""},
		{"endless recursion", "", recursive("eval", "apply", "eval"), "endless recursion apply eval"},
		{"another frame ran out of stack", "", recursive("push", "memcpy", "apply", "eval"), "endless recursion apply eval"},
		{"no symbols", "", recursive("", ""), "l.so+0x10"},
		{"not deep", "", recursive("eval", "apply")[:9], "eval l.c:1"},
		{"message without a place", "solver: fatal error", frames, "Solver::propagate Solver.cc:812"},
	} {
		if got := Location(&trace.Death{Stderr: row.stderr, Frames: row.frames}); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// recursive returns a stack of 24 frames: the given functions innermost, then the last two of these in turn.
func recursive(functions ...string) (frames []trace.Frame) {
	for i := range 24 {
		if i >= len(functions) {
			functions = append(functions, functions[i-2])
		}
		frames = append(frames, trace.Frame{Module: "/l.so", Offset: 0x10, Function: functions[i], Place: "l.c:1"})
	}
	return frames
}

// TestDemangled: frames have the names of the source, whichever compiler mangled them.
func TestDemangled(t *testing.T) {
	for _, row := range []struct{ name, want string }{
		{"solve", "solve"},
		{"propagate.constprop.0", "propagate"},
		{"_ZN6Solver9propagateEi", "Solver::propagate"},
		{"_ZN6Solver9propagateEi.cold", "Solver::propagate"},
		{"Solver::propagate(int)::{lambda()#1}::operator()", "Solver::propagate(int)::{lambda()#1}::operator()"},
		{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
		{"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
	} {
		if got := sourceName(row.name); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestFramesOfTheWorker: no key names the functions through which the worker calls the target, which may be linked
// into the same program.
func TestFramesOfTheWorker(t *testing.T) {
	for _, c := range []struct{ module, functions, want string }{
		{"ipafuzz worker", "ipasir2_release layer_release make walk main", "ipasir2_release"},
		{"ipafuzz worker", "says_stop search ipasir2_solve layer_solve_once layer_solve", "search ipasir2_solve"},
		{"ipafuzz worker", "layer_release make", ""},
		{"libsolver.so", "layer_merge make", "layer_merge make"},
	} {
		var frames []trace.Frame
		for function := range strings.FieldsSeq(c.functions) {
			frames = append(frames, trace.Frame{Module: "/" + c.module, Function: function})
		}
		if got := Frames(frames); got != c.want {
			t.Errorf("%s: %q, want %q", c.functions, got, c.want)
		}
	}
}
