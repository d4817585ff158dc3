package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

// TestKilledArchives kills a run with --keep-traces again and again and resumes it. After every kill, the
// archives hold at least the traces that are counted, with their names. In the end they are complete, and no
// hidden file is left. IPAFUZZ_KILLS sets the number of kills.
func TestKilledArchives(t *testing.T) {
	if testing.Short() {
		t.Skip("kills campaigns for ten seconds")
	}
	seed := number(t, "IPAFUZZ_SEED", 1)
	kills := int(number(t, "IPAFUZZ_KILLS", 5))
	r := rand.New(rand.NewPCG(seed, 0))
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"fuzz", "--target", "ref", "--profile", "tiny", "--seed", fmt.Sprint(seed), "--keep-traces",
		"--resume", "--workers", "2", "--out", dir}
	archived := 0
	for i := range kills {
		after := time.Duration(r.Int64N(int64(time.Second)))
		if i == 0 {
			after = time.Second
		}
		command := exec.Command("ipafuzz", args...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(after, func() { command.Process.Signal(syscall.SIGKILL) })
		command.Wait()
		names := archivedNames(t, dir, false)
		if stored, err := store.ReadStored(dir); err == nil && stored.Record.Stats != nil {
			if counted := stored.Record.Stats.Traces; uint64(len(names)) < counted {
				t.Fatalf("IPAFUZZ_SEED=%d, kill %d after %v: %d traces are counted, %d archived", seed, i+1, after, counted,
					len(names))
			}
		}
		if len(names) < archived {
			t.Fatalf("IPAFUZZ_SEED=%d, kill %d after %v: %d traces are archived, before %d", seed, i+1, after, len(names),
				archived)
		}
		archived = len(names)
	}
	if archived == 0 {
		t.Fatalf("IPAFUZZ_SEED=%d: no trace was archived", seed)
	}
	traces := archived + 5000
	left := exec.Command("ipafuzz", append(args, "--traces", fmt.Sprint(traces))...)
	if text, err := left.CombinedOutput(); err != nil {
		t.Fatalf("IPAFUZZ_SEED=%d: %v\n%s", seed, err, text)
	}
	names := archivedNames(t, dir, true)
	stored, err := store.ReadStored(dir)
	if err != nil {
		t.Fatal(err)
	}
	stats := stored.Record.Stats
	if counted := stats.Traces + stats.Cells[0].Postponed; counted != uint64(traces) {
		t.Errorf("IPAFUZZ_SEED=%d: %d of %d traces are counted", seed, counted, traces)
	}
	if uint64(len(names)) < stats.Traces {
		t.Errorf("IPAFUZZ_SEED=%d: %d traces are counted, %d archived", seed, stats.Traces, len(names))
	}
	t.Logf("IPAFUZZ_SEED=%d: %d kills, %d traces were archived by then", seed, kills, archived)
}

// archivedNames returns the names of all traces in the archives of a directory. If whole is set, the
// archives must be complete and undamaged, and the only hidden file may be the lock.
func archivedNames(t *testing.T, dir string, whole bool) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if base := entry.Name(); whole && strings.HasPrefix(base, ".") && base != ".lock" {
			t.Errorf("a hidden file is left: %s", path)
		}
		if !strings.HasPrefix(entry.Name(), "run-") {
			return nil
		}
		if info, err := entry.Info(); err != nil || info.Size() == 0 && !whole {
			return err // the archive has no content yet
		}
		r, err := archive.Open(path)
		if err != nil {
			return err
		}
		defer r.Close()
		if whole && r.Torn != nil {
			t.Errorf("%s is torn: %+v", path, r.Torn)
		}
		for i := range r.Len() {
			name, err := r.Name(i)
			if err != nil {
				return err
			}
			names[name] = true
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return names
}
