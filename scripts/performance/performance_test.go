package main

import (
	"os"
	"strings"
	"testing"
)

const example = `text

<!-- measured ways
run: go test
rows: BenchmarkWays/
columns: ratio>=0.9 us<=20 rest
-->
old
<!-- end -->
more
<!-- measured table
run: go test
block: DEFECT
-->
<!-- end -->
`

const output = `

DEFECT  MODEL
1 a     ipasir
goos: linux
BenchmarkWays/ipasir-2    	1	 0.8512 ratio	 12.34 us	1234.5 rest
BenchmarkWays/ipamir-2    	1	 0.95 ratio	 21 us
BenchmarkOther-2    	1	 1 ratio
PASS
`

// TestShow checks that a section shows its benchmarks and misses of bars, and that the rest
// of the page stays.
func TestShow(t *testing.T) {
	parts, err := parse(example)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	for i := range parts {
		p := &parts[i]
		if p.name != "" {
			if p.body, err = p.show(measured{output, "today"}); err != nil {
				t.Fatal(err)
			}
		}
		p.write(&page)
	}
	want := strings.Replace(example, "old\n", `
| today | ratio | us | rest |
|---|--:|--:|--:|
| bar | ≥ 0.90 | ≤ 20 | |
| ipasir | **0.85** | 12.3 | 1234 |
| ipamir | 0.95 | **21** | – |

`, 1)
	want = strings.Replace(want, "DEFECT\n-->\n", "DEFECT\n-->\n\n~~~\nDEFECT  MODEL\n1 a     ipasir\n~~~\n\n", 1)
	if page.String() != want {
		t.Errorf("the page is\n%s\nnot\n%s", page.String(), want)
	}
}

// TestBadSections checks that mistakes in a page are found.
func TestBadSections(t *testing.T) {
	for _, text := range []string{
		"<!-- measured a\nrun: x\nrows: y\n-->\n",
		"<!-- measured a\nrows: y\n-->\n<!-- end -->\n",
		"<!-- measured a\nrun: x\n-->\n<!-- end -->\n",
		"<!-- measured a\nrun: x\nrows: y\ncolumns: z<=a\n-->\n<!-- end -->\n",
		"<!-- measured a\nrun: x\nrow: y\n-->\n<!-- end -->\n",
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
	if _, err := (&part{rows: "BenchmarkNone"}).show(measured{output: output}); err == nil {
		t.Error("a section without benchmarks is shown")
	}
}

// TestFrom checks that a file without its first line is refused.
func TestFrom(t *testing.T) {
	dir, p := t.TempDir(), &part{name: "ways"}
	for head, right := range map[string]bool{"2026-11-27, 2 processors": true, "goos: linux": false, "": false} {
		if err := os.WriteFile(dir+"/ways.txt", []byte(head+"\n"+output), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := measure(p, dir)
		if (err == nil) != right || right && (m.where != head || m.output != output) {
			t.Errorf("%q: %v, %v", head, m, err)
		}
	}
}

// TestPages checks that the pages can be read.
func TestPages(t *testing.T) {
	for _, page := range pages {
		text, err := os.ReadFile("../../" + page)
		if err != nil {
			t.Fatal(err)
		}
		if parts, err := parse(string(text)); err != nil || len(parts) < 3 {
			t.Errorf("%s: %d parts: %v", page, len(parts), err)
		}
	}
}
