// Package e2e tests that ipafuzz survives every behaviour of a library in C.
package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// page is the file with the table.
const page = "../../../docs/measured/robustness.md"

// TestHostile runs a campaign on each library. The report must be as expected, and nothing may be left behind:
// no process, no temporary directory, no change of the user's files and processes. IPAFUZZ_UPDATE=1 runs all
// of them and writes the page.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs campaigns: many seconds")
	}
	update := os.Getenv("IPAFUZZ_UPDATE") != ""
	named := strings.Contains(flag.Lookup("test.run").Value.String(), "/")
	rows := new(strings.Builder)
	for _, b := range behaviours {
		if !b.quick && !update && !named {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			if !update {
				t.Parallel() // those that take long wait for a limit
			}
			seen, left := newSuite(t).try(t, b)
			if !slices.Contains(b.wanted, seen) {
				t.Errorf("ipafuzz says %s, want %s", seen, strings.Join(b.wanted, " or "))
			}
			if left != "nothing" {
				t.Errorf("left behind: %s", left)
			}
			if update {
				fmt.Fprintf(rows, "| %s | %s | %s | %s | %s |\n", b.name, b.what, strings.Join(b.wanted, " or "), seen, left)
			}
		})
	}
	if update {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		const head = "|---|---|---|---|---|\n"
		before, rest, ok := strings.Cut(string(text), head)
		if !ok {
			t.Fatalf("%s has no table", page)
		}
		old, after, _ := strings.Cut(rest, "\n\n")
		if named {
			rows = withOthers(rows, old)
		}
		if err := os.WriteFile(page, []byte(before+head+rows.String()+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// withOthers returns a table of the fresh rows and the old rows of all other behaviours.
func withOthers(fresh *strings.Builder, old string) *strings.Builder {
	rows := make(map[string]string)
	for row := range strings.Lines(old + "\n" + fresh.String()) {
		name, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		rows[name] = row
	}
	table := new(strings.Builder)
	for _, b := range behaviours {
		table.WriteString(rows[b.name])
	}
	return table
}

// TestPage: the page lists the behaviours.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range behaviours {
		if !strings.Contains(string(text), "| "+b.name+" | "+b.what+" | ") {
			t.Errorf("%s does not list %s ('make robustness' writes it)", page, b.name)
		}
	}
}

// try runs a campaign on a library. It returns the word for what ipafuzz reports, and lists
// what the library has left behind or changed.
func (s *suite) try(t *testing.T, b behaviour) (seen, left string) {
	library := s.libraryOf(t, b.name)
	if err := os.WriteFile(filepath.Join(s.home, "precious.txt"), []byte(precious), 0o644); err != nil {
		t.Fatal(err)
	}
	const patience = 3 * time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	mark, work, temporary := "IPAFUZZ_HOSTILE="+rand.Text(), t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(ctx, s.program, "fuzz", "--target", library, "--profile", "tiny", "--traces", tracesOf(b),
		"--time", "150s", "--cpu", "400ms", "--wall", "2s", "--memory", "300M", "--output", "1M", "--findings", "1",
		"--seed", "1", "--workers", "1", "--out", filepath.Join(t.TempDir(), "out"), "--json")
	cmd.Dir = work
	cmd.Env = append(append(os.Environ(), s.environment()...), mark, "TMPDIR="+temporary)
	said, told := new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = said, told
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(append(said.Bytes(), told.Bytes()...), "\x1b\x07") {
		t.Errorf("the output holds orders for terminals: %q", told)
	}
	seen = verdict(cmd.ProcessState.ExitCode(), said.Bytes())
	if seen == "odd" {
		t.Errorf("%v\n%s\n%s", cmd.ProcessState, said, told)
	}
	return seen, s.leftBehind(t, mark, work, temporary)
}

// tracesOf returns the number of traces for a behaviour. Few do for most, and a slow library has no time for more.
func tracesOf(b behaviour) string {
	if b.name == "crashes-beside" || b.name == "crashes-idle" { // some milliseconds after a trace
		return "20000"
	}
	return "150"
}

// libraryOf returns the path of the library with that behaviour.
func (s *suite) libraryOf(t *testing.T, name string) string {
	library := filepath.Join(t.TempDir(), "libhostile-"+name+".so")
	text, err := os.ReadFile(s.library)
	if err := errors.Join(err, os.WriteFile(library, text, 0o755)); err != nil {
		t.Fatal(err)
	}
	return library
}

// verdict returns the word for what ipafuzz reports: as in a behaviour, or "odd" for anything else.
func verdict(code int, said []byte) string {
	var summary struct {
		Findings []struct {
			Class string `json:"class"`
		} `json:"findings"`
	}
	err := json.Unmarshal(said, &summary)
	switch {
	case code == 2 && len(said) == 0:
		return "refused"
	case err != nil:
		return "odd"
	case code == 0:
		return "clean"
	case code == 1 && len(summary.Findings) > 0:
		return summary.Findings[0].Class
	case code == 4:
		return "unconfirmed"
	}
	return "odd"
}
