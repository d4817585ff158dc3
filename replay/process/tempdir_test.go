package process

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSweep checks that only directories of ended runs are removed: those whose lock is
// free, whatever their names are.
func TestSweep(t *testing.T) {
	place := t.TempDir()
	make := func(name, lock string) string {
		dir := filepath.Join(place, name)
		if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		if lock != "" {
			if err := os.WriteFile(filepath.Join(dir, lockName), []byte(lock), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	wanted := map[string]bool{ // whether sweep keeps the directory
		make(runPrefix+"dead", lockText):        false,
		make(runPrefix+"born", "\x00"):          true, // its text is not written yet
		make(runPrefix+"other", "my own lock"):  true,
		make(runPrefix+"foreign", ""):           true,
		make("unrelated", lockText):             true,
		filepath.Join(place, runPrefix+"alive"): true,
	}
	if err := os.Mkdir(filepath.Join(place, runPrefix+"alive"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{"empty": nil, "begun": {lockName}, "mixed": {lockName, "other"}} {
		dir := filepath.Join(place, runPrefix+name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		wanted[dir] = name == "mixed"
	}
	alive, err := lock(filepath.Join(place, runPrefix+"alive", lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte(lockText), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := make(runPrefix+"linked", "")
	if err := os.Symlink(victim, filepath.Join(linked, lockName)); err != nil {
		t.Fatal(err)
	}
	wanted[linked] = true
	sweep(place)
	for dir, left := range wanted {
		if _, err := os.Stat(dir); (err == nil) != left {
			t.Errorf("%s: %v, want it left: %v", filepath.Base(dir), err, left)
		}
	}
}

// TestSweepAndBegin checks that a run gets a directory although others sweep all the time.
func TestSweepAndBegin(t *testing.T) {
	place := t.TempDir()
	t.Setenv("TMPDIR", place)
	stop, swept := make(chan bool), make(chan bool)
	go func() {
		defer close(swept)
		for {
			select {
			case <-stop:
				return
			default:
				sweep(place)
			}
		}
	}()
	for range 100 {
		dir, err := TempDir()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); err != nil {
			t.Fatal(err)
		}
		RemoveTempDir(dir)
	}
	close(stop)
	<-swept
	if left, _ := os.ReadDir(place); len(left) > 0 {
		t.Errorf("%d directories are left", len(left))
	}
}
