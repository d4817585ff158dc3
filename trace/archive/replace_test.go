package archive

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCreateReplacesFilesOnly: Create does not replace a device.
func TestCreateReplacesFilesOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "there")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, "/dev/stdin"} {
		if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
			continue
		}
		if w, err := Create(path); err == nil {
			w.Abort()
			t.Errorf("an archive in the place of %s is begun", path)
		}
	}
}
