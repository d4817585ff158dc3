package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// usage counts what ipafuzz and the processes below it take.
type usage struct{ processes, threads, descriptors, temporary, kilobytes int }

func (u usage) String() string {
	return fmt.Sprintf("%d | %d | %d | %d | %d", u.processes, u.threads, u.descriptors, u.temporary, u.kilobytes>>10)
}

// robustness is the page with the counts of a long run.
const robustness = "../../docs/measured/robustness.md"

// writeUsage replaces the table of a long run.
func writeUsage(t *testing.T, long time.Duration, before, after usage) {
	t.Helper()
	text, err := os.ReadFile(robustness)
	if err != nil {
		t.Fatal(err)
	}
	const head = "|---|--:|--:|--:|--:|--:|\n"
	start, rest, found := strings.Cut(string(text), head)
	_, rest, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table of a long run", robustness)
	}
	rows := fmt.Sprintf("| second quarter of %v | %v |\n| last quarter | %v |\n\n", long, before, after)
	if err := os.WriteFile(robustness, []byte(start+head+rows+rest), 0o644); err != nil {
		t.Fatal(err)
	}
}

// usageOf counts what a process and those below it take, and the files in a directory for temporary ones.
// It ignores what ends meanwhile.
func usageOf(pid int, temporary string) (u usage) {
	parents := make(map[int]int)
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if n, err := strconv.Atoi(entry.Name()); err == nil {
			parents[n], _ = strconv.Atoi(statusOf(n, "PPid"))
		}
	}
	for n := range parents {
		above := n
		for above > 1 && above != pid {
			above = parents[above]
		}
		if above != pid {
			continue
		}
		threads, _ := strconv.Atoi(statusOf(n, "Threads"))
		kilobytes, _ := strconv.Atoi(strings.TrimSuffix(statusOf(n, "VmRSS"), " kB"))
		descriptors, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", n))
		u.processes++
		u.threads += threads
		u.kilobytes += kilobytes
		u.descriptors += len(descriptors)
	}
	filepath.WalkDir(temporary, func(string, fs.DirEntry, error) error {
		u.temporary++
		return nil
	})
	return u
}

func statusOf(pid int, field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// TestLongRun checks that a run, after its beginning, takes no more processes, threads, descriptors,
// temporary files and memory, however long it is. IPAFUZZ_LONG=1h sets its length, and IPAFUZZ_UPDATE=1 writes the
// counts to the page.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a campaign for some seconds")
	}
	long := 8 * time.Second
	if text := os.Getenv("IPAFUZZ_LONG"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	dir, temporary := t.TempDir(), t.TempDir()
	command := exec.Command("ipafuzz", "fuzz", "--target", "ref:defect=lost-watch", "--target", "ref", "--profile",
		"tiny,mixed", "--fair", "--seed", "1", "--workers", "1", "--keep-traces", "--time", long.String(),
		"--out", filepath.Join(dir, "run"))
	command.Env = append(os.Environ(), "TMPDIR="+temporary)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	var samples []usage
	for tick := time.NewTicker(long / 80); ; {
		select {
		case <-tick.C:
			samples = append(samples, usageOf(command.Process.Pid, temporary))
			continue
		case err := <-ended:
			if failed := new(exec.ExitError); !errors.As(err, &failed) || failed.ExitCode() != exit.Findings {
				t.Fatal(err)
			}
		}
		break
	}
	if len(samples) < 8 {
		t.Fatalf("only %d samples", len(samples))
	}
	// Compare the upper quartiles of the second and the last quarter, since follow-ups come and go.
	n := len(samples)
	before, after := typical(samples[n/4:n/2]), typical(samples[3*n/4:])
	t.Logf("%v, %d samples: processes | threads | descriptors | temporary files | MB: at first %v, in the end %v", long, n,
		before, after)
	const slack, slackKB = 12, 48 << 10
	if after.processes > before.processes+slack || after.threads > 5*before.threads/4+2*slack ||
		after.descriptors > 5*before.descriptors/4+2*slack || after.temporary > before.temporary+slack ||
		after.kilobytes > 5*before.kilobytes/4+slackKB {
		t.Errorf("the run takes more and more: at first %+v, in the end %+v", before, after)
	}
	if os.Getenv("IPAFUZZ_UPDATE") != "" {
		writeUsage(t, long, before, after)
	}
	if left := usageOf(command.Process.Pid, temporary); left.temporary > 1 { // one is the directory itself
		t.Errorf("%d temporary files are left", left.temporary-1)
	}
}

