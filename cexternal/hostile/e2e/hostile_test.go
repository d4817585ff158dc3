// Package e2e tests that ipafuzz survives every behaviour of a library in C.
package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// A behaviour is one library with the word that describes what ipafuzz should report: the class of a finding,
// or clean, unconfirmed, refused.
type behaviour struct {
	name, what string
	wanted     []string
	quick      bool // runs in every test, not only with IPAFUZZ_UPDATE
}

// behaviours are in the order of the page.
var behaviours = []behaviour{
	{"segfault", "reads address 8", []string{"1.5"}, true},
	{"abort", "calls abort", []string{"1.1"}, false},
	{"division", "divides by zero", []string{"1.3"}, false},
	{"illegal-code", "runs an illegal instruction", []string{"1.5"}, false},
	{"trap", "raises SIGTRAP", []string{"1.4"}, false},
	{"bus-error", "reads behind the end of a mapped file", []string{"1.2", "5.9"}, false},
	{"stack-overflow", "recurses without end", []string{"1.5"}, false},
	{"double-free", "frees a block twice", []string{"1.1"}, false},
	{"exit-0", "calls exit(0)", []string{"1.6"}, true},
	{"exit-7", "calls exit(7)", []string{"1.6"}, false},
	{"exit-at-once", "calls _exit(0)", []string{"1.6"}, false},
	{"exit-as-worker", "ends with the exit code of a worker that cannot start", []string{"1.6"}, false},
	{"kills-itself", "sends itself SIGKILL", []string{"1.4"}, false},
	{"terminates-itself", "sends itself SIGTERM", []string{"1.4"}, false},
	{"stops-itself", "sends itself SIGSTOP", []string{"3.1", "unconfirmed"}, false},
	{"hangs-up", "sends itself SIGHUP", []string{"1.4"}, false},
	{"alarm", "sets an alarm and waits for it", []string{"1.4"}, false},
	{"thread-crash", "crashes in another thread", []string{"1.5"}, false},
	{"thread-exit", "ends the thread that was called", []string{"1.5", "1.6", "3.1", "unconfirmed"}, false},
	{"hidden-crash", "crashes, with a handler that ends well", []string{"1.6"}, false},
	{"endless-crash", "crashes, with a handler that returns", []string{"3.1", "unconfirmed"}, false},
	{"crash-at-load", "crashes in a constructor", []string{"refused"}, true},
	{"exit-at-load", "ends the process in a constructor", []string{"refused"}, false},
	{"crash-in-signature", "crashes in signature", []string{"refused"}, false},
	{"crash-in-init", "crashes in init", []string{"1.5"}, false},
	{"crash-in-release", "crashes in release", []string{"1.5"}, false},
	{"spins", "never ends", []string{"3.1"}, false},
	{"sleeps", "sleeps for ever", []string{"3.1", "unconfirmed"}, false},
	{"deadlocks", "locks a mutex twice", []string{"1.7"}, true},
	{"spins-late", "never ends, from the 61st solve of a process on", []string{"3.1", "unconfirmed"}, false},
	{"sleeps-late", "sleeps for ever, from the 61st solve of a process on", []string{"3.1", "unconfirmed"}, false},
	{"sleeps-mostly", "sleeps for ever in every second solve, by chance", []string{"3.1", "unconfirmed"}, false},
	{"spins-deaf", "never ends, with all signals blocked", []string{"3.1"}, false},
	{"spins-in-threads", "never ends, in nine threads", []string{"3.1", "unconfirmed"}, false},
	{"eats-memory", "fills all memory", []string{"3.2"}, false},
	{"reserves-addresses", "reserves 4 TB of addresses", []string{"clean"}, false},
	{"leaks", "loses 64 KB in each solve", []string{"5.7"}, false},
	{"floods-stdout", "writes without end to stdout", []string{"4.7"}, true},
	{"floods-stderr", "writes without end to stderr", []string{"4.7"}, false},
	{"escapes", "writes orders for terminals and aborts", []string{"1.1"}, true},
	{"escapes-at-load", "writes orders for terminals and does not load", []string{"refused"}, true},
	{"escapes-in-signature", "has orders for terminals in its signature", []string{"clean"}, false},
	{"null-signature", "has no signature", []string{"5.2"}, true},
	{"endless-signature", "has a signature of a megabyte", []string{"clean"}, false},
	{"closes-files", "closes all descriptors", []string{"clean"}, true},
	{"limits-files", "sets its limit of descriptors to 0", []string{"clean"}, false},
	{"limits-time", "sets its limit of time to a second", []string{"1.4", "3.1"}, false},
	{"limits-output", "sets its limit of output to 16 bytes", []string{"1.4"}, true},
	{"limits-memory", "sets its limit of addresses to a megabyte", []string{"clean", "1.1", "1.5"}, false},
	{"rounds-up", "changes how numbers are rounded", []string{"clean"}, false},
	{"forgets-environment", "clears the environment", []string{"clean"}, false},
	{"scribbles", "writes over the memory that it shares with ipafuzz", []string{"1.5"}, false},
	{"leaves-child", "leaves a busy child", []string{"clean"}, true},
	{"leaves-17-children", "leaves 17 busy children", []string{"clean", "3.1", "unconfirmed"}, false},
	{"leaves-daemon", "leaves a busy daemon with a false name", []string{"clean"}, true},
	{"leaves-runaway", "leaves a process that starts the next and ends, again and again", []string{"clean"}, false},
	{"leaves-program", "leaves another program", []string{"clean"}, false},
	{"leaves-group", "leaves its process group and session", []string{"clean"}, false},
	{"goes-on-twice", "returns from solve in two processes", []string{"clean", "1.5", "unconfirmed"}, false},
	{"forks-without-end", "starts processes that start processes, without end", []string{"5.9"}, true},
	{"starts-threads", "starts threads without end", []string{"5.9"}, false},
	{"adopts", "becomes the parent of its orphans", []string{"clean"}, false},
	{"kills-group", "kills its process group", []string{"1.4"}, false},
	{"terminates-parent", "sends SIGTERM to its parent", []string{"5.9"}, true},
	{"stops-parent", "sends SIGSTOP to its parent", []string{"5.9"}, false},
	{"kills-parent", "sends SIGKILL to its parent", []string{"5.9"}, false},
	{"terminates-ipafuzz", "sends SIGTERM to ipafuzz", []string{"5.9"}, true},
	{"terminates-neighbour", "sends SIGTERM to another process", []string{"5.9"}, true},
	{"stops-neighbour", "sends SIGSTOP to another process", []string{"5.9"}, false},
	{"queues-signal", "queues a signal for another process", []string{"5.9"}, false},
	{"signals-by-descriptor", "sends SIGTERM to another process by a descriptor", []string{"5.9"}, true},
	{"slows-neighbour", "changes the priority of another process", []string{"5.9"}, false},
	{"pins-neighbour", "chooses the processor of another process", []string{"5.9"}, false},
	{"sets-clock", "sets the clock", []string{"5.9"}, false},
	{"traces-neighbour", "attaches to another process", []string{"5.9"}, false},
	{"limits-neighbour", "sets a limit of another process", []string{"5.9"}, false},
	{"writes-to-neighbour", "writes into the memory of another process", []string{"5.9"}, false},
	{"truncates-file", "truncates a file of the user", []string{"5.9"}, true},
	{"opens-truncating", "opens a file of the user and empties it", []string{"5.9"}, false},
	{"appends-to-file", "appends to a file of the user", []string{"5.9"}, false},
	{"removes-file", "removes a file of the user", []string{"5.9"}, false},
	{"renames-file", "renames a file of the user", []string{"5.9"}, false},
	{"changes-mode", "makes a file of the user unreadable", []string{"5.9"}, false},
	{"changes-mode-by-descriptor", "opens a file of the user for reading and makes it unreadable", []string{"5.9"}, true},
	{"changes-date", "changes the date of a file of the user", []string{"5.9"}, false},
	{"creates-pipe", "creates a named pipe elsewhere", []string{"5.9"}, false},
	{"creates-file", "creates a file elsewhere", []string{"5.9"}, false},
	{"creates-directory", "creates a directory elsewhere", []string{"5.9"}, false},
	{"links-file", "creates a symbolic link elsewhere", []string{"5.9"}, false},
	{"removes-directory", "removes its working directory with all that is in it", []string{"clean"}, true},
	{"writes-here", "writes a file in its working directory", []string{"clean"}, false},
	{"writes-temporary", "writes a file in TMPDIR", []string{"clean"}, true},
	{"fills-directory", "writes files without end into TMPDIR", []string{"4.7"}, true},
	{"closes-directory", "makes its directory unreadable, with a link to / in it", []string{"clean"}, false},
	{"leaves-directory", "changes its directory and the mode of new files", []string{"clean"}, false},
	{"calls-home", "connects to a port", []string{"5.9"}, true},
	{"sends-datagram", "sends a datagram", []string{"5.9"}, false},
	{"listens", "listens on a port", []string{"5.9"}, false},
	{"leaves-segment", "leaves a segment of shared memory", []string{"clean"}, true},
	{"leaves-semaphores", "leaves an array of semaphores", []string{"clean"}, true},
	{"leaves-messages", "leaves a queue with a message", []string{"clean"}, true},
	{"leaves-shared-file", "leaves a file in /dev/shm", []string{"clean"}, true},
	{"leaves-shared-directory", "leaves a directory with a file in /dev/shm", []string{"clean"}, false},
	{"leaves-semaphore", "leaves a semaphore that has a name", []string{"clean"}, true},
	{"fills-shared-files", "writes files without end into /dev/shm", []string{"5.9"}, true},
	{"large-memory", "makes a file in memory of 200 MB", []string{"clean"}, true},
	{"too-large-memory", "makes a file in memory of a GB, more than the limit", []string{"4.7"}, true},
	{"fills-segments", "fills segments of shared memory without end", []string{"5.9"}, false},
	{"changes-segment", "writes into shared memory of the user", []string{"5.9"}, true},
	{"removes-segment", "removes shared memory of the user", []string{"5.9"}, false},
	{"connects-to-socket", "connects to a socket of the user", []string{"5.9"}, true},
	{"connects-to-name", "connects to a socket of the user that has no path", []string{"5.9"}, true},
	{"sends-to-socket", "sends a datagram to a socket of the user", []string{"5.9"}, false},
	{"sends-message", "sends a datagram with sendmsg", []string{"5.9"}, false},
	{"sends-messages", "sends a datagram with sendmmsg", []string{"5.9"}, true},
	{"listens-elsewhere", "makes a socket elsewhere", []string{"5.9"}, false},
	{"uses-sockets", "has sockets of its own", []string{"clean"}, true},
	{"uses-names", "asks for users and writes to the system's log", []string{"clean"}, false},
	{"uses-objects", "makes, finds and removes shared objects by a common key", []string{"clean"}, true},
	{"uses-semaphores", "makes a semaphore with a name and removes it", []string{"clean"}, true},
	{"crash-at-exit", "crashes in a destructor", []string{"1.5"}, true},
	{"abort-at-exit", "aborts in a destructor", []string{"1.1"}, false},
	{"spins-at-exit", "never ends in a destructor", []string{"3.1"}, true},
	{"breaks-pipe", "writes into a pipe that nobody reads", []string{"1.4"}, false},
	{"crash-in-atexit", "crashes in a function given to atexit", []string{"1.5"}, false},
	{"recovers-from-fault", "catches its own SIGSEGV and leaves the handler by longjmp", []string{"clean"}, true},
	{"keeps-handlers", "leaves its signal handlers behind", []string{"clean"}, false},
	{"ignores-signals", "ignores all signals", []string{"clean"}, false},
	{"blocks-signals", "blocks all signals", []string{"clean"}, false},
	{"own-signal-stack", "replaces the signal stack, then removes it", []string{"clean"}, false},
	{"ticks", "interrupts system calls with a timer", []string{"clean"}, true},
	{"profiles-itself", "has a timer of processor time", []string{"clean"}, false},
	{"uses-commas", "writes numbers with commas", []string{"clean"}, false},
	{"changes-floats", "traps, rounds and flushes floating-point numbers", []string{"clean"}, false},
	{"reads-input", "reads stdin, which is empty", []string{"clean"}, false},
	{"replaces-output", "replaces stdin, stdout and stderr", []string{"clean"}, false},
	{"waits-for-child", "starts a process and waits for it", []string{"clean"}, false},
	{"waits-for-all", "waits for all children", []string{"clean"}, false},
	{"runs-program", "runs a program", []string{"clean"}, false},
	{"runs-shell", "reads what a shell prints", []string{"clean"}, false},
	{"large-frames", "fills megabytes of a thread's stack", []string{"clean"}, false},
	{"pool", "hands work to threads that the first solve started", []string{"clean"}, false},
	{"pool-at-load", "hands work to threads that a constructor started", []string{"clean"}, false},
	{"maps-file", "maps a file in its working directory", []string{"clean"}, false},
	{"shares-memory", "makes shared memory and removes it", []string{"clean"}, false},
	{"makes-code", "generates code and runs it", []string{"clean"}, false},
	{"grows-heap", "moves the end of the heap", []string{"clean"}, false},
	{"pins-itself", "changes its processor, schedule and priority", []string{"clean"}, false},
	{"steers-its-own", "steers its own threads, children and files", []string{"clean"}, true},
	{"renames-itself", "gives itself a name with parentheses", []string{"clean"}, false},
	{"hides-itself", "makes its memory unreadable for other processes", []string{"clean"}, false},
	{"allows-no-processes", "sets its limit of processes to 0", []string{"clean"}, false},
	{"changes-environment", "sets TMPDIR, LD_PRELOAD and HOME", []string{"clean"}, false},
	{"locks-memory", "locks its memory", []string{"clean"}, false},
	{"switches-stacks", "runs on another stack", []string{"clean"}, false},
	{"says-goodbye", "prints when the process ends", []string{"clean"}, false},
	{"filters-calls", "has a seccomp filter of its own", []string{"clean"}, true},
	{"locks-files", "may no longer open files, by its own Landlock", []string{"clean"}, true},
	{"steers-the-process", "changes the name, death signal, dumps and privileges of the process", []string{"clean"}, true},
	{"uses-openmp", "computes in threads of OpenMP", []string{"clean"}, true},
	{"changes-mode-by-proc", "makes a file of the user unreadable by its name in /proc/self/fd", []string{"5.9"}, true},
	{"changes-mode-by-thread", "does the same by /proc/thread-self", []string{"5.9"}, false},
	{"changes-mode-by-link", "does the same by a link to /dev/fd", []string{"5.9"}, true},
	{"changes-date-by-descriptor", "opens a file of the user for reading and changes its date", []string{"5.9"}, true},
	{"changes-flags", "sets the flags of a file of the user", []string{"5.9"}, true},
	{"writes-through-link", "opens a link to a file of the user for writing", []string{"5.9"}, false},
	{"hides-and-changes-mode", "hides its memory and makes a file of the user unreadable", []string{"5.9", "clean"}, true},
	{"owns-signals", "lets the kernel signal another process", []string{"5.9"}, true},
	{"opens-setting", "opens a setting of the kernel for writing", []string{"5.9"}, false},
	{"spares-neighbour", "changes in /proc when the kernel ends another process", []string{"5.9"}, true},
	{"spares-itself", "changes in /proc when the kernel ends it", []string{"clean"}, true},
	{"unmaps-shared", "unmaps the memory that it shares with ipafuzz", []string{"1.5"}, false},
	{"shrinks-shared", "shrinks the memory that it shares with ipafuzz", []string{"5.9", "clean"}, true},
	{"writes-everywhere", "writes into all descriptors", []string{"clean"}, false},
	{"replaces-descriptors", "replaces all descriptors", []string{"clean"}, false},
	{"opens-all", "opens as many files as it can", []string{"clean"}, false},
	{"vforks-without-end", "starts processes by vfork, in a chain", []string{"5.9"}, true},
	{"forks-in-chain", "starts processes by fork, in a chain", []string{"5.9", "3.1", "unconfirmed"}, false},
	{"leaves-namespace", "leaves busy processes in namespaces of their own", []string{"clean"}, true},
	{"throws", "throws an exception of C++", []string{"1.1"}, false},
	{"skips-guard", "has an array of 256 MB on its stack", []string{"1.5"}, false},
	{"spins-in-atexit", "never ends in a function given to atexit", []string{"3.1"}, false},
	{"lets-child-answer", "waits without end while a child answers", []string{"3.1", "unconfirmed"}, true},
	{"is-called", "gets a signal from its child", []string{"clean"}, true},
	{"stops-and-goes", "is stopped and continued by its child", []string{"clean"}, false},
	{"is-traced", "is traced by its child", []string{"clean"}, true},
	{"leaves-busy-thread", "leaves a busy thread", []string{"clean"}, false},
	{"makes-sparse-file", "makes a file of a TB without content", []string{"4.7"}, false},
	{"makes-deep-directory", "makes 500 directories, each in the one before", []string{"clean"}, false},
	{"makes-odd-names", "makes files whose names are orders for terminals", []string{"clean"}, false},
	{"dumps-core", "allows core dumps and aborts", []string{"1.1"}, false},
	{"crashes-beside", "crashes in another thread, 5 ms after the first solve", []string{"1.5", "unconfirmed"}, false},
	{"hangs-in-fork", "never returns from a fork in the child", []string{"clean"}, false},
	{"crashes-in-fork", "crashes in the child of a fork", []string{"clean"}, false},
	{"survives-abort", "catches its own SIGABRT and leaves the handler by longjmp", []string{"clean"}, false},
	{"sleeps-in-init", "sleeps for 0.3 s in init", []string{"clean"}, false},
	{"sleeps-at-load", "sleeps for 3 s in a constructor", []string{"clean"}, false},
	{"spins-at-load", "never ends in a constructor", []string{"refused"}, false},
	{"grows", "loses a megabyte in each init", []string{"5.7"}, false},
	{"unloads-itself", "unloads itself in solve", []string{"1.5"}, false},
	{"unmaps-heap", "unmaps the heap", []string{"1.5"}, false},
	{"becomes-program", "runs a program in its place", []string{"1.6"}, false},
	{"becomes-itself", "runs the worker again in its place", []string{"1.6"}, false},
	{"asks-to-be-traced", "asks its parent to trace it", []string{"clean"}, false},
	{"drops-rights", "becomes another user", []string{"clean"}, true},
	{"raises-stack", "raises its limit of the stack", []string{"clean"}, false},
	{"changes-root", "makes its directory its root", []string{"clean"}, true},
	{"overwrites-environment", "writes over the environment", []string{"clean"}, false},
	{"perturbs-memory", "fills freed memory, by mallopt", []string{"clean"}, false},
	{"prints-slowly", "prints lines, with pauses", []string{"clean"}, false},
	{"prints-bytes", "prints bytes that are no text and aborts", []string{"1.1"}, true},
	{"makes-many-files", "makes 20,000 empty files", []string{"clean", "3.1", "unconfirmed"}, false},
	{"signals-everybody", "signals all processes", []string{"5.9"}, true},
	{"links-file-here", "links a file of the user into its directory", []string{"clean", "5.9"}, true},
	{"leaves-posix-queue", "leaves a message queue that has a name", []string{"clean"}, true},
	{"none", "behaves", []string{"clean"}, true},
}

