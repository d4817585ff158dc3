package e2e

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// built is a directory with ipafuzz and the library.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "hostile"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// build fills built, when the first test needs it.
var build = sync.OnceValue(func() error {
	sources, err := filepath.Glob("../*.c")
	if err != nil || len(sources) == 0 {
		return fmt.Errorf("the sources: %v, %v", sources, err)
	}
	args := []string{"-shared", "-fPIC", "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-w", "-o",
		filepath.Join(built, "libhostile.so")}
	for _, made := range []*exec.Cmd{exec.Command("go", "build", "-o", built, "../../../cmd/ipafuzz"),
		exec.Command("cc", append(append(args, sources...), "-lm", "-lpthread", "-ldl")...)} {
		if said, err := made.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %v\n%s", made.Args, err, said)
		}
	}
	return nil
})

// A suite plays a user who has a file, a process, a port, shared memory and sockets.
type suite struct {
	program, library, home string
	neighbour              *exec.Cmd
	port                   net.Listener
	shared                 *shared
}

func newSuite(t *testing.T) *suite {
	err := build()
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{program: filepath.Join(built, "ipafuzz"), library: filepath.Join(built, "libhostile.so"),
		home: t.TempDir(), neighbour: exec.Command("sleep", "3600")}
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
