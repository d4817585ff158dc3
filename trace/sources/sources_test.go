package sources

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/archive"
)

func text(lit int) string { return fmt.Sprintf("ipafuzz 1 ipamir\nhard %d 0\nsolve\n", lit) }

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRead: Read returns the traces of every kind of source in order, each with a name that opens it again.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "one.trace", text(1))
	write(t, "many.trace", text(1)+text(2)+text(3))
	write(t, "many.trace.gz", gzipped(text(1)+text(2)))
	write(t, "d/b.trace", text(5))
	write(t, "d/a.trace", text(4))
	write(t, "d/readme.txt", "no trace")
	write(t, "d/.hidden.trace", text(9))
	write(t, "d/.new/x.trace", text(9))
	write(t, "d/found/original.trace", text(7)+"val 7\n")
	write(t, "d/found/minimal.trace", text(7))
	write(t, "run/findings/x/certificate.cnf", "p cnf 1 1\n1 0\n")
	write(t, "run/findings/x/minimal.trace", text(7))
	write(t, "run/findings/x/finding.json", "{}")
	write(t, "run/findings/x/originals/1.trace", text(6))
	write(t, "run/findings/x/experiments/root.trace", text(8))
	write(t, "run/unconfirmed/y.trace", text(9))
	write(t, "loose/minimal.trace", text(1))
	write(t, "loose/other.trace", text(2))
	write(t, "loose/originals/1.trace", text(3))
	write(t, "run/archive/copy.trace", text(7))
	write(t, "kept/archive/b.trace", text(5))
	write(t, "f.cnf", "p cnf 2 1\n2 0\n")
	write(t, "g.wcnf", "h 3 0\n5 -3 0\n")
	write(t, "e/h.wcnf.gz", gzipped("h 3 0\n5 -3 0\n"))
	write(t, "empty/readme.txt", "")
	write(t, "odd:1.trace", text(8))
	binary, err := must(t, text(6)).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "binary.trace", string(binary))
	w, err := archive.Create("a.traces.zst")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if _, err := w.Add(fmt.Sprintf("x/%d.trace", i), must(t, text(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile("a.traces.zst")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "torn.traces.zst", string(whole[:len(whole)-30]))
	for _, c := range []struct {
		names      string
		stdin      string
		everything bool
		want       string // names and first literals, then the error
	}{
		{names: "one.trace", want: "one.trace 1"},
		{names: "many.trace", want: "many.trace 1;many.trace:2 2;many.trace:3 3"},
		{names: "many.trace:2 many.trace:1", want: "many.trace:2 2;many.trace 1"},
		{names: "many.trace:4", want: "many.trace has traces 1 to 3, not 4"},
		{names: "many.trace:x", want: `many.trace is not an archive: choose one of its traces by its number, from 1, not ` +
			`by "x"`},
		{names: "binary.trace", want: "binary.trace 6"},
		{names: "odd:1.trace", want: "odd:1.trace 8"},
		{names: "d", want: "d/a.trace 4;d/b.trace 5;d/found/minimal.trace 7"},
		{names: "d", everything: true, want: "d/a.trace 4;d/b.trace 5;d/found/minimal.trace 7;d/found/original.trace 7"},
		{names: "run", want: "run/findings/x/minimal.trace 7;run/unconfirmed/y.trace 9"},
		{names: "run", everything: true,
			want: "run/archive/copy.trace 7;run/findings/x/experiments/root.trace 8;run/findings/x/minimal.trace 7;" +
				"run/findings/x/originals/1.trace 6;run/unconfirmed/y.trace 9"},
		{names: "run/findings/x/experiments", want: "run/findings/x/experiments/root.trace 8"},
		{names: "run/findings/x/originals", want: "run/findings/x/originals/1.trace 6"},
		{names: "loose", want: "loose/minimal.trace 1;loose/originals/1.trace 3;loose/other.trace 2"},
		{names: "run/archive", want: "run/archive/copy.trace 7"},
		{names: "kept", want: "kept/archive/b.trace 5"},
		{names: "empty",
			want: "empty is a directory without traces: no file below it is called *.trace, *.traces.zst, or like a formula " +
				"(*.cnf, *.wcnf)"},
		{names: "a.traces.zst", want: "a.traces.zst:1 1;a.traces.zst:2 2;a.traces.zst:3 3;a.traces.zst:4 4"},
		{names: "a.traces.zst:2-3", want: "a.traces.zst:2 2;a.traces.zst:3 3"},
		{names: "a.traces.zst:x/3.trace", want: "a.traces.zst:4 4"},
		{names: "a.traces.zst:x/[12].trace", want: "a.traces.zst:2 2;a.traces.zst:3 3"},
		{names: "a.traces.zst:5", want: "a.traces.zst has traces 1 to 4, not 5"},
		{names: "a.traces.zst:0", want: "a.traces.zst has traces 1 to 4, not 0"},
		{names: "a.traces.zst:y", want: `a.traces.zst has no trace named "y" ('ipafuzz archive list a.traces.zst' lists ` +
			`them)`},
		{names: "a.traces.zst:[", want: `the pattern "[": syntax error in pattern`},
		{names: "torn.traces.zst:4", want: "warn torn.traces.zst is torn at byte;torn.traces.zst:4 4"},
		{names: "-", stdin: text(1) + text(2), want: "- 1;-:2 2"},
		{names: "-", stdin: string(whole),
			want: "-: an archive is read from a file ('ipafuzz archive cat FILE' prints its traces)"},
		{names: "-", stdin: "", want: "-:1:1: want ipafuzz 2 MODEL as the first line, got an empty file"},
		{names: "-", stdin: text(1) + "ipafuzz 1 ipamir\nsolv\n", want: "- 1;-:5:1: want a call of ipamir"},
		{names: "f.cnf g.wcnf e", want: "f.cnf 2;g.wcnf 3;e/h.wcnf.gz 3"},
		{names: "-", stdin: "h 3 0\n5 -3 0\n", want: "- 3"},
		{names: "-", stdin: gzipped("h 3 0\n5 -3 0\n"), want: "- 3"},
		{names: "-", stdin: gzipped(text(1) + text(2)), want: "- 1;-:2 2"},
		{names: "-", stdin: gzipped(string(binary)), want: "- 6"},
		{names: "-", stdin: gzipped(text(1))[:25],
			want: "-: the compressed file is damaged, or its end is missing: unexpected EOF"},
		{names: "-", stdin: "BZh91AY", want: "-:1:1: want a whole gzip, xz or zstd file, got an error: bzip2 is not read"},
		{names: "many.trace.gz:2", want: "many.trace.gz:2 2"},
		{names: "none",
			want: "there is no trace file none (give a path, or - for standard input; 'ipafuzz gen' prints traces)"},
	} {
		var got []string
		options := Options{Stdin: strings.NewReader(c.stdin), Everything: c.everything, Warn: func(what string) {
			first, _, _ := strings.Cut(what, " byte")
			got = append(got, "warn "+first+" byte")
		}}
		for item, err := range Read(strings.Fields(c.names), options) {
			if err != nil {
				var source *Error
				var parse *trace.ParseError
				if !errors.As(err, &source) && !errors.As(err, &parse) {
					t.Errorf("%s: the error is a %T, want an *Error or a *trace.ParseError", c.names, err)
				}
				message, _, _ := strings.Cut(err.Error(), " (init")
				got = append(got, message)
				continue
			}
			got = append(got, fmt.Sprint(item.Name, " ", item.Trace.Lits[0]))
			if item.Name[0] == '-' {
				continue
			}
			again, err := One(item.Name, Options{Warn: func(string) {}})
			if err != nil && !strings.HasPrefix(item.Name, "many.trace") || err == nil && !trace.Equal(again.Trace, item.Trace) {
				t.Errorf("One(%q) does not return the same trace: %v", item.Name, err)
			}
		}
		if joined := strings.Join(got, ";"); joined != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.names, joined, c.want)
		}
	}
	if _, err := One("d", Options{}); err == nil ||
		err.Error() != "d holds several traces, want one: name it, such as d/a.trace" {
		t.Errorf("One of a directory with several traces: %v", err)
	}
}

func gzipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(text))
	w.Close()
	return out.String()
}

func must(t *testing.T, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestLabelsLeadNowhereElse(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.trace": "a/b.trace", "/tmp/x.trace": "tmp/x.trace", "../../x.trace": "x.trace", "./x.trace": "x.trace",
		"-": "stdin.trace", "a/../../b": "b",
	} {
		if got := Label(path); got != want || !filepath.IsLocal(got) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
