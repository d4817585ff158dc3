package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// summaryOf has the fields that these tests read in the summary of fuzz --json.
type summaryOf struct {
	EndedBy   string `json:"ended_by_target"`
	Disturbed string `json:"disturbed_by_target"`
	Stats     struct {
		Traces    uint64
		FollowUps struct {
			Standstill struct {
				Longest time.Duration `json:"longest_ns"`
				Stopped time.Duration `json:"stopped_ns"`
			}
		} `json:"follow_ups"`
	}
	Unconfirmed, Findings []any
}

// An opening closes a channel at the first output.
type opening struct {
	text bytes.Buffer
	said chan struct{}
	once sync.Once
}

func (o *opening) Write(p []byte) (int, error) {
	o.once.Do(func() { close(o.said) })
	return o.text.Write(p)
}

// wait waits for the first output.
func (o *opening) wait() {
	select {
	case <-o.said:
	case <-time.After(time.Minute):
	}
}

// TestEndedByTarget: a run that a target ended says so and is not a success. A run that somebody else ended is
// one.
func TestEndedByTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	s := newSuite(t)
	for _, c := range []struct {
		library string
		code    int
		says    string
	}{{"terminates-ipafuzz", 4, "\nA target ended the run: process "}, {"none", 0, "\nNothing wrong was found"}} {
		cmd := exec.Command(s.program, "fuzz", "--target", s.libraryOf(t, c.library), "--no-containment", "--time", "20s",
			"--profile", "tiny", "--workers", "1", "--seed", "1", "--out", filepath.Join(t.TempDir(), "out"))
		said, told := new(bytes.Buffer), &opening{said: make(chan struct{})}
		cmd.Stdout, cmd.Stderr = said, told
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if c.library == "none" {
			told.wait() // it handles the signal from now on
			time.Sleep(2 * time.Second)
			cmd.Process.Signal(syscall.SIGTERM)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(said.String(), c.says) ||
			!strings.Contains(told.text.String(), "The run ended early: terminated signal received.") {
			t.Errorf("%s: exit code %d, want %d and %q\n%s%s", c.library, code, c.code, c.says, said, &told.text)
		}
	}
}

// TestStopped: a run that was stopped says for how long. The time counts neither as a standstill nor as a hang
// of the target, and the run is not a success if a target may have stopped it.
func TestStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for some seconds")
	}
	s := newSuite(t)
	for target, contained := range map[string]bool{"ref": false, "pipe:" + s.program + " serve --target ref": true} {
		t.Run(fmt.Sprintf("contained %t", contained), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(s.program, "fuzz", "--target", target, "--time", "8s", "--wall", "2s", "--workers", "1",
				"--profile", "tiny", "--seed", "1", "--json", "--out", filepath.Join(t.TempDir(), "out"))
			code := 0
			if !contained {
				cmd.Args, code = append(cmd.Args, "--no-containment"), 4
			}
			said, told := new(bytes.Buffer), &opening{said: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = said, told
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			const stop = 4 * time.Second // or longer, on a busy machine
			told.wait()
			time.Sleep(2 * time.Second)
			stopped := time.Now()
			cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(stop)
			cmd.Process.Signal(syscall.SIGCONT)
			cmd.Wait()
			most := time.Since(stopped)
			var summary summaryOf
			err := json.Unmarshal(said.Bytes(), &summary)
			if got := cmd.ProcessState.ExitCode(); err != nil || got != code {
				t.Fatalf("%s: exit code %d, want %d; %v\n%s%s", target, got, code, err, said, &told.text)
			}
			if (summary.Disturbed == "") != contained {
				t.Errorf("%s: disturbed by a target: %q", target, summary.Disturbed)
			}
			stood := summary.Stats.FollowUps.Standstill
			if stood.Stopped < stop-stop/4 || stood.Stopped > most || stood.Longest > stop-stop/4 {
				t.Errorf("%s: %+v, want to have been stopped for %v to %v", target, stood, stop, most)
			}
			if n := len(summary.Unconfirmed) + len(summary.Findings); n > 0 {
				t.Errorf("%s: %d failures were seen\n%s", target, n, said)
			}
		})
	}
}

// TestDisturbed: a run whose target signals or stops its warden says so, goes on at once, and is no success.
func TestDisturbed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	s := newSuite(t)
	for library, want := range map[string]string{
		"terminates-parent": "sent the terminated signal to the process of ipafuzz that watches it",
		"stops-parent":      "was stopped, which an uncontained target may have done",
	} {
		said, told := new(bytes.Buffer), new(bytes.Buffer)
		out := filepath.Join(t.TempDir(), "out")
		cmd := exec.Command(s.program, "fuzz", "--target", s.libraryOf(t, library), "--no-containment", "--traces", "1000",
			"--profile", "tiny", "--workers", "1", "--seed", "1", "--time", "20s", "--out", out)
		cmd.Stdout, cmd.Stderr = said, told
		begun := time.Now()
		cmd.Run()
		code := cmd.ProcessState.ExitCode()
		clean := strings.Contains(said.String(), "Nothing wrong was found")
		if code == 0 || clean || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d after %v, want 1 or 4 and %q\n%s%s", library, code, time.Since(begun), want, said, told)
		}
		if strings.Contains(said.String(), "1,000 traces") == strings.Contains(told.String(), "ended early") {
			t.Errorf("%s: it did not run to the end\n%s%s", library, said, told)
		}
	}
}
