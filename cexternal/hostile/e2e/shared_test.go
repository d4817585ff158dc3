package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// shared is what a user shares with other processes. The library marks its objects with number: they have that
// size, and their names end with it.
type shared struct {
	number, segment int
	memory          []byte
	path, name      *net.UnixListener
}

// users counts those of this process: no two have the same number.
var users atomic.Int64

func newShared(t *testing.T) *shared {
	// The path of a test's temporary directory may be too long for a socket.
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	s := &shared{number: 2000 + (os.Getpid()*100+int(users.Add(1)))%6000}
	t.Cleanup(func() {
		os.RemoveAll(dir)
		if s.memory != nil {
			unix.SysvShmDetach(s.memory)
		}
		unix.SysvShmCtl(s.segment, unix.IPC_RMID, nil)
	})
	if s.segment, err = unix.SysvShmGet(unix.IPC_PRIVATE, 1, unix.IPC_CREAT|0o600); err != nil {
		t.Fatal(err)
	}
	if s.memory, err = unix.SysvShmAttach(s.segment, 0, 0); err != nil {
		t.Fatal(err)
	}
	for at, name := range map[**net.UnixListener]string{&s.path: filepath.Join(dir, "socket"),
		&s.name: fmt.Sprintf("@hostile-user-%d-%d", os.Getpid(), s.number)} {
		if *at, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*at).Close() })
	}
	return s
}

// environment returns the variables that the library reads.
func (s *shared) environment() []string {
	return []string{fmt.Sprintf("HOSTILE_NUMBER=%d", s.number), fmt.Sprintf("HOSTILE_SEGMENT=%d", s.segment),
		"HOSTILE_SOCKET=" + s.path.Addr().String(), "HOSTILE_NAME=" + s.name.Addr().String()}
}

// leftBehind returns what is left or changed, and removes it.
func (s *shared) leftBehind(t *testing.T) (left []string) {
	if s.memory[0] != 0 {
		left, s.memory[0] = append(left, "changed shared memory"), 0
	}
	var state unix.SysvShmDesc
	const removed = 0o1000 // SHM_DEST
	if _, err := unix.SysvShmCtl(s.segment, unix.IPC_STAT, &state); err != nil || state.Perm.Mode&removed != 0 {
		left = append(left, "removed shared memory")
	}
	for _, socket := range []*net.UnixListener{s.path, s.name} {
		socket.SetDeadline(time.Now().Add(time.Millisecond))
		if visitor, err := socket.Accept(); err == nil {
			visitor.Close()
			left = append(left, "a visit to "+socket.Addr().String())
		}
	}
	const size = 3 // the column with the bytes or the number of semaphores
	for _, file := range []string{"shm", "sem", "msg"} {
		text, err := os.ReadFile("/proc/sysvipc/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(text)) {
			if fields := strings.Fields(row); fields[size] == fmt.Sprint(s.number) {
				left = append(left, file+" "+fields[1])
				defer s.remove(file, fields[1])
			}
		}
	}
	names, err := filepath.Glob(fmt.Sprintf("/dev/shm/*hostile-*-%d", s.number))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		left = append(left, name)
		os.RemoveAll(name)
	}
	return left
}

// remove removes a System V object.
func (s *shared) remove(kind, id string) {
	var n uintptr
	fmt.Sscan(id, &n)
	switch kind {
	case "shm":
		unix.SysvShmCtl(int(n), unix.IPC_RMID, nil)
	case "sem":
		unix.Syscall6(unix.SYS_SEMCTL, n, 0, unix.IPC_RMID, 0, 0, 0)
	case "msg":
		unix.Syscall(unix.SYS_MSGCTL, n, unix.IPC_RMID, 0)
	}
}
