package atomicfile

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWriteKeepsKindOfFile: links and pipes stay links and pipes.
func TestWriteKeepsKindOfFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for _, path := range []string{file, link, pipe} {
		if err := Write(path, []byte("old and long")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := Write(path, []byte("new")); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "new" {
		t.Errorf("the file has %q (%v)", text, err)
	}
	for path, want := range map[string]os.FileMode{link: os.ModeSymlink, pipe: os.ModeNamedPipe} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != want {
			t.Errorf("%s has become a %v (%v)", path, info.Mode(), err)
		}
	}
	all := make([]byte, 100)
	if n, err := reader.Read(all); err != nil || string(all[:n]) != "old and longnew" {
		t.Errorf("the pipe had %q (%v)", all[:n], err)
	}
}
