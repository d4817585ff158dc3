package format_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

func read(text string, f format.Format) (*trace.Trace, error) {
	return format.Read(strings.NewReader(text), "file", f, trace.Limits{})
}

func TestRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		format format.Format
		text   string
		want   string // the trace without its first line
	}{
		{"clauses", format.CNF, "c note\nc\np cnf 4 3\n1 -2\n 0 3 0\nc inside\n\n0",
			"# note\n#\nadd 1 -2 0\nadd 3 0\nadd 0\nsolve\nmodel\n"},
		{"nothing", format.CNF, "p cnf 0 0\n", "solve\nmodel\n"},
		{"line ends", format.CNF, "p cnf 1 1\r\n1 0\r\n", "add 1 0\nsolve\nmodel\n"},
		{"nothing", format.WCNF, "", "solve\nobj\nmodel\n"},
		{"clauses", format.WCNF, "c n\nh 1 2 0\n5 -3 0\nh 0\n7 1 -1 0\n2 -3 0\n1 0\n9223372036854775807 4 0\n",
			"# n\nhard 1 2 0\nsoft 3 7\nhard 0\nhard 1 -1 5 0\nsoft 5 7\nhard 6 0\nsoft 6 1\nsoft -4 9223372036854775807\n" +
				"solve\nobj\nmodel\n"},
		{"clauses", format.WCNFOld, "p wcnf 9 4 10\n10 1 -2 0 3 4 0\n10 0\n9 5 6 0\n",
			"hard 1 -2 0\nsoft -4 3\nhard 0\nhard 5 6 10 0\nsoft 10 9\nsolve\nobj\nmodel\n"},
		{"no top", format.WCNFOld, "p wcnf 1 1\n10 1 0\n", "soft -1 10\nsolve\nobj\nmodel\n"},
		{"greatest top", format.WCNFOld, "p wcnf 2 3 18446744073709551615\n9223372036854775807 1 0\n" +
			"9223372036854775807 2 0\n18446744073709551615 1 2 0\n",
			"soft -1 9223372036854775807\nsoft -2 9223372036854775807\nhard 1 2 0\nsolve\nobj\nmodel\n"},
		{"incremental", format.WCNFI, "h 1 2 0\n3 1 2 0\n4 -1 0\nr 0\n0 1 2 0\n6 -1 0\nr 1 -7 0\n",
			"hard 1 2 0\nhard 1 2 8 0\nsoft 8 3\nsoft 1 4\nsolve\nobj\nmodel\nsoft 8 0\nsoft 1 6\nassume 1\nassume -7\n" +
				"solve\nobj\nmodel\n"},
		{"incremental", format.ICNF, "p icnf\ni 1 2 0\nq 0\ns SATISFIABLE\nm 1 2 0\ni -1 0\nq 1 0\ns UNSATISFIABLE\n" +
			"u 1 0\nq 0\n",
			"add 1 2 0\nsolve want 10\nmodel\nadd -1 0\nassume 1\nsolve want 20\ncore\nsolve\nmodel\n"},
		{"incremental", format.IncCNF, "p inccnf\n1 2 0\na 0\n-1 0\na 1 0\n",
			"add 1 2 0\nsolve\nmodel\nadd -1 0\nassume 1\nsolve\nmodel\n"},
	}
	for _, test := range tests {
		for _, f := range []format.Format{test.format, ""} {
			if f == "" && test.text == "" {
				continue
			}
			got, err := read(test.text, f)
			if err != nil {
				t.Errorf("%s %s: %v", test.format, test.name, err)
				continue
			}
			_, body, _ := strings.Cut(got.String(), "\n")
			if body != test.want {
				t.Errorf("%s %s: read\n%s\nwant\n%s", test.format, test.name, body, test.want)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		format format.Format
		text   string
		want   string
	}{
		{format.CNF, "", `file:1:1: want the line "p cnf", got the end of the file`},
		{format.CNF, "1 2 0\n", `file:1:1: want the line "p cnf" before all clauses, got "1"`},
		{format.CNF, "p cnf 2 1 0\n", `file:1:11: want the end of the line, got "0"`},
		{format.CNF, "p cnf x 1\n", `file:1:7: want the number of variables, from 0 to 2147483647 (without + or leading ` +
			`zeros), got "x"`},
		{format.CNF, "p cnf 2 1\n1 3 0\n", `file:2:3: want a literal of at most 2 variables, as the header says, got "3"`},
		{format.CNF, "p cnf 2 1\n1 2", `file:2:1: want a 0 at the end of this clause, got the end of the file`},
		{format.CNF, "p cnf 2 2\n1 0 2\n1 2\n", `file:2:5: want a 0 at the end of this clause, got the end of the file`},
		{format.CNF, "p cnf 2 3\n1 0\n1\n2 0\n", `file:5:1: want 3 clauses, as the header says, not 2 ` +
			`(is the final 0 of the clause in line 3 missing?), got the end of the file`},
		{format.CNF, "p cnf 2 2\n1 2 0\n", `file:3:1: want 2 clauses, as the header says, not 1, got the end of the file`},
		{format.CNF, "p cnf 2 1\n1 2 0\n0\n", `file:3:1: want the end of the file after 1 clause, as the header says, ` +
			`got "0"`},
		{format.CNF, "p cnf 2 1\n1 +2 0\n", `file:2:3: want a literal from -2147483647 to 2147483647, or 0 to end the ` +
			`clause (without + or leading zeros), got "+2"`},
		{format.CNF, "p cnf 2 1\n-0\n", `file:2:1: want a literal from -2147483647 to 2147483647, or 0 to end the clause ` +
			`(without + or leading zeros), got "-0"`},
		{format.CNF, "p cnf 2 1\n1 2 0\n%\n0\n", `file:3:1: want the end of the file after 1 clause, as the header says, ` +
			`got "%"`},
		{format.WCNF, "h 1 2\n", `file:1:6: want a literal, or 0 to end the clause, got the end of the line`},
		{format.WCNF, "h 1 0 2 0\n", `file:1:7: want the end of the line, got "2"`},
		{format.WCNF, "0 1 0\n", `file:1:1: want h or a weight from 1 to 9223372036854775807 (without + or leading ` +
			`zeros), got "0"`},
		{format.WCNF, "9223372036854775808 1 0\n",
			`file:1:1: want h or a weight from 1 to 9223372036854775807 (without + or leading zeros), got ` +
				`"9223372036854775808"`},
		{format.WCNF, "9223372036854775807 1 0\n9223372036854775807 1 0\n2 2 0\n",
			`file:3:6: want weights whose sum is below 2^64, got a greater sum`},
		{format.WCNFOld, "p wcnf 2 1 5\n6 1 0\n", `file:2:1: want a weight from 1 to 5 (without + or leading zeros), got ` +
			`"6"`},
		{format.WCNFI, "h 1 0\n", `file:2:1: want a line r (a file without one solves nothing), got the end of the file`},
		{format.ICNF, "p icnf\ns SATISFIABLE\n", `file:2:3: want a line q before this one, got "SATISFIABLE"`},
		{format.ICNF, "p icnf\nq 0\ns SATISFIABLE\ns SATISFIABLE\n",
			`file:4:3: want a line q before this one, got "SATISFIABLE"`},
		{format.ICNF, "p icnf\n1 0\n", `file:2:1: want i, q, s, m or u, got "1"`},
		{"", "hello\n", `file:1:1: want a file of a known format ('ipafuzz convert --list'), or its name with --from, got ` +
			`"hello"`},
		{"", "BZh9", `file:1:1: want a whole gzip, xz or zstd file, got an error: bzip2 is not read`},
	}
	for _, test := range tests {
		_, err := read(test.text, test.format)
		var parse *trace.ParseError
		if !errors.As(err, &parse) || err.Error() != test.want {
			t.Errorf("%s %q:\ngot  %v\nwant %s", test.format, test.text, err, test.want)
		}
	}
}

// TestDetect: clauses without a header may be CNF or WCNF. The file's name decides, unless lines that only WCNF or
// WCNFI has follow.
func TestDetect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, text string
		want       format.Format
	}{
		{"f", "p cnf 2 1\n1 2 0\n", format.CNF},
		{"f.wcnf", "p cnf 2 1\n1 2 0\n", format.CNF},
		{"f.cnf", "1 2 0\n-1 2 0\n", format.CNF},
		{"f.cnf.gz", "c note\n\n1 2 0\n", format.CNF},
		{"f.dimacs", "3 0\n", format.CNF},
		{"f.icnf", "3 0\n", format.ICNF},
		{"f.wcnf", "1 2 0\n", format.WCNF},
		{"f.wcnfi", "1 2 0\n", format.WCNFI},
		{"f", "1 2 0\nh 1 0\n", format.WCNF},
		{"f.cnf", "1 2 0\n3 1 0\nh 1 0\n", format.WCNF},
		{"f.cnf", "h 1 2 0\n", format.WCNF},
		{"f", "1 2 0\nr 0\n", format.WCNFI},
		{"f", "1 2 0\n3 1 0\n", ""},
		{"f.txt", "1 2 0\n", ""},
		{"f.wcnf", "c nothing\n", format.WCNF},
		{"f.wcnf", "", ""},
		{"f.cnf.gz", "", ""},
	}
	for _, test := range tests {
		got, err := format.Detect(test.file, []byte(test.text))
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s %q: got %q, %v, want %q", test.file, test.text, got, err, test.want)
		}
	}
	_, err := format.Read(strings.NewReader("1 2 0\n-1 2 0\n"), "f.cnf", "", trace.Limits{})
	if want := `f.cnf:1:1: want the line "p cnf" before all clauses, got "1"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCompressed(t *testing.T) {
	t.Parallel()
	var zst bytes.Buffer
	encoder, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	encoder.Write([]byte("p cnf 2 1\n1 -2 0\n"))
	encoder.Close()
	for kind, packed := range map[string]string{"gzip": packedGzip, "xz": packedXZ, "zstd": zst.String()} {
		read, err := read(packed, "")
		if err != nil {
			t.Errorf("%s: %v", kind, err)
		} else if want := "ipafuzz 1 ipasir\nadd 1 -2 0\nsolve\nmodel\n"; read.String() != want {
			t.Errorf("%s: read\n%s\nwant\n%s", kind, read, want)
		}
		if _, err := format.Read(strings.NewReader(packed[:len(packed)-9]), "cut", "", trace.Limits{}); err == nil {
			t.Errorf("%s: Read returns no error for a file that is cut off", kind)
		}
	}
}

const (
	packedGzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x50\x48\xce\x4b\x53\x30\x52\x30\xe4\x32\x54\xd0\x35" +
		"\x52\x30\xe0\x02\x00\xed\xbf\x82\xe2\x11\x00\x00\x00"
	packedXZ = "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x0c\x00\x00\x00\x8f\x98\x41\x9c" +
		"\x01\x00\x10\x70\x20\x63\x6e\x66\x20\x32\x20\x31\x0a\x31\x20\x2d\x32\x20\x30\x0a\x00\x00\x00\x00" +
		"\x2b\x97\xff\x79\x29\x10\x05\x1c\x00\x01\x29\x11\x32\x0a\x70\x0e\x1f\xb6\xf3\x7d\x01\x00\x00\x00" +
		"\x00\x04\x59\x5a"
)

// TestBomb: reading a small compressed file that unpacks to more than the limits fails, without memory for all of it.
func TestBomb(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(bytes.Repeat([]byte("c comment\n"), 16<<20/10))
	z.Close()
	bomb := strings.NewReader(strings.Repeat(packed.String(), 128)) // 2 GiB: a gzip file may have many parts
	_, err := format.Read(bomb, "bomb", format.CNF, trace.Limits{})
	var parse *trace.ParseError
	if !errors.As(err, &parse) || !strings.Contains(err.Error(), "want at most 134217728 bytes in all, got more") {
		t.Errorf("got %v", err)
	}
	_, err = format.Read(io.MultiReader(strings.NewReader("h "), ones{}), "line", "", trace.Limits{})
	if err == nil || !strings.Contains(err.Error(), "want a line of at most 4194304 bytes") {
		t.Errorf("got %v", err)
	}
}

type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}
