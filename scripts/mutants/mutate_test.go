package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMutantsOf(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"    if (val (lit) < 0)",
			"relation: if (val (lit) <= 0); condition: if (!(val (lit) < 0)); sign: if (val (-lit) < 0)"},
		{"  while (a && b) {", "connective: while (a || b) {"},
		{"  int n = size - 1;", "off by one: int n = size + 1;"},
		{"  return true;", "truth: return false;"},
		{"  {\n  trail.push_back (-lit);", "sign: trail.push_back (lit);; deletion: ;"},
		{"  {\n  v.level = lit_level;", "deletion: ;"},
		{"  if (x)\n    continue;", "condition: if (!(x)); jump: ;"},
		{"  foo (a,\n  bar (b));", ""}, // no statement begins in the second line
		{"  std::vector<int> x;", ""},
		{"  LOG (\"a < b\");", ""},
		{"  // if (a < b)", ""},
		{"  assert (a == b);", ""},
		{"  x = y; // a < b", ""},
	} {
		var got []string
		for _, m := range mutantsOf("a.cpp", strings.Split(c.lines, "\n")) {
			got = append(got, m.Operator+": "+strings.TrimSpace(m.Is))
		}
		if joined := strings.Join(got, "; "); joined != c.want {
			t.Errorf("mutants of\n%s\nare %q, want %q", c.lines, joined, c.want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	source, mutated := filepath.Join(dir, "a.cpp"), filepath.Join(dir, "b.cpp")
	if err := os.WriteFile(source, []byte("x\n  return true;\ny\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, err := mutants(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("mutants %v, error %v", list, err)
	}
	if err := list[0].write(dir, mutated); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(mutated); string(text) != "x\n  return false;\ny\n" {
		t.Errorf("the mutant is %q", text)
	}
	list[0].Was = "something else"
	if list[0].write(dir, mutated) == nil {
		t.Error("a mutant of another release was written")
	}
}

// TestPage: the page has the table of the ledger. IPAFUZZ_UPDATE=1 writes it.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	all, err := readLedger()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("IPAFUZZ_UPDATE") != "" {
		if err := all.writePage(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), begin+"\n"+all.table()+"\n"+end) {
		t.Errorf("%s does not have the table of %s; run again with IPAFUZZ_UPDATE=1", page, ledgerFile)
	}
}
