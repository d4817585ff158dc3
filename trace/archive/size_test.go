package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

type file struct {
	name string
	t    *trace.Trace
	text []byte
}

func corpus(t *testing.T, profile string, n uint64) (files []file) {
	t.Helper()
	generator, err := gen.New(gen.Config{Model: apimodel.IPAMIR, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	for number := range n {
		seed := gen.Seed(1, 0, number)
		made := new(trace.Trace)
		generator.Generate(seed, made)
		made.Notes = generator.Notes(seed)
		files = append(files, file{fmt.Sprintf("%d.trace", number), made, made.AppendText(nil)})
	}
	return files
}

func writeArchive(t *testing.T, path string, files []file) {
	t.Helper()
	w, err := archive.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := archive.NewSorter(w)
	for i := range files {
		if err := s.Add(files[i].name, files[i].t); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func writeTar(t *testing.T, out io.Writer, files []file) {
	t.Helper()
	w := tar.NewWriter(out)
	for i := range files {
		if err := w.WriteHeader(&tar.Header{Name: files[i].name, Mode: 0o644, Size: int64(len(files[i].text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(files[i].text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func tarGz(t *testing.T, files []file) int {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	writeTar(t, w, files)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func zipped(t *testing.T, files []file) int {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to,
			flate.BestCompression)
	})
	for i := range files {
		one, err := w.Create(files[i].name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one.Write(files[i].text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

func archived(t *testing.T, files []file) int {
	path := filepath.Join(t.TempDir(), "a"+archive.Extension)
	writeArchive(t, path, files)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

func textSize(files []file) (size int) {
	for i := range files {
		size += len(files[i].text)
	}
	return size
}

// TestSmallerThanAZip: an archive is at most half as large as a zip file, the usual format from which one file can be
// read without the others.
func TestSmallerThanAZip(t *testing.T) {
	files := corpus(t, "mixed", 300)
	ours, zip := archived(t, files), zipped(t, files)
	t.Logf("%d bytes of text: archive %d, tar.gz %d, zip %d", textSize(files), ours, tarGz(t, files), zip)
	if 2*ours > zip {
		t.Errorf("%d bytes of text: archive %d, zip %d", textSize(files), ours, zip)
	}
}