// page is the file with the table.
const page = "../../../docs/robustness.md"

// TestHostile runs a campaign on each library. The report must be as expected, and nothing may be left behind:
// no process, no temporary directory, no change of the user's files and processes. IPAFUZZ_UPDATE=1 runs all
// of them and writes the page.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	update := os.Getenv("IPAFUZZ_UPDATE") != ""
	named := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	s := newSuite(t)
	rows := new(strings.Builder)
	for _, b := range behaviours {
		if !b.quick && !update && !named {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			seen, left := s.try(t, b)
			if !slices.Contains(b.wanted, seen) {
				t.Errorf("ipafuzz says %s, want %s", seen, strings.Join(b.wanted, " or "))
			}
			if left != "nothing" {
				t.Errorf("left behind: %s", left)
			}
			fmt.Fprintf(rows, "| %s | %s | %s | %s | %s |\n", b.name, b.what, strings.Join(b.wanted, " or "), seen, left)
		})
	}
	if update {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		const head = "|---|---|---|---|---|\n"
		before, rest, ok := strings.Cut(string(text), head)
		if !ok {
			t.Fatalf("%s has no table", page)
		}
		old, after, _ := strings.Cut(rest, "\n\n")
		if named {
			rows = withOthers(rows, old)
		}
		if err := os.WriteFile(page, []byte(before+head+rows.String()+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// withOthers returns a table of the fresh rows and the old rows of all other behaviours.
func withOthers(fresh *strings.Builder, old string) *strings.Builder {
	rows := make(map[string]string)
	for row := range strings.Lines(old + "\n" + fresh.String()) {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		rows[name] = row
	}
	table := new(strings.Builder)
	for _, b := range behaviours {
		table.WriteString(rows[b.name])
	}
	return table
}

// TestPage: the page lists the behaviours.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range behaviours {
		if !strings.Contains(string(text), "| "+b.name+" | "+b.what+" | ") {
			t.Errorf("%s does not list %s ('make robustness' writes it)", page, b.name)
		}
	}
}

// A suite plays a user who has a file, a process, a port, shared memory and sockets.
type suite struct {
	program, library, home string
	neighbour              *exec.Cmd
	port                   net.Listener
	shared                 *shared
}

func newSuite(t *testing.T) *suite {
	s := &suite{program: filepath.Join(t.TempDir(), "ipafuzz"), library: filepath.Join(t.TempDir(), "libhostile.so"),
		home: t.TempDir(), neighbour: exec.Command("sleep", "3600")}
	sources, err := filepath.Glob("../*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("the sources: %v, %v", sources, err)
	}
	args := []string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w", "-o", s.library}
	for _, build := range []*exec.Cmd{exec.Command("go", "build", "-o", s.program, "../../../cmd/ipafuzz"),
		exec.Command("cc", append(append(args, sources...), "-lm", "-lpthread", "-ldl")...)} {
		if said, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build.Args, err, said)
		}
	}
	if err := s.neighbour.Start(); err != nil {
		t.Fatal(err)
	}
	if s.port, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.shared = newShared(t)
	t.Cleanup(func() {
		s.neighbour.Process.Kill()
		s.neighbour.Wait()
		s.port.Close()
	})
	return s
}

