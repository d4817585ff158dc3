package process

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestYields: a process that yields is nicer than this one, within its session and, where the scheduler shares the time
// among sessions, as a session.
func TestYields(t *testing.T) {
	ours, err := unix.Getpriority(unix.PRIO_PROCESS, 0) // 20 less the nice value
	if err != nil {
		t.Fatal(err)
	}
	for _, yields := range []bool{false, true} {
		c := &Child{Cmd: exec.Command("sleep", "600"), Yields: yields}
		if err := c.MakeOutput(); err != nil {
			t.Fatal(err)
		}
		defer c.Output.Close()
		if err := c.Launch(func() {}); err != nil {
			t.Fatal(err)
		}
		defer c.AwaitGuards()
		defer c.Kill()
		theirs, err := unix.Getpriority(unix.PRIO_PROCESS, c.PID)
		if err != nil {
			t.Fatal(err)
		}
		want := ours
		if yields {
			want = min(ours, 20-yielding)
		}
		if theirs != want {
			t.Errorf("yields %t: the nice value is %d, want %d", yields, 20-theirs, 20-want)
		}
		wanted := fmt.Sprintf("nice %d\n", yielding)
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(WatchInterval) {
			group, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", c.PID))
			if err != nil || !strings.Contains(string(group), "nice") || strings.HasSuffix(string(group), wanted) == yields {
				break // or this kernel does not share the time among sessions
			}
			if time.Now().After(deadline) {
				t.Fatalf("yields %t: the session is %q", yields, group)
			}
		}
	}
}
