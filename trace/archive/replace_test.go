package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCreateReplacesFilesOnly: Create refuses to replace a directory or a device.
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
			t.Errorf("Create(%q) returns no error", path)
		}
	}
}

// TestAppendToReplaced: appending fails if the archive was removed or another file has taken its name, and leaves that
// file unchanged.
func TestAppendToReplaced(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a"+Extension), filepath.Join(dir, "b"+Extension)
	made := func(n int) []byte {
		path := filepath.Join(t.TempDir(), "a"+Extension)
		fill(t, create(t, path), 0, n)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	replacement, begun := made(20), made(30)
	write := func(path string, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for what, replace := range map[string]func() error{
		"replaced": func() error { write(other, replacement); return os.Rename(other, path) },
		"removed":  func() error { return os.Remove(path) },
	} {
		for when, data := range map[string][]byte{"an archive": begun, "an empty file": nil} {
			write(path, data)
			file, err := os.OpenFile(path, os.O_RDWR, 0)
			if err := errors.Join(err, replace()); err != nil {
				t.Fatal(err)
			}
			if w, err := appendTo(file, path); !errors.Is(err, errReplaced) {
				t.Errorf("%s %s before the lock: %v, %v", when, what, w, err)
			}
			file.Close()
			write(path, data)
			w, err := Append(path)
			if err := errors.Join(err, replace()); err != nil {
				t.Fatal(err)
			}
			_, err = w.Add("new", parse(t, string(text(40))))
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); !errors.Is(err, errReplaced) {
				t.Errorf("%s %s before Close: %v", when, what, err)
			}
			if stored, err := os.ReadFile(path); what == "replaced" && !bytes.Equal(stored, replacement) {
				t.Errorf("%s %s before Close: the replacement has changed: %v", when, what, err)
			}
		}
	}
}

// TestAppendToPipe: what is no regular file is refused, and stays.
func TestAppendToPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(path); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("error %v", err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("then it is %v, %v", info, err)
	}
}
