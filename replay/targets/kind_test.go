package targets

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay"
)

// TestNoFile: a pipe or a device is refused at once, and not opened.
func TestNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "libpipe.so")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null"} {
		_, err := kindOf(&replay.Target{Name: path, Path: path}, nil)
		if err == nil || !strings.Contains(err.Error(), "neither a file nor a directory") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
