package oracle

import (
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestErrorMessages: what of a process's output is an error message, and what is
// the same of it in every run. Most rows are what real solvers and their
// libraries print.
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
		{"a.c:7:9: runtime error: signed integer overflow: 1 + 2147483647 cannot be represented", "undefined behaviour: signed integer overflow a.c:7"},
		{"WARNING: ThreadSanitizer: data race (pid=12)", "thread sanitizer: data race"},
		{"Exception in thread \"main\" java.lang.NullPointerException\n\tat org.x.Y.f(Y.java:12)", "uncaught java.lang.NullPointerException Y.java:12"},
		{"Traceback (most recent call last):\n  File \"/a/solver.py\", line 12, in f\n    g()\nValueError: no", "uncaught ValueError solver.py:12"},
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
		line, got := errorMessage(row.text)
		if got != row.want {
			t.Errorf("%.80q: %q, want %q", row.text, got, row.want)
		}
		if (line == "") != (got == "") || strings.ContainsAny(line, "\n\r\x1b") {
			t.Errorf("%.80q: line %q", row.text, line)
		}
	}
}

func writes(text string) func(*trace.Run) {
	return func(run *trace.Run) { run.Output = trace.Output{Text: text, Of: 1} }
}

// TestOrderOfEvaluation: of several failures of one run the worst comes first,
// and a message beside any of them is none of its own.
func TestOrderOfEvaluation(t *testing.T) {
	const wrong, right = "add 1 0; add -1 0; solve = 10", "add 1 0; solve = 10; val 1 = 1"
	dies := func(signal int, stderr string) func(*trace.Run) {
		return func(run *trace.Run) {
			run.End, run.Call = trace.Killed, 3
			run.Death = trace.Death{Signal: signal, Stderr: stderr}
		}
	}
	runTable(t, "ipasir", []judged{
		{name: "message beside right answers", log: right, edit: writes("ERROR: x"), want: []string{"4.3 message 3 ERROR: x"}},
		{name: "message without any call", log: "", edit: writes("ERROR: x"), want: []string{"4.3 message 0 ERROR: x"}},
		{name: "chatter beside right answers", log: right, edit: writes("c ERROR: x\nsolved")},
		{name: "message beside a wrong answer", log: wrong, edit: writes("ERROR: x"), want: []string{"2.4 exhaustive 2 claims a solution"}},
		{name: "message beside values that disagree", log: "add 1 2 0; solve = 10; val 1 = 1; val -1 = -1", edit: writes("ERROR: x"),
			want: []string{"5.2 values 3 true and false"}},
		{name: "message beside an interruption", log: "terminate 1; solve = 0", edit: writes("ERROR: x")},
		{name: "message beside an option that was refused", log: "option a b = 1; add 1 0; solve = 10", edit: writes("ERROR: no option a")},
		{name: "message that the policy allows", log: right, edit: writes("ERROR: x"), config: Config{Policies: map[string]string{"error-message": "ignored"}}},
		{name: "crash behind a wrong answer", log: wrong + "; solve", edit: dies(11, "ERROR: x"),
			want: []string{"2.4 exhaustive 2 claims a solution", "1.5 end 3 SIGSEGV in solve"}},
		{name: "crash with a message", log: "add 1 0; solve = 10; solve = 10; solve", edit: dies(11, "ERROR: x"),
			want: []string{"1.5 end 3 SIGSEGV in solve"}},
		{name: "time limit with a message", log: "add 1 0; solve = 10; solve = 10; solve", want: []string{"3.1 end 3 in solve"},
			edit: func(run *trace.Run) {
				run.End, run.Call, run.Output = trace.OutOfCPU, 3, trace.Output{Text: "ERROR: x", Of: 1}
			}},
	})
	runTable(t, "ipamir", []judged{
		{name: "message beside a bound violation", log: "hard 1 2 0; soft 1 3; soft 2 5; solve = 30; obj = 5; model = -1 2", edit: writes("ERROR: x"),
			want: []string{"2.1 objective 5 not optimal"}},
		{name: "message beside a refusal that is allowed", log: "soft 1 18446744073709551615; soft 2 1; solve = 40", edit: writes("ERROR: weights")},
		{name: "message beside an optimum", log: "hard 1 2 0; soft 1 3; solve = 30; obj = 0", edit: writes("ERROR: 5 lost"),
			want: []string{"4.3 message 4 ERROR: N lost"}},
	})
}

// TestMessageBesideAComparison: what only the comparison with others shows wins
// as well.
func TestMessageBesideAComparison(t *testing.T) {
	f := withoutMessages([]Finding{{Class: ClaimsSolution, Check: compareCheck}, {Class: ErrorMessage, Check: messageCheckName}})
	if len(f) != 1 || f[0].Class != ClaimsSolution {
		t.Errorf("%+v", f)
	}
	if f := withoutMessages([]Finding{{Class: ErrorMessage, Check: messageCheckName}}); len(f) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestSuspectsOfAMessage(t *testing.T) {
	tr := parseLog(t, "ipasir", "solve = 10")
	run := &trace.Run{Answers: tr.Want.Clone(), Output: trace.Output{Text: "ERROR: x", Of: 16, At: 3}}
	if f := New(Config{}).Judge(tr, run); len(f) != 1 || f[0].Suspects != 16 || f[0].Suspect != 3 || f[0].Solve != -1 {
		t.Errorf("%+v", f)
	}
	if apimodel.PolicyNamed("error-message") == nil {
		t.Error("no policy")
	}
}

func FuzzErrorMessage(f *testing.F) {
	f.Add("prog: file.c:12: error: x\nERROR: y")
	f.Add("Traceback (most recent call last):\n  File \"a\", line 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		line, stable := errorMessage(text)
		if (line == "") != (stable == "") || strings.ContainsAny(line, "\n\r") || len([]rune(line)) > longestLine {
			t.Errorf("%q, %q", line, stable)
		}
	})
}
