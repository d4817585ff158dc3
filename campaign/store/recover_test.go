package store

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ipafuzz/ipafuzz/internal/atomicfile"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// leave writes an archive of n traces as a killed run leaves it.
func leave(t *testing.T, path string, n int) {
	t.Helper()
	w, err := archive.Append(path)
	if err != nil {
		t.Fatal(err)
	}
	frame := new(archive.Frame)
	for i := range n {
		frame.Add(fmt.Appendf(nil, "name%d", i), &notes.Header{Number: uint64(i)}, numbered(t, i))
	}
	if err := w.Write(frame); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRecover checks that Recover completes or removes what killed runs leave, and does not touch what a
// living process has locked.
func TestRecover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(in("archive", "run-0004.traces.zst"), "")
	write(in("archive", "run-0005.traces.zst"), "this is not an archive")
	write(in(".state.json.123"), "{")
	write(in("findings", "a", ".finding.json.7"), "{")
	write(in(".finding-88", "original.trace"), "ipafuzz")
	write(in(".note"), "of the user")
	leave(t, in("archive", "run-0002.traces.zst"), 20)
	leave(t, in("archive", "run-0001.traces.zst"), 30)
	living, err := archive.Append(in("archive", "run-0003.traces.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	written, err := atomicfile.Create(in("campaign.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Abandon()

	s, err := Open(&Past{Dir: dir}, Record{}, nil, replay.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	done, err := s.Recover()
	if err != nil || len(done.Damaged) != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	done.Damaged = nil
	if want := (Recovery{Archives: 2, Traces: 50, Removed: 4}); !reflect.DeepEqual(done, want) {
		t.Errorf("%+v, want %+v", done, want)
	}
	for name, there := range map[string]bool{
		"archive/run-0001.traces.zst": true, "archive/run-0002.traces.zst": true, "archive/run-0003.traces.zst": true,
		"archive/run-0004.traces.zst": false, "archive/run-0005.traces.zst": true, ".state.json.123": false,
		"findings/a/.finding.json.7": false, ".finding-88": false, ".note": true,
	} {
		if _, err := os.Lstat(in(name)); (err == nil) != there {
			t.Errorf("%s is there: %v, want %v", name, err == nil, there)
		}
	}
	if _, err := os.Stat(written.Name()); err != nil {
		t.Errorf("a file that is being written: %v", err)
	}
	for name, n := range map[string]int{"run-0001": 30, "run-0002": 20} {
		r, err := archive.Open(in("archive", name+archive.Extension))
		if err != nil {
			t.Fatal(err)
		}
		if r.Torn != nil || r.Len() != n {
			t.Errorf("%s: %d traces, torn %v", name, r.Len(), r.Torn)
		}
		r.Close()
	}
	if again, err := s.Recover(); err != nil || again.Archives+again.Removed > 0 {
		t.Errorf("the second time: %+v, %v", again, err)
	}
}
