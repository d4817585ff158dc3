package sender

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// TestFirst: a signal from a child or grandchild comes from below, one from the parent from outside. The Go
// runtime still receives it.
func TestFirst(t *testing.T) {
	const role = "IPAFUZZ_SENDER_ROLE"
	if os.Getenv(role) != "" {
		watchAndTell(os.Getenv(role))
		return
	}
	for _, c := range []struct {
		role string
		want Origin
	}{{"child", Below}, {"grandchild", Below}, {"parent", Outside}, {"itself", Outside}} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestFirst$")
		cmd.Env = append(os.Environ(), role+"="+c.role)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var word string
		for {
			if _, err := fmt.Fscan(out, &word); err != nil {
				t.Fatalf("%s: %v", c.role, err)
			}
			if word == "ready" && c.role == "parent" {
				cmd.Process.Signal(syscall.SIGTERM)
			}
			if word == "origin" {
				break
			}
		}
		var origin Origin
		var caught syscall.Signal
		var handled bool
		fmt.Fscan(out, &origin, &caught, &handled)
		cmd.Wait()
		if origin != c.want || caught != syscall.SIGTERM || !handled {
			t.Errorf("%s: origin %d, signal %d, handled %t; want %d, %d, true", c.role, origin, caught, handled, c.want,
				syscall.SIGTERM)
		}
	}
}

func watchAndTell(role string) {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGTERM)
	if err := Watch(syscall.SIGTERM); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ready")
	var child *exec.Cmd
	switch role {
	case "child":
		child = exec.Command("sh", "-c", "kill -TERM $PPID; sleep 60 & wait")
	case "grandchild":
		child = exec.Command("sh", "-c", "up=$PPID; (kill -TERM $up; sleep 60) & wait")
	case "itself":
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
	}
	if child != nil {
		child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		child.Start()
		defer syscall.Kill(-child.Process.Pid, syscall.SIGKILL)
	}
	handled := false
	select {
	case <-got:
		handled = true
	case <-time.After(10 * time.Second):
	}
	first := First()
	fmt.Println("origin", int(first.Origin), int(first.Signal), handled)
}
