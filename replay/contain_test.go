package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// hostile builds the library of cexternal/hostile that behaves so.
func hostile(t *testing.T, behaviour string) string {
	t.Helper()
	sources, err := filepath.Glob("../cexternal/hostile/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("the sources of the hostile library: %v, %v", sources, err)
	}
	libraries.Lock()
	defer libraries.Unlock()
	built := filepath.Join(libraries.dir, "libhostile.so")
	if _, err := os.Stat(built); err != nil {
		args := []string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w", "-o", built}
		cc(t, append(append(args, sources...), "-lm", "-lpthread")...)
	}
	return copyFile(t, built, t.TempDir(), "libhostile-"+behaviour+".so")
}

// TestContainment checks what a contained library may not do: ipafuzz ends its process at
// such a call, and the run names the system call. Permitted calls go on.
func TestContainment(t *testing.T) {
	contain(t)
	home := t.TempDir()
	precious := filepath.Join(home, "precious.txt")
	if err := os.WriteFile(precious, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOSTILE_HOME", home)
	t.Setenv("HOSTILE_PID", fmt.Sprint(os.Getpid()))
	t.Setenv("HOSTILE_PORT", "9")
	small := parse(t, "ipafuzz 2 ipasir\nadd 1 2 0\nsolve\nval 1\nsolve\n")
	for behaviour, call := range map[string]string{
		"truncates-file": "truncate of ", "opens-truncating": "openat of ", "appends-to-file": "openat of ",
		"removes-file": "unlink of ", "renames-file": "rename of ", "changes-mode": "chmod of ",
		"creates-file": "openat of ", "creates-directory": "mkdir of ", "links-file": "symlink of ",
		"terminates-neighbour": "kill of ", "stops-neighbour": "kill of ", "queues-signal": "rt_sigqueueinfo of ",
		"traces-neighbour": "ptrace of ", "limits-neighbour": "prlimit64 of ",
		"writes-to-neighbour": "process_vm_writev of ", "terminates-parent": "kill of ", "stops-parent": "kill of ",
		"kills-parent": "kill of ", "calls-home": "socket of ", "sends-datagram": "socket of ", "listens": "socket of ",
		"writes-here": "", "writes-temporary": "", "removes-directory": "", "closes-directory": "", "none": "",
		"leaves-directory": "", "leaves-child": "",
	} {
		for _, way := range isolated {
			t.Run(behaviour+"/"+string(way), func(t *testing.T) {
				runner := openRunner(t, resolve(t, hostile(t, behaviour), "ipasir"), way, tight)
				got := run(t, runner, small)
				switch {
				case call == "" && got.End != trace.Finished:
					t.Errorf("%+v", got)
				case call != "" && (got.End != trace.Trespassed || got.Call != 1 || !strings.HasPrefix(got.Death.Output, call)):
					t.Errorf("%v in call %d: %q", got.End, got.Call, got.Death.Output)
				}
			})
		}
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the precious file: %q, %v", text, err)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestParentEnds: if a target that is not contained ends the process that forks for each trace, its death says so,
// however far the trace came. A death in a destructor is another thing; beside a sanitizer no destructor runs.
func TestParentEnds(t *testing.T) {
	small := parse(t, "ipafuzz 2 ipasir\nadd 1 2 0\nsolve\n")
	places := map[string]string{"terminates-parent": "parent", "kills-parent": "parent", "terminates-itself": "trace"}
	if !sanitized {
		places["crash-at-exit"] = "exit"
	}
	for behaviour, want := range places {
		got := run(t, openRunner(t, resolve(t, hostile(t, behaviour), "ipasir"), replay.Fork, tight), small)
		place := "trace"
		switch {
		case got.Death.AtExit && got.Death.InParent:
			place = "both"
		case got.Death.AtExit:
			place = "exit"
		case got.Death.InParent:
			place = "parent"
		}
		if got.End != trace.Killed || place != want {
			t.Errorf("%s: %v, died in %s: %+v", behaviour, got.End, place, got.Death)
		}
	}
}

// TestSharedFileOfUser: a target that opens a file of the user in /dev/shm has not made it. If the
// user replaces the file, the new one stays when the target ends.
func TestSharedFileOfUser(t *testing.T) {
	contain(t)
	number := os.Getpid()
	t.Setenv("HOSTILE_NUMBER", fmt.Sprint(number))
	mine := fmt.Sprintf("/dev/shm/hostile-file-%d", number)
	t.Cleanup(func() { os.Remove(mine) })
	replace := func() {
		os.Remove(mine)
		if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	target := resolve(t, hostile(t, "leaves-shared-file"), "ipasir")
	small := parse(t, "ipafuzz 2 ipasir\nadd 1 2 0\nsolve\n")
	// The warden looks every 20 ms, and later on a busy machine.
	for wait := 200 * time.Millisecond; wait < 5*time.Second; wait *= 2 {
		replace()
		runner, err := replay.Open(target, replay.Persistent, tight)
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, runner, small); got.End != trace.Finished {
			t.Fatalf("%+v", got)
		}
		time.Sleep(wait)
		replace()
		runner.Close()
		if text, err := os.ReadFile(mine); err == nil && string(text) == "mine" {
			return
		}
	}
	t.Error("the warden removed the user's file")
}

// BenchmarkStart measures what the containment of a worker costs.
func BenchmarkStart(b *testing.B) {
	for _, contained := range []bool{false, true} {
		b.Run(fmt.Sprintf("contained=%v", contained), func(b *testing.B) {
			if contained {
				contain(b)
			}
			small := parse(b, "ipafuzz 2 ipasir\nadd 1 2 0\nsolve\n")
			var before, after processorTime
			before.read()
			for b.Loop() {
				runner, err := replay.Open(resolve(b, "ref", "ipasir"), replay.Persistent, tight)
				if err != nil {
					b.Fatal(err)
				}
				run(b, runner, small)
				runner.Close()
			}
			after.read()
			b.ReportMetric(float64(after-before)/float64(b.N)/1e3, "cpu-us")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "us")
		})
	}
}
