package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

func numbered(t *testing.T, i int) *trace.Trace {
	t.Helper()
	text := fmt.Sprintf("ipafuzz 1 ipamir\nhard %d -7 0\noption a b%d\nsoft -%d 3\nsolve\n", i+1, i, i+1)
	if i%10 == 0 { // a trace with more than calls
		text = fmt.Sprintf("ipafuzz 1 ipamir\nhard %d 0\nsolve = 30\n", i+1)
	}
	made, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestArchivistReusesFrames: an archivist that lanes do not wait for fills the same frame again and again, which
// stays in a cache.
func TestArchivistReusesFrames(t *testing.T) {
	t.Parallel()
	a := NewArchivist(t.TempDir())
	for i := range 2 * framesAhead {
		if err := a.Keep(0, 0, []Kept{{numbered(t, i), &notes.Header{Number: uint64(i)}}}); err != nil {
			t.Fatal(err)
		}
		if err := a.Flush(); err != nil {
			t.Fatal(err)
		}
		if len(a.empty) != 1 {
			t.Fatalf("after flush %d, there are %d empty frames", i+1, len(a.empty))
		}
	}
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
}

// TestArchivistKeepsAll lets several lanes keep traces and reuse them at once, while the archive is flushed.
func TestArchivistKeepsAll(t *testing.T) {
	t.Parallel()
	const lanes, batches, each = 3, 100, 70
	dir := t.TempDir()
	a := NewArchivist(dir)
	var sending sync.WaitGroup
	for lane := range lanes {
		sending.Go(func() {
			var reused trace.Trace
			form := notes.NewForm([]string{fmt.Sprintf("lane=%d", lane)}).WithNumber("number=", "")
			for k := range batches {
				var kept []Kept
				for i := k * each; i < (k+1)*each; i++ {
					kept = append(kept, Kept{numbered(t, i), &notes.Header{Form: form, Number: uint64(i), Seed: uint64(i)}})
				}
				// The lane uses the memory of its traces again.
				first := kept[0].Trace
				reused.Model, reused.Want = first.Model, first.Want
				reused.Calls, reused.Lits = append(reused.Calls[:0], first.Calls...), append(reused.Lits[:0], first.Lits...)
				reused.Bytes = append(reused.Bytes[:0], first.Bytes...)
				kept[0].Trace = &reused
				if err := a.Keep(uint64(lane), 5, kept); err != nil {
					t.Error(err)
				}
				if k%20 == lane {
					if err := a.Flush(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	sending.Wait()
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
	r, err := archive.Open(filepath.Join(dir, archiveDir, "run-0001"+archive.Extension))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if report := r.Verify(); report.Wrong != 0 || report.Traces != lanes*batches*each {
		t.Fatalf("%+v", report)
	}
	next := make([]int, lanes)
	for i := range r.Len() {
		name, err := r.Name(i)
		var lane, number int
		if _, err2 := fmt.Sscanf(name, "%d-5-%d", &lane, &number); err != nil || err2 != nil {
			t.Fatal(name, err, err2)
		}
		if next[lane] != number {
			t.Fatalf("trace %s comes where %d is due", name, next[lane])
		}
		next[lane]++
		want := numbered(t, number)
		want.Notes = []string{fmt.Sprintf("lane=%d", lane), fmt.Sprintf("number=%d", number)}
		if got, err := r.Text(i); err != nil || !bytes.Equal(got, want.AppendText(nil)) {
			t.Fatalf("%s: %v\n%s", name, err, got)
		}
	}
}

// TestArchivistFlushes: what was kept is in the file after Flush, although nobody has closed it.
func TestArchivistFlushes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := NewArchivist(dir)
	for i := range 10 {
		kept := []Kept{{numbered(t, i), &notes.Header{Number: uint64(i)}}}
		if err := errors.Join(a.Keep(0, 0, kept), a.Flush()); err != nil {
			t.Fatal(err)
		}
		r, err := archive.Open(filepath.Join(dir, archiveDir, "run-0001"+archive.Extension))
		if err != nil || r.Len() != i+1 {
			t.Fatalf("%d traces after %d were flushed: %v", r.Len(), i+1, err)
		}
		r.Close()
	}
	if err := a.Finish(); err != nil {
		t.Fatal(err)
	}
}

// TestArchivistFails checks that what cannot be written is an error of the directory, and that no lane
// waits forever.
func TestArchivistFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, archiveDir), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	a := NewArchivist(dir)
	failed := false
	var kept []Kept
	for i := range 1000 {
		kept = append(kept, Kept{numbered(t, i+1), &notes.Header{Number: uint64(i)}})
	}
	for range 20 * framesAhead {
		err := a.Keep(0, 0, kept)
		failed = failed || err != nil
	}
	var d *DirectoryError
	if err := a.Finish(); !failed || !errors.As(err, &d) {
		t.Errorf("failed while sending: %v, at the end: %v", failed, err)
	}
}

func TestArchivistWithoutTraces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := NewArchivist(dir).Finish(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
