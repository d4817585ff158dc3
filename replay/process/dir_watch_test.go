package process

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDirWatch: files in a directory and below count, but only every looksPerWalk looks.
func TestDirWatch(t *testing.T) {
	dir := t.TempDir()
	below := filepath.Join(dir, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "a"), filepath.Join(below, "b")} {
		if err := os.WriteFile(file, make([]byte, 600), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for most, want := range map[uint64]bool{1000: true, 2000: false, 0: false} {
		d, exceeds := DirWatch{Dir: dir}, false
		for range looksPerWalk {
			exceeds = exceeds || d.Exceeds(most)
		}
		if exceeds != want {
			t.Errorf("more than %d: %v, want %v", most, exceeds, want)
		}
	}
}