// environment returns the variables that the library reads.
func (s *suite) environment() []string {
	return append(s.shared.environment(), "HOSTILE_HOME="+s.home, fmt.Sprintf("HOSTILE_PID=%d", s.neighbour.Process.Pid),
		fmt.Sprintf("HOSTILE_PORT=%d", s.port.Addr().(*net.TCPAddr).Port))
}

// precious is the content of the user's file.
const precious = "the only copy\n"

// try runs a campaign on a library, and returns the output of ipafuzz and a list of
// leftovers.
func (s *suite) try(t *testing.T, b behaviour) (seen, left string) {
	library := s.libraryOf(t, b.name)
	if err := os.WriteFile(filepath.Join(s.home, "precious.txt"), []byte(precious), 0o644); err != nil {
		t.Fatal(err)
	}
	const patience = 3 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mark, work, temporary := "IPAFUZZ_HOSTILE="+rand.Text(), t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(ctx, s.program, "fuzz", "--target", library, "--profile", "tiny", "--traces", "150",
		"--time", "100s", "--cpu", "400ms", "--wall", "2s", "--memory", "300M", "--output", "1M", "--findings", "1",
		"--seed", "1", "--workers", "1", "--out", filepath.Join(t.TempDir(), "out"), "--json")
	cmd.Dir = work
	cmd.Env = append(append(os.Environ(), s.environment()...), mark, "TMPDIR="+temporary)
	said, told := new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = said, told
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(append(said.Bytes(), told.Bytes()...), "\x1b\x07") {
		t.Errorf("the output holds orders for terminals: %q", told)
	}
	seen = verdict(cmd.ProcessState.ExitCode(), said.Bytes())
	if seen == "odd" {
		t.Errorf("%v\n%s\n%s", cmd.ProcessState, said, told)
	}
	return seen, s.leftBehind(t, mark, work, temporary)
}

