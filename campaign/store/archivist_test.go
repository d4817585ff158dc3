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

// TestArchivistKeepsAll lets several lanes send parcels and reuse their traces at once.
func TestArchivistKeepsAll(t *testing.T) {
	t.Parallel()
	const lanes, parcels, each = 3, 100, 7
	dir := t.TempDir()
	a := NewArchivist(dir)
	var sending sync.WaitGroup
	for lane := range lanes {
		sending.Go(func() {
			var reused trace.Trace
			for k := range parcels {
				p := a.Parcel(uint64(lane), 5)
				for i := k * each; i < (k+1)*each; i++ {
					from := numbered(t, i)
					reused.Model, reused.Calls = from.Model, append(reused.Calls[:0], from.Calls...)
					reused.Lits, reused.Bytes = append(reused.Lits[:0], from.Lits...), append(reused.Bytes[:0], from.Bytes...)
					reused.Want = from.Want
					p.Add(uint64(i), &reused, func() []string { return []string{fmt.Sprintf("lane=%d", lane)} })
				}
				if err := a.Send(p); err != nil {
					t.Error(err)
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
	if report := r.Verify(); report.Wrong != 0 || report.Traces != lanes*parcels*each {
		t.Fatalf("%+v", report)
	}
	next := make([]int, lanes)
	for i := range r.Len() {
		_, name, err := r.Entry(i)
		var lane, number int
		if _, err2 := fmt.Sscanf(name, "%d-5-%d", &lane, &number); err != nil || err2 != nil {
			t.Fatal(name, err, err2)
		}
		if next[lane] != number {
			t.Fatalf("trace %s comes where %d is due", name, next[lane])
		}
		next[lane]++
		want := numbered(t, number)
		want.Notes = []string{fmt.Sprintf("lane=%d", lane)}
		if got, err := r.Text(i); err != nil || !bytes.Equal(got, want.AppendText(nil)) {
			t.Fatalf("%s: %v\n%s", name, err, got)
		}
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
	for i := range 10 * parcelsAhead {
		p := a.Parcel(0, 0)
		p.Add(uint64(i), numbered(t, i), func() []string { return nil })
		err := a.Send(p)
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
