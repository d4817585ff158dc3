package replay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/pipe"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestContainedPrograms checks that contained programs can work as others do, whatever signals
// come meanwhile, but neither fork without end nor touch the user's files.
func TestContainedPrograms(t *testing.T) {
	contain(t)
	one := parse(t, oneSolve)
	const pipes = "for i in 1 2 3 4 5 6 7 8 9 10; do cat \"$1\" | grep -v x | cat > /dev/null; done; "
	for range 10 { // a fork that a signal interrupts does not fail every time
		got := run(t, openRunner(t, shell(t, pipes+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
		if got.End != trace.Finished {
			t.Fatalf("a program of pipes: %v in call %d: %q", got.End, got.Call, got.Death.Output)
		}
	}
	// So do files that it writes and signals that it sends itself, while others arrive.
	const signals = `trap n=1 USR1; (while kill -USR1 $$; do :; done) & for i in 1 2 3 4 5 6 7 8 9; do
		echo $i > "$TMPDIR/a" && rm "$TMPDIR/a" && kill -USR1 $$ || exit 9; done; kill -9 $! || exit 8; `
	patient := tight
	patient.CPU = time.Minute // the signals, too, take CPU time
	for range 5 {
		got := run(t, openRunner(t, shell(t, signals+optimum, "format = 'wcnf'"), replay.Fork, patient), one)
		if got.End != trace.Finished {
			t.Fatalf("a program that catches signals: %v in call %d: %q", got.End, got.Call, got.Death.Output)
		}
	}
	const bomb = "f() { f & f & wait; }; f; "
	got := run(t, openRunner(t, shell(t, bomb+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
	if got.End != trace.Trespassed || !strings.HasPrefix(got.Death.Output, "fork of more than ") {
		t.Errorf("a program that forks without end: %v in call %d: %q", got.End, got.Call, got.Death.Output)
	}
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	neighbour := exec.Command("sleep", "100")
	if err := neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	hostile := fmt.Sprintf("kill %[2]d; echo 1 > %[1]s; rm -f %[1]s; mv %[1]s %[1]s2; ", mine, neighbour.Process.Pid)
	got = run(t, openRunner(t, shell(t, hostile+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
	if text, err := os.ReadFile(mine); err != nil || string(text) != "kept" {
		t.Errorf("a program changed a file of the user: %q, %v; it ended with %v", text, err, got.End)
	}
	for _, change := range []string{"chmod 0777 ", "touch -c -d 2001-01-01 "} { // Landlock does not know these calls
		got := run(t, openRunner(t, shell(t, change+mine+"; "+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
		if got.End != trace.Trespassed || !strings.HasSuffix(got.Death.Output, " of "+mine) {
			t.Errorf("%s: %v in call %d: %q", change, got.End, got.Call, got.Death.Output)
		}
	}
	neighbour.Process.Kill() // if it ended before, that was another signal
	if neighbour.Wait(); neighbour.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("a program ended a process of the user: %v; it ended with %v", neighbour.ProcessState, got.End)
	}
}

// TestProgramsThatSignal checks that a program may not even try to signal the process that watches it, ipafuzz, or
// everybody. It may ask whether they are there.
func TestProgramsThatSignal(t *testing.T) {
	contain(t)
	one := parse(t, oneSolve)
	for _, whom := range []string{"$PPID", strconv.Itoa(os.Getpid()), "-1"} {
		for _, c := range []struct{ how, why string }{{"-0", ""}, {"-TERM", "kill of "}} {
			target := shell(t, "kill "+c.how+" "+whom+"; "+optimum, "format = 'wcnf'")
			got := run(t, openRunner(t, target, replay.Fork, tight), one)
			if c.why == "" && got.End != trace.Finished ||
				c.why != "" && (got.End != trace.Trespassed || !strings.HasPrefix(got.Death.Output, c.why)) {
				t.Errorf("kill %s %s: %v in call %d: %q", c.how, whom, got.End, got.Call, got.Death.Output)
			}
		}
	}
}

// TestProgramsWithoutNetwork: a program that opens a socket of the network is told that it may not, and goes on. If it
// dies, what it wrote begins with the refusal.
func TestProgramsWithoutNetwork(t *testing.T) {
	contain(t)
	const (
		opens   = "LC_ALL=C bash -c ': < /dev/tcp/127.0.0.1/9'"
		tries   = opens + " 2>&1 | grep -q 'Permission denied' || exit 9; "
		needs   = opens + " || exit 7; "
		serves  = `exec "$0" ` + runnerWord + " serve-ipamir"
		refusal = "socket of the network "
	)
	one := parse(t, oneSolve)
	runner := func(first string) (*replay.Target, error) {
		target := &replay.Target{Name: "runner", Command: []string{"sh", "-c", first + serves, os.Args[0]}}
		return target, pipe.Resolve(t.Context(), target, one.Model)
	}
	willing, err := runner(tries)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []*replay.Target{shell(t, tries+optimum, "format = 'wcnf'"), willing} {
		for _, way := range isolated {
			if got := run(t, openRunner(t, target, way, tight), one); got.End != trace.Finished {
				t.Errorf("%s/%s: %v in call %d: %q, %q", target.Name, way, got.End, got.Call, got.Death.Output, got.Death.Stderr)
			}
		}
	}
	got := run(t, openRunner(t, shell(t, needs+optimum, "format = 'wcnf'"), replay.Fork, tight), one)
	d := &got.Death
	if got.End != trace.Exited || d.ExitCode != 7 || !strings.HasPrefix(d.Stderr, "["+refusal+"was refused") {
		t.Errorf("a program that needs the network: %v, %+v", got.End, d)
	}
	if _, err := runner(needs); err == nil || !strings.Contains(err.Error(), refusal+"had been refused") {
		t.Errorf("a runner that needs the network: %v", err)
	}
}

// TestSpoiledFormula: what a program does to the file of its formula, or to the directory of that file, hurts
// neither the user nor the next solve.
func TestSpoiledFormula(t *testing.T) {
	contain(t)
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	two := parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nhard 2 0\nsolve\n")
	for name, spoils := range map[string]string{
		"link": `rm "$1"; ln -s ` + mine + ` "$1"`, "pipe": `rm "$1"; mkfifo "$1"`, "directory": `rm "$1"; mkdir -p "$1/x"`,
		"closed": `chmod 0 "$1" "$(dirname "$1")"`, "unwritable": `chmod 0400 "$1"; chmod 0500 "$(dirname "$1")"`,
	} {
		t.Run(name, func(t *testing.T) {
			runner := openRunner(t, shell(t, "cat \"$1\" >&2; "+spoils+"; "+optimum, "format = 'wcnf'"), replay.Fork, tight)
			got := run(t, runner, two)
			if got.End != trace.Finished || !strings.HasSuffix(got.Output.Text, "h 1 0\nh 2 0\n") {
				t.Errorf("%v in call %d: %q, %q", got.End, got.Call, got.Death.Output, got.Output.Text)
			}
			if text, err := os.ReadFile(mine); err != nil || string(text) != "kept" {
				t.Errorf("the file of the user: %q, %v", text, err)
			}
		})
	}
}

// TestFullDirectory: the files that a program writes into its directory are limited.
func TestFullDirectory(t *testing.T) {
	contain(t)
	for name, fills := range map[string]string{
		"TMPDIR": `i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero > "$TMPDIR/$i"; done; `,
		"output": `while :; do head -c 1000000 /dev/zero >> "$2"; done; `,
	} {
		t.Run(name, func(t *testing.T) {
			limits := replay.Limits{Wall: time.Minute, CPU: 20 * time.Second, Memory: 1 << 30, Output: 1 << 20}
			target := shell(t, fills+optimum, "format = 'cnf'\ndialect = 'minisat'")
			got := run(t, openRunner(t, target, replay.Fork, limits), parse(t, "ipafuzz 1 ipasir\nadd 1 0\nsolve\n"))
			if got.End != trace.OutOfOutput {
				t.Errorf("%v in call %d: %q", got.End, got.Call, got.Death.Output)
			}
		})
	}
}

// TestEmptyDirectory: a run of a program finds no file that an earlier one left.
func TestEmptyDirectory(t *testing.T) {
	contain(t)
	const leaves = `test -z "$(ls "$TMPDIR" | grep -v formula)" || exit 9
		mkdir -p "$TMPDIR/a/b"; echo > "$TMPDIR/a/b/c"; ln -s / "$TMPDIR/d"; chmod 0 "$TMPDIR/a"; `
	target := shell(t, leaves+optimum, "format = 'wcnf'")
	twice := parse(t, "ipafuzz 1 ipamir\nhard 1 0\nsolve\nhard 2 0\nsolve\n")
	got := run(t, openRunner(t, target, replay.Fork, tight), twice)
	if got.End != trace.Finished {
		t.Errorf("%v in call %d: %q", got.End, got.Call, got.Death.Output)
	}
}

// TestMuchOutputAtOnce: a program that ends just after it has printed too much has printed too much.
func TestMuchOutputAtOnce(t *testing.T) {
	limits := tight
	limits.Output = 1000
	target := shell(t, "echo c "+strings.Repeat("x", 2000)+"; "+optimum, "format = 'wcnf'")
	runner := openRunner(t, target, replay.Fork, limits)
	for range 5 {
		if got := run(t, runner, parse(t, oneSolve)); got.End != trace.OutOfOutput {
			t.Fatalf("%v in call %d: %q", got.End, got.Call, got.Death.Output)
		}
	}
}
