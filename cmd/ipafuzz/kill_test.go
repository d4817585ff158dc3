package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
)

func number(t *testing.T, variable string, usual uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// TestKilled kills a run again and again and resumes it. What was announced is stored, every file parses,
// no count ever falls, and in the end every trace was counted once. IPAFUZZ_KILLS sets the number of kills;
// 'make robustness' takes more.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills campaigns for many seconds")
	}
	seed := number(t, "IPAFUZZ_SEED", 1)
	kills := number(t, "IPAFUZZ_KILLS", 40)
	traces := 100 * kills // about what the killed runs come to
	r := rand.New(rand.NewPCG(seed, 0))
	k := &killed{dir: filepath.Join(t.TempDir(), "run"), args: []string{"fuzz", "--target", "ref:defect=lost-watch",
		"--target", "ref", "--profile", "tiny,mixed", "--fair",
		"--seed", fmt.Sprint(seed), "--resume", "--workers", "2", "--traces", fmt.Sprint(traces)}}
	k.args = append(k.args, "--out", k.dir)
	ended := 0
	for i := range kills {
		most := 200 * time.Millisecond // most runs are killed while they begin
		if i%4 == 3 {
			most = 2 * time.Second // some have findings by then
		}
		after := time.Duration(r.Int64N(int64(most)))
		if err := k.run(after); err == nil {
			ended++
		}
		k.check(t)
		if t.Failed() {
			t.Fatalf("IPAFUZZ_SEED=%d, kill %d, after %v", seed, i+1, after)
		}
	}
	counted, found := k.last.Traces, len(k.announced)
	k.run(0)
	k.check(t)
	if k.last.Traces != traces {
		t.Errorf("IPAFUZZ_SEED=%d: %d traces were counted, want %d", seed, k.last.Traces, traces)
	}
	k.missesNothing(t)
	t.Logf("IPAFUZZ_SEED=%d: %d kills, %d of the runs had ended before; then %d of %d traces and %d findings had been "+
		"counted, in the end %d", seed, kills, ended, counted, traces, found, len(k.announced))
}

// A killed is a run that is killed and resumed.
type killed struct {
	dir       string
	args      []string
	announced map[string]bool // classes and traces, as announced
	last      stats.Stats
	hits      map[oracle.Key]uint64
}

// run resumes the run and kills it after a while; 0: lets it end.
func (k *killed) run(after time.Duration) error {
	command := exec.Command("ipafuzz", k.args...)
	stderr, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	if after > 0 {
		defer time.AfterFunc(after, func() { command.Process.Signal(syscall.SIGKILL) }).Stop()
	}
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if what, ok := strings.CutPrefix(lines.Text(), "found "); ok {
			if k.announced == nil {
				k.announced = make(map[string]bool)
			}
			k.announced[what] = true
		} else if strings.HasPrefix(lines.Text(), "ipafuzz: ") {
			defer fmt.Fprintln(os.Stderr, lines.Text())
		}
	}
	err = command.Wait()
	if after == 0 || command.ProcessState.ExitCode() == exit.Findings {
		return nil
	}
	return err
}

func (k *killed) check(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(k.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.Contains(strings.TrimPrefix(path, k.dir), "/.") {
			return nil // a temporary file, which nobody reads
		}
		k.parses(t, path)
		return nil
	})
	if os.IsNotExist(err) {
		return // killed before it made the directory
	}
	if err != nil {
		t.Error(err)
	}
	stored, err := store.ReadStored(k.dir)
	if os.IsNotExist(err) || err != nil && strings.Contains(err.Error(), "no such file") {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	titles := make(map[string]bool)
	for i := range stored.Findings {
		f := &stored.Findings[i]
		titles[fmt.Sprintf("%s trace %d", f.Class, f.Number)] = true
	}
	for what := range k.announced {
		class, _, _ := strings.Cut(what, " ")
		_, rest, _ := strings.Cut(what, "(trace ")
		number, _, _ := strings.Cut(rest, ",")
		if !titles[class+" trace "+number] {
			t.Errorf("announced and not stored: %s", what)
		}
	}
	if now := stored.Record.Stats; now != nil {
		was := k.last
		if now.Traces < was.Traces || now.Calls < was.Calls || now.Solves < was.Solves || now.Deaths < was.Deaths ||
			now.SolveTime < was.SolveTime || now.Elapsed < was.Elapsed || now.Findings < was.Findings {
			t.Errorf("counted %+v, and before %+v", *now, was)
		}
		if answered := stored.Record.Tally.Solves; answered != now.Solves {
			t.Errorf("%d answers to solve were judged, of %d", answered, now.Solves)
		}
		for key, hits := range k.hits {
			if stored.Record.Hits[key] < hits {
				t.Errorf("%s: %d hits, and before %d", key, stored.Record.Hits[key], hits)
			}
		}
		k.last, k.hits = *now, stored.Record.Hits
	}
}

// missesNothing compares the run with the same run without kills.
func (k *killed) missesNothing(t *testing.T) {
	whole := &killed{dir: k.dir + "-whole", args: append(slices.Clone(k.args[:len(k.args)-1]), k.dir+"-whole")}
	whole.run(0)
	wanted, err := store.ReadStored(whole.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := store.ReadStored(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range wanted.Findings {
		f := &wanted.Findings[i] // side failures depend on which reduction showed them
		if f.MetIn.IsZero() && !slices.ContainsFunc(got.Findings, func(g store.FindingRecord) bool {
			return g.Key == f.Key
		}) {
			t.Errorf("a run that is not killed finds %s (trace %d)", f.Key, f.Number)
		}
	}
}

// parses checks that a stored file can be parsed.
func (k *killed) parses(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	switch filepath.Ext(path) {
	case ".json":
		if !json.Valid(text) {
			t.Errorf("%s is torn: %q", path, text)
		}
	case ".jsonl":
		lines := strings.SplitAfter(string(text), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
		for i, line := range lines {
			// A resumed run repairs an incomplete last line.
			if torn := !strings.HasSuffix(line, "\n"); !json.Valid([]byte(line)) && !(torn && i == len(lines)-1) {
				t.Errorf("%s: line %d is torn: %q", path, i+1, line)
			}
		}
	case ".trace", ".log":
		if _, err := trace.ParseSyntax(strings.NewReader(string(text)), path); err != nil {
			t.Error(err)
		}
	case ".c", ".txt", ".cnf", ".lrat":
		if len(text) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
}