func typical(samples []usage) (u usage) {
	of := func(field func(usage) int) int {
		var values []int
		for _, s := range samples {
			values = append(values, field(s))
		}
		slices.Sort(values)
		return values[3*len(values)/4]
	}
	return usage{of(func(u usage) int { return u.processes }), of(func(u usage) int { return u.threads }),
		of(func(u usage) int { return u.descriptors }), of(func(u usage) int { return u.temporary }),
		of(func(u usage) int { return u.kilobytes })}
}

// TestFullDisk checks that a run ends with a message if its disk fills up, that it can be resumed when
// there is room again, and that every trace is archived in the end.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	dir := t.TempDir()
	run := `ipafuzz fuzz --target ref --profile tiny --seed 1 --workers 2 --traces 8000 --keep-traces --resume ` +
		`--out "$1/run"`
	command := exec.Command("unshare", "-Urm", "sh", "-c", `
mount -t tmpfs -o size=400k tmpfs "$1" || exit 99
`+run+` 2>"$2/full"; echo $? >"$2/code"
mount -o remount,size=64m "$1" || exit 99
`+run+` || exit 1
cp -r "$1/run" "$2/run"`, "sh", t.TempDir(), dir)
	if text, err := command.CombinedOutput(); command.ProcessState == nil || command.ProcessState.ExitCode() == 99 ||
		strings.Contains(string(text), "unshare:") {
		t.Skipf("a file system cannot be mounted here: %v\n%s", err, text)
	} else if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	code, _ := os.ReadFile(filepath.Join(dir, "code"))
	said, _ := os.ReadFile(filepath.Join(dir, "full"))
	// The archive does not fit, and then perhaps the record of the campaign, either.
	full := strings.Count(string(said), "no space left on device")
	if strings.TrimSpace(string(code)) != strconv.Itoa(exit.Failure) || full < 1 || full > 2 {
		t.Errorf("with a full disk: exit code %s\n%s", code, said)
	}
	names := archivedNames(t, filepath.Join(dir, "run"), true)
	for i := range 8000 {
		if name := fmt.Sprintf("0-0-%d", i); !names[name] {
			t.Fatalf("trace %s is in no archive", name)
		}
	}
}

// TestFewDescriptors checks that 64 descriptors are enough, and that a message says when there are too few.
func TestFewDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	for descriptors, want := range map[int]int{64: exit.Findings, 16: exit.Failure} {
		text, err := exec.Command("sh", "-c", fmt.Sprintf("ulimit -n %d; exec ipafuzz fuzz --target ref:defect=lost-watch "+
			"--seed 1 --workers 2 --traces 500 --keep-traces --out %s", descriptors, filepath.Join(t.TempDir(), "run"))).
			CombinedOutput()
		failed := new(exec.ExitError)
		if !errors.As(err, &failed) || failed.ExitCode() != want ||
			want == exit.Failure && !strings.Contains(string(text), "too many open files") {
			t.Errorf("with %d descriptors: %v, want exit code %d\n%s", descriptors, err, want, text)
		}
	}
}

// TestSideBySide checks that two campaigns in one tree of directories do not touch each other's files, and
// that a second campaign in the same directory is refused.
func TestSideBySide(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: some seconds")
	}
	dir := t.TempDir()
	args := func(name string) []string {
		return []string{"fuzz", "--target", "ref", "--profile", "tiny", "--seed", "1", "--workers", "1", "--traces", "20000",
			"--keep-traces", "--resume", "--out", filepath.Join(dir, name)}
	}
	var running []*exec.Cmd
	for _, name := range []string{"a", "a/b", "c"} {
		command := exec.Command("ipafuzz", args(name)...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, command)
		for range 200 { // until it has its lock: the next run looks for leftovers
			if _, err := os.Stat(filepath.Join(dir, name, "campaign.json")); err == nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if text, err := exec.Command("ipafuzz", args("a")...).CombinedOutput(); err == nil ||
		!strings.Contains(string(text), "another run (process "+strconv.Itoa(running[0].Process.Pid)+") is writing there") {
		t.Errorf("a second campaign in one directory: %v\n%s", err, text)
	}
	for i, command := range running {
		if err := command.Wait(); err != nil {
			t.Errorf("campaign %d: %v", i, err)
		}
	}
	for _, name := range []string{"a/b", "c"} {
		if names := archivedNames(t, filepath.Join(dir, name), true); len(names) != 20000 {
			t.Errorf("%s has %d traces", name, len(names))
		}
	}
}
