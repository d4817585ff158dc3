package message

import (
	"strings"
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
)

func TestLastWords(t *testing.T) {
	for _, row := range []struct {
		signal       syscall.Signal // 0: it exits
		stderr, want string
	}{
		{syscall.SIGABRT, "", ""},
		{syscall.SIGABRT, "loading\n*** API usage error of 'lglib.c' in 'lglfailed': not assumed\nc 3 conflicts\n",
			"*** API usage error of 'lglib.c' in 'lglfailed': not assumed"},
		{syscall.SIGABRT, "error: bad literal\nnow what\n", "error: bad literal"},
		{syscall.SIGABRT, "s: Solver.cc:8: Assertion `ok' failed.\n", "s: Solver.cc:8: Assertion `ok' failed."},
		{syscall.SIGABRT, strings.Repeat("x", 2000), strings.Repeat("x", 160) + "..."},
		{syscall.SIGABRT, "\x1b[31mred\x1b[0m\r\n", "red"},
		{syscall.SIGSEGV, "12 clauses\n", ""},
		{syscall.SIGSEGV, "panic: no clause\n", "panic: no clause"},
		{0, "out of patience\n", "out of patience"},
	} {
		if got := LastWords(&trace.Death{Signal: int(row.signal), Stderr: row.stderr}); got != row.want {
			t.Errorf("%v %.60q: %q, want %q", row.signal, row.stderr, got, row.want)
		}
	}
}

// TestErrorMessages: the error messages in a process's output, and the part of each that is the same in every
// run. Most rows are output of real solvers and of the libraries that they use.
func TestErrorMessages(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"\n\n", ""},
		{"ERROR: watch list of -17 is not sorted", "ERROR: watch list of N is not sorted"},
		{"error: weight 18446744073709551615 at 0x7ffe1234abcd", "error: weight N at N"},
		{"Error!", "Error!"},
		{"[ERROR] clause 3 4 -5 0 was lost", "[ERROR] clause N ... was lost"},
		{"*** Fatal error ***", "*** Fatal error ***"},
		{"solver[4711]: error: bad literal", "solver[N]: error: bad literal"},
		{"/home/x/src/solver.cc:12:3: error: bad literal", "solver.cc:N:N: error: bad literal"},
		{"libsolver: internal error in propagate()", "libsolver: internal error in propagate()"},
		{"An internal error occurred", "An internal error occurred"},
		{"Exception: index out of range", "Exception: index out of range"},
		{"panic: unreachable", "panic unreachable"},
		{"\x1b[31merror:\x1b[0m red", "error: red"},
		{"some text\r\nERROR: second line\r\n", "ERROR: second line"},
		{"ERROR: no newline at the end", "ERROR: no newline at the end"},
		{"maxsat: solver answered ERROR: 12 wrong", "maxsat: solver answered ERROR: N wrong"},
		{"Solver.cc:812: void f(): Assertion `ok' failed.", "assertion Solver.cc:812"},
		{"assertion violated: trail is empty", "assertion violated: trail is empty"},
		{"double free of clause 12", "glibc: heap corruption"},
		{"heap corruption detected", "heap corruption detected"},
		{"free(): invalid pointer", "glibc: heap corruption"},
		{"the watches are corrupted", "the watches are corrupted"},
		{"a.c:7:9: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented",
			"undefined behaviour: signed integer overflow a.c:7"},
		{"WARNING: ThreadSanitizer: data race (pid=12)", "thread sanitizer: data race"},
		{"Exception in thread \"main\" java.lang.NullPointerException\n\tat org.x.Y.f(Y.java:12)",
			"uncaught java.lang.NullPointerException Y.java:12"},
		{"Traceback (most recent call last):\n  File \"/a/solver.py\", line 12, in f\n    g()\nValueError: no",
			"uncaught ValueError solver.py:12"},
		{"this should never happen", "this should never happen"},
		{"BUG: level 3", "BUG: level N"},
		{"ERROR: " + strings.Repeat("x", 5000), "ERROR: " + strings.Repeat("x", 93)},
		{"ERROR: caf\xe9", "ERROR: caf?"},

		{"c ERROR: this is a comment", ""},
		{"c\tassertion failed", ""},
		{"c", ""},
		{"warning: error in line 3 ignored", ""},
		{"Warning: assertion checks failed to be enabled", ""},
		{"note: error handling is on", ""},
		{"errors: 0", ""},
		{"error: 0.0001", ""},
		{"error = 1e-6", ""},
		{"Error 3.5%", ""},
		{"0 errors", ""},
		{"12 assertions failed", ""},
		{"no errors", ""},
		{"No error", ""},
		{"no error: ok", ""},
		{"relative error: small", ""},
		{"error rate is low", ""},
		{"error_limit: high", ""},
		{"error-limit reached", ""},
		{"errors are reported to stderr", ""},
		{"terror: fine", ""},
		{"abort on error: yes", ""},
		{"assertions enabled", ""},
		{"assert: on", ""},
		{"corrupted: no", ""},
		{"error: interrupted", ""},
		{"Error: time limit reached", ""},
		{"aborted", ""},
		{"MiniSat 2.2, please report bugs to nobody", ""},
		{"s SATISFIABLE\nv 1 2 3 0\no 12", ""},
		{"restarts : 12\nconflicts : 5 (100 /sec)", ""},
		{"clause freed, malloc 12 MB, overflow area empty", ""},
		{strings.Repeat("banner\n", 1000), ""},
		{"\x00\xff\xfe", ""},
	} {
		line, got := Error(row.text)
		if got != row.want {
			t.Errorf("%.80q: %q, want %q", row.text, got, row.want)
		}
		if (line == "") != (got == "") || strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("%.80q: line %q", row.text, line)
		}
	}
}

