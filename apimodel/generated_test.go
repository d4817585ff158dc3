package apimodel

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	for _, page := range Pages() {
		onDisk, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(page.Path)))
		if err != nil || !bytes.Equal(onDisk, page.Text) {
			t.Errorf("%s is stale; run: go generate ./apimodel", page.Path)
		}
	}
}

// TestCHeaderTables: the C header compiles without warnings, and its tables agree with the models.
func TestCHeaderTables(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil && os.Getenv("IPAFUZZ_NO_SKIP") != "" {
		t.Fatal("cc is not installed")
	} else if err != nil {
		t.Skip("cc is not installed ('make setup' does it)")
	}
	dir := t.TempDir()
	program := `#include "opcodes.h"
#include <stdio.h>
int main (void) {
  for (int m = 0; m <= IPAFUZZ_NUM_MODELS; m++)
    for (int op = 0; op < IPAFUZZ_NUM_OPS; op++) {
      printf ("%d %d %d", m, op, ipafuzz_legal[m][op]);
      for (int c = 0; c < IPAFUZZ_NUM_CONDITIONS; c++)
        printf (" %d", ipafuzz_then[m][op][c]);
      printf ("\n");
    }
  return 0;
}
`
	empty := "#include \"opcodes.h\"\nint main (void) { return 0; }\n" // unused tables must not cause warnings
	for name, text := range map[string]string{"opcodes.h": string(CHeader()), "tables.c": program, "empty.c": empty} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	flags := []string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"}
	run(cc, append(flags, "-o", "empty", "empty.c")...)
	run(cc, append(flags, "-o", "tables", "tables.c")...)

	var want strings.Builder
	for id := range lastID() + 1 {
		for op := range NumOps {
			fprintRow(&want, id, op)
		}
	}
	if got := run(filepath.Join(dir, "tables")); got != want.String() {
		t.Errorf("the C tables hold\n%s\nwant\n%s", got, want.String())
	}
}

// fprintRow prints the row that the C tables should have. It uses Leads, which the generator does not use.
func fprintRow(b *strings.Builder, id uint32, op Op) {
	row := []any{id, op}
	m := ByID(id)
	if m == nil || m.Call(op) == nil {
		row = append(row, 0)
		for range conditionNames {
			row = append(row, 0) // unused, because the call is not legal
		}
	} else {
		call := m.Call(op)
		row = append(row, uint16(call.Legal))
		always, _ := call.Leads(numStates, Always)
		plain := len(call.Steps) == 0 || call.Steps[0].When == Always
		for c := range conditionNames {
			then, ok := call.Leads(numStates, Condition(c))
			switch {
			case plain && c == 0 && always == numStates:
				row = append(row, 0xfe)
			case plain && c == 0:
				row = append(row, int(always))
			case plain || !ok:
				row = append(row, 0xff)
			default:
				row = append(row, int(then))
			}
		}
	}
	for i, value := range row {
		if i > 0 {
			b.WriteByte(' ')
		}
		text, _ := json.Marshal(value)
		b.Write(text)
	}
	b.WriteByte('\n')
}

func TestDot(t *testing.T) {
	for _, m := range Models() {
		dot := m.Dot()
		seen := make(map[string]bool)
		for line := range strings.Lines(dot) {
			arrow, _, isArrow := strings.Cut(line, " [label=")
			if isArrow && strings.Contains(arrow, "->") {
				if seen[arrow] {
					t.Errorf("%s: two arrows %s", m.Name, arrow)
				}
				seen[arrow] = true
			}
		}
		for _, transition := range m.Transitions() {
			if arrow := "  " + transition.From.String() + " -> " + transition.To.String(); !seen[arrow] {
				t.Errorf("%s: no arrow %s", m.Name, arrow)
			}
		}
		if graphviz, err := exec.LookPath("dot"); err == nil {
			cmd := exec.Command(graphviz, "-Tsvg", "-o", os.DevNull)
			cmd.Stdin = strings.NewReader(dot)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: dot: %v\n%s", m.Name, err, out)
			}
		}
	}
}

func TestMarkdownTables(t *testing.T) {
	for _, m := range Models() {
		columns := 0
		for line := range strings.Lines(m.Markdown()) {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns != 0 && n != columns {
				t.Errorf("%s: a row with %d bars in a table with %d: %s", m.Name, n, columns, line)
			}
			columns = n
		}
		for _, call := range m.Calls {
			if !strings.Contains(m.Markdown(), call.Doc) {
				t.Errorf("%s: the page lacks the contract of %s", m.Name, call.Name)
			}
		}
	}
}

func TestPolicies(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range Policies() {
		if seen[p.Name] || p.Accepts(p.Default) != nil || p.Sentence == "" || p.Doc == "" {
			t.Errorf("policy %s: named twice, a default that is not a value, or no documentation", p.Name)
		}
		seen[p.Name] = true
		for _, value := range p.Values {
			if !strings.Contains(p.Doc, value) {
				t.Errorf("policy %s: the documentation does not explain %s", p.Name, value)
			}
			if err := CheckPolicy(p.Name, value); err != nil {
				t.Error(err)
			}
		}
		if PolicyNamed(p.Name).Name != p.Name {
			t.Errorf("policy %s is not found", p.Name)
		}
	}
	if PolicyNamed("none") != nil {
		t.Error("a policy that does not exist is found")
	}
}
