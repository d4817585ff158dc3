package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// shell makes a file target of a shell command, in which "$1" is the file and
// "$2" the file that it may write.
func shell(t *testing.T, script string, lines ...string) *replay.Target {
	t.Helper()
	path := filepath.Join(t.TempDir(), "targets.toml")
	out := ""
	if strings.Contains(script, "$2") {
		out = ", '{out}'"
	}
	text := "[targets.program]\ncommand = ['sh', '-c', '''\n" + script +
		"\n''', 'program', '{file}'" + out + "]\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := targets.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	model := "ipamir" // most of these tests have traces of several solves
	switch all := strings.Join(lines, " "); {
	case strings.Contains(all, "= 'cnf'"):
		model = "ipasir"
	case strings.Contains(all, "qdimacs"):
		model = ""
	}
	target, err := targets.Resolve("program", model, file)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

const (
	quantified = "format = 'qdimacs'"

	oneSolve = "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 5\nsolve\nobj\nval -2\nmodel\n"
	oneBlock = "ipafuzz 1 qbf\nexists 1 0\nclause 1 0\nsolve\nval 1\n"
	optimum  = "echo 'o 0'; echo 's OPTIMUM FOUND'; echo 'v 01'; exit 30"
)

// TestFileTarget: what programs do becomes answers or an end of the run.
func TestFileTarget(t *testing.T) {
	tests := []struct {
		name, script string
		lines        string
		trace        string
		want         string // the answers behind '=', or how the run ended
	}{
		{"answers", optimum, "", oneSolve, "30 0 2 -1 2"},
		{"reads the file", "cat \"$1\" >&2; test \"$(head -1 \"$1\")\" = 'h 1 2 0' || exit 1; " + optimum, "", oneSolve,
			"30 0 2 -1 2"},
		{"no values", "echo 's OPTIMUM FOUND'; exit 30", "", oneSolve, "30"},
		{"some values", "echo 's OPTIMUM FOUND'; echo 'v 0'; exit 30", "", oneSolve,
			"output that is no answer: model too short"},
		{"gives up", "echo 's UNKNOWN'", "", oneSolve, "0 - - -"},
		{"nothing to solve", "echo 's UNSATISFIABLE'; exit 20", "", oneSolve, "20 - - -"},
		{"odd status", "echo 's OPTIMAL'; exit 30", "", oneSolve, "output that is no answer: unknown status line"},
		{"no status", "echo 'c hello'", "", oneSolve, "output that is no answer: no status line"},
		{"no status", "echo 'c hello'", "kind = 'incomplete'", oneSolve, "0 - - -"},
		{"code of another status", "echo 's UNSATISFIABLE'; exit 30", "", oneSolve, "output that is no answer: exit code"},
		{"code of no status", "echo 's UNSATISFIABLE'; exit 7", "", oneSolve, "exited by itself: exit 7"},
		{"any code", "echo 's UNSATISFIABLE'; exit 30", "exit-codes = 'mse2023'", oneSolve, "20 - - -"},
		{"dies", "kill -SEGV $$", "", oneSolve, "killed by a signal: 11"},
		{"dies in a shell", "sh -c 'kill -ABRT $$'; exit $?", "", oneSolve, "killed by a signal: 6"},
		{"dies in the middle of a value", "echo 's OPTIMUM FOUND'; printf 'v 0'; kill -9 $$", "", oneSolve,
			"killed by a signal: 9"},
		{"ends with an error", "echo 'cannot read' >&2; exit 1", "", oneSolve, "exited by itself: exit 1"},
		{"floods", "while :; do echo 'c aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'; done", "", oneSolve,
			"output limit"},
		{"spins", "while :; do :; done", "", oneSolve, "CPU time limit"},
		{"hangs", "sleep 1000", "", oneSolve, "wall time limit"},
		{"leaves one behind", "sleep 1000 & " + optimum, "", oneSolve, "30 0 2 -1 2"},
		{"anytime", "trap 'echo o 5; echo s SATISFIABLE; echo v 10; exit 10' TERM; while :; do sleep 0.01; done",
			"kind = 'anytime'", oneSolve, "10 5 -2 1 -2"},
		{"anytime that is ended", "echo 'o 5'; while :; do sleep 0.01; done", "kind = 'anytime'", oneSolve, "0 - - -"},
		{"anytime that does not stop", "trap '' TERM; echo 'v 1'; while :; do sleep 0.01; done", "kind = 'anytime'",
			oneSolve, "0 - - -"},
		{"anytime that crashes", "kill -SEGV $$", "kind = 'anytime'", oneSolve, "killed by a signal: 11"},
		{"anytime that is done before", optimum, "kind = 'anytime'", oneSolve, "30 0 2 -1 2"},
		{"output in a file", "printf 'SAT\\n-1 2 0\\n' > \"$2\"; exit 10", "format = 'cnf'\ndialect = 'minisat'",
			"ipafuzz 1 ipasir\nadd 1 2 0\nsolve\nmodel\nassume -1\nsolve\nval 1\n", "10 -1 2 10 -1"},
		{"MiniSat's answer in the output", "echo SATISFIABLE; echo SAT; echo '-1 2 0'; echo done", "format = 'cnf'\n" +
			"dialect = 'minisat'\nexit-codes = 'zero'", "ipafuzz 1 ipasir\nadd 1 2 0\nsolve\nmodel\n", "10 -1 2"},
		{"two solves", "echo 's OPTIMUM FOUND'; n=$(grep -vc '^c' \"$1\"); echo \"o $n\"; exit 30", "",
			"ipafuzz 1 ipamir\nhard 1 0\nassume 2\nassume 3\nsolve\nobj\nhard 4 0\nsolve\nobj\n" +
				"soft 3 2\nsolve\nobj\nrelease\ninit\nsolve\nobj\n", "30 3 30 2 30 3 30 0"},
		{"beyond its limits", "echo 's UNSATISFIABLE'; exit 20", "max-weight = 4",
			"ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 5\nsolve\nobj\nsoft 1 4\nsolve\n", "? - 20"},
		{"unreadable", "echo 's UNSATISFIABLE'; exit 20", "unreadable = ['empty-clause']",
			"ipafuzz 1 ipamir\nsolve\nhard 0\nsolve\n", "20 ?"},
		{"what no file of QDIMACS has", "echo SAT; exit 0", quantified + "\nunreadable = ['empty-formula', 'empty-clause']",
			"ipafuzz 1 qbf\nsolve\nclause 0\nsolve\n", "10 10"},
		{"weights too great for the format", "echo 's UNSATISFIABLE'; exit 20", "",
			"ipafuzz 1 ipamir\nsoft 1 9223372036854775808\nsolve\n", "?"},
		{"what no program has", "echo 's UNSATISFIABLE'; exit 20", "format = 'cnf'",
			"ipafuzz 1 ipasir\nterminate 0\nassume 1\nsolve\nfailed 1\ncore\n", "? 20 ? ?"},
		{"nothing to optimise", "echo 's SATISFIABLE'; echo 'v x1'; exit 0", "format = 'opb'\nexit-codes = 'zero'",
			"ipafuzz 1 ipamir\nhard 1 0\nsolve\nmodel\n", "30 1"},
		{"best by its own word", "echo 's SATISFIABLE'; exit 10", "satisfiable-is-optimum = true", oneSolve, "30"},
		{"not the best by its own word", "echo 's SATISFIABLE'; exit 10", "", oneSolve, "10"},
		{"answers with its code", "echo SAT; exit 10", quantified, oneBlock, "10 ?"},
		{"answers with its code and values", "echo UNSAT; echo 'V -1 0'; exit 20", quantified,
			"ipafuzz 1 qbf\nforall 1 0\nclause 1 0\nsolve\nval 1\n", "20 -1"},
		{"unknown by its code", "echo UNKNOWN; exit 30", quantified, oneBlock, "0 -"},
		{"code beside a status line", "echo 's cnf 0'; exit 10", quantified, oneBlock,
			"output that is no answer: exit code"},
		{"code of no answer", "echo true; exit 0", quantified, oneBlock, "output that is no answer: no status line"},
		{"code beside odd values", "echo 'V one 0'; exit 10", quantified, oneBlock,
			"output that is no answer: malformed values"},
		{"code of a propositional solver", "echo 'c no s line'; exit 10", "format = 'cnf'",
			"ipafuzz 1 ipasir\nsolve\n", "exited by itself: exit 10"},
		{"offset", "echo 's OPTIMUM FOUND'; echo 'o -3'; exit 30", "format = 'opb'",
			"ipafuzz 1 ipamir\nsoft -1 3\nsoft 2 4\nsolve\nobj\n", "30 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lines := test.lines
			if !strings.Contains(lines, "format") {
				lines += "\nformat = 'wcnf'"
			}
			limits := replay.Limits{Wall: time.Minute, CPU: time.Second, Memory: 1 << 30, Output: 1 << 20}
			if test.name == "hangs" {
				limits.Wall = 300 * time.Millisecond
			}
			runner := openRunner(t, shell(t, test.script, lines), replay.Fork, limits)
			tr := parse(t, test.trace)
			got := outcome(tr, run(t, runner, tr))
			if strings.Contains(test.lines, "anytime") && got == "0 - - -" {
				return // it was told to stop before it could say anything
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// outcome is what a run answered to calls that answer something.
func outcome(t *trace.Trace, run *trace.Run) string {
	switch {
	case run.End == trace.OddOutput:
		return run.End.String() + ": " + run.Death.Fault
	case run.End == trace.Killed:
		return run.End.String() + ": " + itoa(run.Death.Signal)
	case run.End == trace.Exited:
		return run.End.String() + ": exit " + itoa(run.Death.ExitCode)
	case run.End != trace.Finished:
		return run.End.String()
	}
	t = t.Clone()
	t.Want, t.Got = trace.Answers{}, run.Answers
	var answers []string
	for i := range t.Calls {
		if _, answer, answered := strings.Cut(string(t.AppendCall(nil, i)), " = "); answered {
			answers = append(answers, answer)
		}
	}
	return strings.Join(answers, " ")
}

func TestBadFileTargets(t *testing.T) {
	t.Parallel()
	tests := []struct{ lines, want string }{
		{"command = ['true']\nformat = 'smt'", `unknown format "smt"; want one of trace, cnf`},
		{"command = ['true']\nformat = 'icnf'", "format icnf is not for one formula"},
		{"command = ['true']\nformat = 'mps'", `the key dialect is missing: its format does not tell`},
		{"command = ['true']\nformat = 'cnf'\ndialect = 'x'", `unknown dialect "x"; want one of sat, mse`},
		{"command = ['true']\nformat = 'cnf'\nexit-codes = 'x'", `unknown exit codes "x"; want one of mse2024`},
		{"command = ['true']\nformat = 'cnf'\nkind = 'x'", `kind: want exact, anytime or incomplete, got "x"`},
		{"command = ['true']\nformat = 'wcnf'\nmax-sum = -1", "max-sum is -1, want a number above 0"},
		{"command = ['true']\nformat = 'wcnf'\nunreadable = ['x']", `unreadable has "x"; there are empty-clause`},
		{"command = ['true']\nformat = 'cnf'\nmodel = 'ipamir'",
			"its format cnf has no soft clauses: it serves cnf and ipasir"},
		{"command = ['no-such-program']\nformat = 'cnf'", "executable file not found"},
		{"command = ['true']\ndialect = 'sat'", "has dialect, for programs that read a file, and no format"},
		{"path = 'x.so'\nformat = 'cnf'", "has a format but no command"},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "targets.toml")
		if err := os.WriteFile(path, []byte("[targets.x]\n"+test.lines+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := targets.ReadFile(path)
		if err == nil {
			_, err = targets.Resolve("x", "", file)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.lines, err, test.want)
		}
	}
}
