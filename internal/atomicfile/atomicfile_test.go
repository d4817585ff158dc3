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

// TestFile: until Commit readers see the old file; an abandoned file, or one whose
// place is taken, leaves nothing behind.
func TestFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, taken := filepath.Join(dir, "file"), filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "by something"), 0o755); err != nil {
		t.Fatal(err)
	}
	create := func(path, text string) *File {
		t.Helper()
		file, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		return file
	}
	check := func(want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("the file has %q (%v), want %q", text, err, want)
		}
	}
	if err := Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := create(path, "abandoned").Abandon(); err != nil {
		t.Error(err)
	}
	file := create(path, "new")
	check("old")
	if err := file.Commit(); err != nil {
		t.Error(err)
	}
	check("new")
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o644 {
		t.Errorf("the file's mode is %v (%v)", info.Mode(), err)
	}
	if err := create(taken, "no").Commit(); err == nil {
		t.Error("a directory was replaced")
	}
	if _, err := Create(filepath.Join(dir, "missing", "file")); err == nil {
		t.Error("a file was made in a directory that is not there")
	}
	if names, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v (%v)", names, err)
	}
}

// TestSyncDir: a missing directory is not an error.
func TestSyncDir(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := SyncDir(filepath.Join(dir, "gone")); err != nil {
		t.Error(err)
	}
}

// TestOrphaned: a file is orphaned when its owner was killed, not while it is written.
func TestOrphaned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := Create(filepath.Join(dir, "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	name := file.Name()
	if target, ok := Beside(filepath.Base(name)); !ok || target != "a.json" {
		t.Errorf("%s is beside %q, %v", name, target, ok)
	}
	if Orphaned(name) {
		t.Error("a file that is written is said to be orphaned")
	}
	file.File.Close() // as a kill does
	if !Orphaned(name) {
		t.Error("a file that nobody writes is not said to be orphaned")
	}
	if err := os.Symlink(name, filepath.Join(dir, ".link.1")); err != nil {
		t.Fatal(err)
	}
	if Orphaned(filepath.Join(dir, ".link.1")) || Orphaned(filepath.Join(dir, "nothing")) || Orphaned(dir) {
		t.Error("a link, nothing or a directory is said to be orphaned")
	}
	for _, name := range []string{".lock", ".gitignore", "a.json.3", ".a.json.x", "..3"} {
		if _, ok := Beside(name); ok {
			t.Errorf("%s is said to be beside a file", name)
		}
	}
}
