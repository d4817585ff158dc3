package replay_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace"
)

// standStill stops this process for a while, as a person or a busy machine does.
func standStill(t *testing.T, d time.Duration) {
	t.Helper()
	script := fmt.Sprintf("kill -STOP %[1]d; sleep %[2]v; kill -CONT %[1]d", os.Getpid(), d.Seconds())
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestStandstill: if ipafuzz is stopped while no trace runs, that time does not count for the
// next trace.
func TestStandstill(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for limits: 5 s")
	}
	limits := tight
	limits.Wall = 2 * time.Second
	for _, target := range []*replay.Target{
		resolve(t, library(t, "says", "-DSAY=usleep (100000)"), ""),
		resolve(t, runnerSpec("late"), "ipamir"),
	} {
		runner := openRunner(t, target, replay.Persistent, limits)
		run(t, runner, calm(t))
		standStill(t, limits.Wall+time.Second/2)
		if got := run(t, runner, provoked(t)); got.End != trace.Finished {
			t.Errorf("%s: %+v", target.Name, got)
		}
	}
}