// libraryOf returns the path of the library with that behaviour.
func (s *suite) libraryOf(t *testing.T, name string) string {
	library := filepath.Join(t.TempDir(), "libhostile-"+name+".so")
	text, err := os.ReadFile(s.library)
	if err := errors.Join(err, os.WriteFile(library, text, 0o755)); err != nil {
		t.Fatal(err)
	}
	return library
}

// verdict returns the word that describes the output of ipafuzz.
func verdict(code int, said []byte) string {
	var summary struct {
		Findings []struct {
			Class string `json:"class"`
		} `json:"findings"`
	}
	err := json.Unmarshal(said, &summary)
	switch {
	case code == 2 && len(said) == 0:
		return "refused"
	case err != nil:
		return "odd"
	case code == 0:
		return "clean"
	case code == 1 && len(summary.Findings) > 0:
		return summary.Findings[0].Class
	case code == 4:
		return "unconfirmed"
	}
	return "odd"
}

// leftBehind lists what a run has left behind or changed.
func (s *suite) leftBehind(t *testing.T, mark, work, temporary string) string {
	var left []string
	if text, err := os.ReadFile(filepath.Join(s.home, "precious.txt")); err != nil || string(text) != precious {
		left = append(left, "a damaged file")
	}
	for dir, most := range map[string]int{s.home: 1, work: 0, temporary: 0} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > most {
			left = append(left, fmt.Sprintf("files (%v, %v)", entries, err))
		}
	}
	// A neighbour that waits for a processor or a disk is alive and unharmed.
	if stat, ok := statOf(s.neighbour.Process.Pid); !ok || !slices.Contains([]string{"S", "R", "D"}, stat.State) {
		left = append(left, "an ended or stopped neighbour")
		syscall.Kill(s.neighbour.Process.Pid, syscall.SIGCONT)
	}
	s.port.(*net.TCPListener).SetDeadline(time.Now().Add(time.Millisecond))
	if visitor, err := s.port.Accept(); err == nil {
		visitor.Close()
		left = append(left, "a connection")
	}
	left = append(left, s.shared.leftBehind(t)...)
	if names := survivors(t, mark); len(names) > 0 {
		left = append(left, "processes: "+strings.Join(names, ", "))
	}
	if len(left) == 0 {
		return "nothing"
	}
	return strings.Join(left, "; ")
}

// survivors returns the processes with the mark that do not end by themselves, and ends them. A busy machine
// needs some time to end a killed process.
func survivors(t *testing.T, mark string) (names []string) {
	const patience = 10 * time.Second
	all := marked(t, mark)
	for begin := time.Now(); len(all) > 0 && time.Since(begin) < patience; all = marked(t, mark) {
		time.Sleep(20 * time.Millisecond)
	}
	for _, stat := range all {
		names = append(names, fmt.Sprintf("%s (%d)", stat.Comm, stat.PID))
		syscall.Kill(stat.PID, syscall.SIGKILL)
	}
	return names
}

// marked returns the living processes that have the mark in their environment.
func marked(t *testing.T, mark string) (found []procfs.ProcStat) {
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
		if err != nil || !bytes.Contains(environment, []byte(mark)) {
			continue
		}
		if stat, ok := statOf(p.PID); ok && stat.State != "Z" {
			found = append(found, stat)
		}
	}
	return found
}

func statOf(pid int) (stat procfs.ProcStat, ok bool) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return stat, false
	}
	stat, err = p.Stat()
	return stat, err == nil
}
