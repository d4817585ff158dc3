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
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/gen/mutate"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

const page = "../../docs/archive.md"

type file struct {
	name string
	t    *trace.Trace
	text []byte
}

// corpus makes n traces of a profile, or n/20 of them with 20 mutants each.
func corpus(t *testing.T, profile string, n int, mutants bool) []file {
	t.Helper()
	config := gen.Config{Model: apimodel.IPAMIR, Profile: profile}
	generator, err := gen.New(config)
	if err != nil {
		t.Fatal(err)
	}
	mutator, err := mutate.New(config)
	if err != nil {
		t.Fatal(err)
	}
	files := make([]file, 0, n)
	add := func(name string, made *trace.Trace) {
		made = made.Clone()
		files = append(files, file{name, made, made.AppendText(nil)})
	}
	for number := uint64(0); len(files) < n; number++ {
		seed := gen.Seed(1, 0, number)
		made := new(trace.Trace)
		generator.Generate(seed, made)
		made.Notes = generator.Notes(seed)
		if !mutants {
			add(fmt.Sprintf("%d.trace", number), made)
			continue
		}
		parent := fmt.Sprintf("%d.trace", number)
		for k := range uint64(20) {
			child := new(trace.Trace)
			done, err := mutator.Mutate(gen.Seed(seed, 1, k), []*trace.Trace{made}, child)
			if err != nil {
				t.Fatal(err)
			}
			child.Notes = mutate.Notes(gen.Seed(seed, 1, k), []string{parent}, done, nil)
			add(fmt.Sprintf("%d-%d.trace", number, k), child)
		}
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

// tarZst runs the program zstd, because the Go library has no level 19.
func tarZst(t *testing.T, files []file) int {
	var packed bytes.Buffer
	writeTar(t, &packed, files)
	cmd := exec.Command("zstd", "-19", "-c")
	cmd.Stdin = &packed
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return len(out)
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
	files := corpus(t, "mixed", 300, false)
	ours, zip := archived(t, files), zipped(t, files)
	t.Logf("%d bytes of text: archive %d, tar.gz %d, zip %d", textSize(files), ours, tarGz(t, files), zip)
	if 2*ours > zip {
		t.Errorf("%d bytes of text: archive %d, zip %d", textSize(files), ours, zip)
	}
}

// TestPage compares docs/archive.md with the code. IPAFUZZ_UPDATE=1 repeats the measurements and writes them to the
// page.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("at least %d KiB of text", archive.FrameBytes>>10); !strings.Contains(string(text), want) {
		t.Errorf("docs/archive.md must say %q", want)
	}
	before, rest, found := strings.Cut(string(text), "<!-- measured -->\n")
	_, after, closed := strings.Cut(rest, "<!-- end -->\n")
	if !found || !closed {
		t.Fatal("docs/archive.md lacks the markers around the measurements")
	}
	if os.Getenv("IPAFUZZ_UPDATE") == "" {
		return
	}
	measured := sizes(t) + million(t)
	if err := os.WriteFile(page, []byte(before+"<!-- measured -->\n"+measured+"<!-- end -->\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func sizes(t *testing.T) string {
	out := "| | text | archive | tar.gz -9 | tar.zst -19 | zip -9 |\n|---|---|---|---|---|---|\n"
	for _, c := range []struct {
		what, profile string
		mutants       bool
	}{
		{"10,000 traces of the profile mixed", "mixed", false},
		{"10,000 traces of the profile wide", "wide", false},
		{"10,000 traces: 500 of the profile wide, 20 mutants of each", "wide", true},
	} {
		files := corpus(t, c.profile, 10000, c.mutants)
		size := textSize(files)
		row := fmt.Sprintf("| %s | %.1f MB |", c.what, float64(size)/1e6)
		for _, pack := range []func(*testing.T, []file) int{archived, tarGz, tarZst, zipped} {
			begun := time.Now()
			packed := pack(t, files)
			row += fmt.Sprintf(" %.2f, %.1f MB/s |", float64(size)/float64(packed),
				float64(size)/1e6/time.Since(begun).Seconds())
		}
		out += row + "\n"
	}
	return out
}

// million measures how fast an archive of a million traces opens and returns traces.
func million(t *testing.T) string {
	const traces = 1_000_000
	generator, err := gen.New(gen.Config{Model: apimodel.IPAMIR, Profile: "smoke"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "million"+archive.Extension)
	w, err := archive.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var made trace.Trace
	for number := range uint64(traces) {
		seed := gen.Seed(1, 0, number)
		generator.Generate(seed, &made)
		made.Notes = generator.Notes(seed)
		if _, err := w.Add(fmt.Sprintf("%d.trace", number), &made); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var opened, cold, read, scanned []time.Duration
	for k := range 21 {
		begun := time.Now()
		r, err := archive.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, time.Since(begun))
		if _, err := r.Text(k * 47_000); err != nil {
			t.Fatal(err)
		}
		cold = append(cold, time.Since(begun))
		for i := range 50 {
			begun := time.Now()
			if _, err := r.Text((i*611_953 + k*47_000) % traces); err != nil {
				t.Fatal(err)
			}
			read = append(read, time.Since(begun))
		}
		if k == 0 {
			begun := time.Now()
			if _, _, err := r.Entry(traces - 1); err != nil {
				t.Fatal(err)
			}
			scanned = append(scanned, time.Since(begun))
		}
		r.Close()
	}
	r, err := archive.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := r.Stats()
	median := func(d []time.Duration) time.Duration {
		slices.Sort(d)
		return d[len(d)/2].Round(time.Microsecond)
	}
	return fmt.Sprintf("\n"+
		"Of a million traces (profile smoke, %.0f MB of text, an archive of %.0f MB, of which the tables are %.0f MB): "+
		"opening the file takes %v, "+
		"one trace from the open file %v, both together %v; these are medians. The names and hashes of all, which `list`, "+
		"`add` and choosing by name need, take %v.\n",
		float64(s.TextBytes)/1e6, float64(s.FileBytes)/1e6, float64(s.Tables)/1e6, median(opened), median(read),
		median(cold), median(scanned))
}
