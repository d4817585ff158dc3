package archive

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// growing writes n packed traces in batches and does not close the archive, as if the writer had been killed.
func growing(t *testing.T, path string, n, each int) (whole []byte, ends []int) {
	t.Helper()
	w := newFraming(t, path)
	for i := range n {
		w.add(t, i)
		if i%each == each-1 {
			if err := w.flush(); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, int(w.w.at))
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.w.file.Close()
	return whole, ends
}

// TestKilledWriter: wherever a killed writer's file ends, the reader returns every whole batch with its names and knows
// how many traces are lost, and Repair makes the archive whole.
func TestKilledWriter(t *testing.T) {
	const n, each = 90, 30
	dir := t.TempDir()
	data, ends := growing(t, filepath.Join(dir, "a"+Extension), n, each)
	if ends[len(ends)-1] != len(data) || len(ends) != n/each {
		t.Fatalf("%d bytes, batches end at %v", len(data), ends)
	}
	for cut := 0; cut <= len(data); cut += 1 + cut%29 {
		path := filepath.Join(dir, "cut"+Extension)
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		indexed, begins := 0, 0 // traces in whole batches, and where the next batch begins
		for _, end := range ends {
			if end <= cut {
				indexed, begins = indexed+each, end
			}
		}
		had, lost := 0, -1
		if r, err := Open(path); err == nil {
			had, lost = r.Len(), r.Torn.Lost
			checkTexts(t, r, indexed)
			r.Close()
		}
		if had < indexed || had > indexed+each {
			t.Fatalf("cut at %d: the reader has %d traces, the whole batches %d", cut, had, indexed)
		}
		// A cut within the notice of a batch hides how many traces the batch had.
		if known := cut >= begins+noticeBytes; known && lost != indexed+each-had && had > 0 {
			t.Fatalf("cut at %d: the reader has %d of %d traces and says that %d are lost", cut, had, indexed+each, lost)
		}
		if cut == begins && cut > 0 && lost != 0 {
			t.Fatalf("cut at %d, the end of a batch: the reader says that %d traces are lost", cut, lost)
		}
		done, err := Repair(path)
		if err != nil || done.Torn == nil || done.Traces != had {
			t.Fatalf("cut at %d: %+v, %v", cut, done, err)
		}
		if had == 0 {
			if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("cut at %d: Repair leaves a file without traces: %v", cut, err)
			}
			continue
		}
		r := open(t, path)
		if report := r.Verify(); report.Wrong != 0 || report.Traces != had {
			t.Fatalf("cut at %d: %+v", cut, report)
		}
		checkTexts(t, r, indexed)
		if again, err := Repair(path); err != nil || again.Torn != nil || again.Traces != had {
			t.Fatalf("cut at %d: a second Repair: %+v, %v", cut, again, err)
		}
	}
}

// TestFullBatch: what has not been flushed stays small, and the traces before it can be read.
func TestFullBatch(t *testing.T) {
	const n, full = 300, 1500
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := newFraming(t, path)
	w.full = full
	for i := range n {
		w.add(t, i)
		if kept := len(w.w.batch.data); kept >= full {
			t.Fatalf("after %d traces, %d bytes are not yet written", i+1, kept)
		}
	}
	r := open(t, path)
	if r.Len() < n/2 || r.Torn == nil || r.Torn.Lost != 0 {
		t.Errorf("before Flush, %d traces of %d can be read, torn %+v", r.Len(), n, r.Torn)
	}
	checkTexts(t, r, r.Len())
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r = open(t, path)
	if report := r.Verify(); report.Wrong != 0 || report.Traces != n {
		t.Errorf("%+v", report)
	}
	checkTexts(t, r, n)
}

// checkTexts compares the text of every trace, and the names of the first indexed ones.
func checkTexts(t *testing.T, r *Reader, indexed int) {
	t.Helper()
	for i := range r.Len() {
		got, err := r.Text(i)
		if err != nil || !bytes.Equal(got, text(i)) {
			t.Fatalf("trace %d: %v\n%s", i, err, got)
		}
		want := name(i)
		if i >= indexed {
			want = recoveredName(i)
		}
		if _, called, err := r.Entry(i); err != nil || called != want {
			t.Fatalf("trace %d is called %q, want %q: %v", i, called, want, err)
		}
	}
}

// TestRepairLeavesAlone: Repair does not change a file that is damaged, is not an archive, or has a writer.
func TestRepairLeavesAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a"+Extension)
	data, _ := growing(t, path, 60, 20)
	damaged := bytes.Clone(data)
	damaged[noticeBytes+1] ^= 0xff
	for what, data := range map[string][]byte{"damaged": damaged, "a text": []byte("a text and no archive\n")} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		var damage *DamageError
		if _, err := Repair(path); !errors.As(err, &damage) {
			t.Errorf("%s: %v", what, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
			t.Errorf("%s: the file has changed", what)
		}
	}
	other := filepath.Join(dir, "b"+Extension)
	w := newFraming(t, other)
	w.add(t, 0)
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := Repair(other); !errors.Is(err, ErrBusy) {
		t.Errorf("Repair of an archive that has a writer: %v", err)
	}
	if _, err := Append(other); !errors.Is(err, ErrBusy) {
		t.Errorf("Append to an archive that has a writer: %v", err)
	}
	if r := open(t, other); r.Len() != 1 || r.Torn == nil || r.Torn.Lost != 0 {
		t.Errorf("Open of an archive that has a writer: %d traces, torn %+v", r.Len(), r.Torn)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if report := open(t, other).Verify(); report.Wrong != 0 || report.Traces != 1 {
		t.Errorf("%+v", report)
	}
}

// TestPackedWriterFails: after a write error, the batches written before it can be read and repaired.
func TestPackedWriterFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a"+Extension)
	w := newFraming(t, path)
	for i := range 20 {
		w.add(t, i)
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	file := w.w.file
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	w.w.file = readOnly // every write fails
	w.add(t, 20)
	if err := w.flush(); err == nil {
		t.Fatal("Flush returns no error for a batch that it cannot write")
	}
	if err := w.Close(); err == nil {
		t.Error("Close returns no error for an archive that it cannot complete")
	}
	file.Close()
	if r := open(t, path); r.Len() != 20 || r.Torn == nil {
		t.Errorf("%d traces, torn %+v", r.Len(), r.Torn)
	}
	if done, err := Repair(path); err != nil || done.Traces != 20 {
		t.Errorf("%+v, %v", done, err)
	}
}