func TestReports(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"c solving\nWARNING: nothing\n", ""},
		{"a.out: x.c:5: main: Assertion `0' failed.", "assertion x.c:5"},
		{"Assertion failed: (x > 0), function f, file /a/b/Solver.cpp, line 77.", "assertion Solver.cpp:77"},
		{"ASSERTION VIOLATION\nFile: ../src/opt/maxres.cpp\nLine: 712\nm_lower <= m_upper\n", "assertion maxres.cpp:712"},
		{"terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check: " +
			"__n (which 5)",
			"uncaught std::out_of_range"},
		{"thread '<unnamed>' panicked at src/core/solver.rs:12:5:\nindex 3", "panic solver.rs:12"},
		{"thread 'main' panicked at 'x', src/lib.rs:9:1", "panic lib.rs:9"},
		{"Exception in thread \"main\" java.lang.NullPointerException: x\n\tat " +
			"org.sat4j.minisat.orders.PureOrder.select(PureOrder.java:64)\n",
			"uncaught java.lang.NullPointerException PureOrder.java:64"},
		{"java.lang.IndexOutOfBoundsException: 3\n\tat " +
			"java.base/java.util.Objects.checkIndex(Objects.java:359)\n\tat org.sat4j.core.Vec.get(Vec.java:12)",
			"uncaught java.lang.IndexOutOfBoundsException Vec.java:12"},
		{"panic: index out of range [5]\n\ngoroutine 1 " +
			"[running]:\nruntime.goPanicIndex(0x1)\n\t/usr/lib/go/src/runtime/panic.go:114 " +
			"+0x1\nx/solver.(*S).f(...)\n\t/home/x/solver/watcher.go:64 +0x5",
			"panic index out of range watcher.go:64"},
		{"panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1",
			"panic runtime error: index out of range"},
		{"Traceback (most recent call last):\n  File \"/a/run.py\", line 3, in <module>\n    f()\n  File " +
			"\"/a/s.py\", line 12, in f\n    g[1]\nKeyError: 1\n",
			"uncaught KeyError s.py:12"},
		{"double free or corruption (fasttop)\n", "glibc: heap corruption"},
		{"malloc(): corrupted top size\n", "glibc: heap corruption"},
		{"*** stack smashing detected ***: terminated", "glibc: stack smashing detected"},
		{"/a/b.cc:12:3: runtime error: signed integer overflow: 2147483647 + 1 cannot",
			"undefined behaviour: signed integer overflow b.cc:12"},
		{"==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x7f\nREAD of size 8\n    #0 " +
			"0x7f12 in __interceptor_memcpy x\n    #1 0x55aa in Solver::propagate() /x/Solver.cc:5\n    #2 0x55ab " +
			"(/opt/libfoo.so+0x4a2)\n    #3 0x1 in a\n    #4 0x2 in b\n\nfreed by\n    #0 0x1 in c\n",
			"address sanitizer: heap-use-after-free Solver::propagate libfoo.so+0x4a2 a"},
	} {
		if got := Report(row.text); got != row.want {
			t.Errorf("%q:\ngot  %q\nwant %q", row.text, got, row.want)
		}
	}
}

func FuzzErrorMessage(f *testing.F) {
	f.Add("prog: file.c:12: error: x\nERROR: y")
	f.Add("Traceback (most recent call last):\n  File \"a\", line 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		line, stable := Error(text)
		if (line == "") != (stable == "") || strings.ContainsAny(line, "\n\r") || len([]rune(line)) > longestLine {
			t.Errorf("%q, %q", line, stable)
		}
	})
}
