package format_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// seeds are small files of every format. The first byte of an input chooses the format.
var seeds = []struct {
	format format.Format
	text   string
}{
	{format.CNF, "c note\np cnf 3 2\n1 -2 0\n3 0\n"},
	{format.ICNF, "p icnf\ni 1 2 0\nq 0\ns SATISFIABLE\nm 1 2 0\nq -1 0\ns UNSATISFIABLE\nu -1 0\n"},
	{format.IncCNF, "p inccnf\n1 2 0\na 0\na 1 0\n"},
	{format.WCNF, "h 1 2 0\n5 -3 0\n7 1 -1 0\n1 0\n"},
	{format.WCNFOld, "p wcnf 3 3 10\n10 1 -2 0\n9 3 0 3 1 2 0\n"},
	{format.OPB, "* #variable= 4 #constraint= 3\n* n\nmin: +3 x1 -2 ~x2 ;\n+1 x1 +1 ~x2 >= 1 ;\n" +
		"+2 x1 +3 x2 +4 x3 >= 5;\n1 x1 1 x4 = 1 ;\n"},
	{format.WBO, "* #variable= 2 #constraint= 3 #soft= 2\nsoft: 12 ;\n+1 x1 -1 x2 >= 0 ;\n[5] -1 x1 >= 0 ;\n" +
		"[6] +1 x1 +1 x2 >= 1 ;\n"},
	{format.MPS, "* n\nNAME          formula\nROWS\n N  cost\n G  c1\n L  c2\n E  c3\nCOLUMNS\n    x1  cost  5  c1  1\n" +
		"    x2        c1                  -1\n    x2  c2 2.0\n" +
		"    M1 'MARKER' 'INTORG'\n    x3  c2 1 c3 1\n    M1 'MARKER' 'INTEND'\nRHS\n    rhs  c2  2\n" +
		"    rhs c3 1 cost -4\nBOUNDS\n BV bound x1\n BV bound x2\n UP bound x3 1\nENDATA\n"},
	{format.WCNFI, "h 1 2 0\n3 1 2 0\n4 -1 0\nr 0\n0 1 2 0\nr 1 -7 0\n"},
	{format.QDIMACS, "c note\np cnf 4 2\ne 1 2 0\na 3 0\ne 4 0\n1 -3 0\n-4 2 0\n"},
}

// asFile is added to the first byte of an input for a formula file that stays one.
const asFile = 128

type readFunc func(r io.Reader, file string, f format.Format, limits trace.Limits) (*trace.Trace, error)

// FuzzRead: a reader returns a legal trace or an error with a place for any bytes. Writing and reading the trace does
// not change it.
func FuzzRead(f *testing.F) {
	for i, seed := range seeds {
		f.Add(uint8(i), seed.text)
		f.Add(uint8(i+asFile), seed.text)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		reader := format.Read
		if which >= asFile {
			reader = format.ReadFile
		}
		seed := seeds[int(which%asFile)%len(seeds)]
		limits := trace.DefaultLimits
		limits.Calls, limits.Literals, limits.Bytes = 1<<12, 1<<14, 1<<16
		read, err := reader(strings.NewReader(text), "file", seed.format, limits)
		var parse *trace.ParseError
		if err != nil {
			if !errors.As(err, &parse) {
				t.Fatalf("%s: the error has no place: %v", seed.format, err)
			}
			return
		}
		again(t, reader, seed.format, read)
	})
}

// FuzzPacked: reading compressed files and files of unknown formats ends with a trace or an error with a place.
func FuzzPacked(f *testing.F) {
	f.Add([]byte(packedGzip))
	f.Add([]byte(packedXZ))
	f.Add([]byte("\x28\xb5\x2f\xfd\x04\x00\x91\x00\x00p cnf 2 1\n1 -2 0\n"))
	f.Add([]byte("h 1 2 0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var parse *trace.ParseError
		if _, err := format.Read(bytes.NewReader(data), "file.wcnf", "",
			trace.Limits{Bytes: 1 << 20, Line: 1 << 16, Calls: 1 << 12, Literals: 1 << 14}); err != nil && !errors.As(err,
			&parse) && !bytes.HasPrefix(data, []byte("IPFZ")) {
			t.Fatalf("the error has no place: %v", err)
		}
	})
}

// again checks that writing a trace, reading the file and writing it again gives the same file.
func again(t *testing.T, reader readFunc, f format.Format, read *trace.Trace) {
	t.Helper()
	read = read.Clone()
	read.Notes = nil // one of them may be the constant of the objective, which the file does not keep
	var first, second strings.Builder
	var cannot *format.CannotSayError
	if err := format.Write(&first, f, read); errors.As(err, &cannot) {
		return // the sum of the weights is too large for the format
	} else if err != nil {
		t.Fatalf("%s: the trace cannot be written: %v\n%s", f, err, read)
	}
	back, err := reader(strings.NewReader(first.String()), "file", f, trace.Limits{})
	if err != nil {
		t.Fatalf("%s: the written file cannot be read: %v\n%s", f, err, first.String())
	}
	back.Notes = nil
	if err := format.Write(&second, f, back); err != nil ||
		withoutOffset(first.String()) != withoutOffset(second.String()) {
		t.Fatalf("%s: written\n%s\nread and written again (%v)\n%s", f, first.String(), err, second.String())
	}
}

// withoutOffset removes the comment that names the constant of the objective, because reading a file loses it.
func withoutOffset(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, " the cost is the objective plus ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestRoundTrip checks the seeds and the traces of the adapters as FuzzRead does.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, seed := range seeds {
		read, err := format.Read(strings.NewReader(seed.text), "file", seed.format, trace.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		again(t, format.Read, seed.format, read)
	}
	files, _ := filepath.Glob("../../cexternal/adapters/testdata/*.trace")
	if len(files) == 0 {
		t.Fatal("no traces to write")
	}
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := format.Read(in, file, "", trace.Limits{})
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range format.All() {
			if info.Format == format.SMTLIB || info.Format == format.LP {
				continue // there is no reader for them
			}
			again(t, format.Read, info.Format, read)
		}
	}
}
