package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
)

// TestAddingASolver does what docs/adding-a-solver.md says, from the top: it creates the files of blocks
// with a name, runs the lines with a $, and expects the lines below them in the output, in order.
func TestAddingASolver(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and fuzzes the solvers of a page: tens of seconds")
	}
	const page = "../../docs/adding-a-solver.md"
	for _, need := range []string{"cc", "ar", "python3", "minisat", "/usr/include/picosat/picosat.h"} {
		_, err := exec.LookPath(need)
		if strings.HasSuffix(need, ".h") {
			_, err = os.Stat(need)
		}
		if err != nil && os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatalf("%s is not installed: %v", need, err)
		} else if err != nil {
			t.Skipf("%s is not installed ('make setup' does it): %v", need, err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "ipafuzz")); err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), asProgram+"=1", "SRC="+source, "IPAFUZZ_CACHE="+t.TempDir(), "PYTHONDONTWRITEBYTECODE=1",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, block := range regexp.MustCompile("(?ms)^```(\\w+) ?(\\S*)\n(.*?)^```$").FindAllStringSubmatch(string(text),
		-1) {
		kind, name, body := block[1], block[2], block[3]
		if kind != "console" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for _, step := range strings.Split("\n"+body, "\n$ ")[1:] {
			command, want, _ := strings.Cut(strings.TrimSpace(step), "\n")
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir, cmd.Env = dir, env
			printed, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() > exit.Findings {
				t.Fatalf("$ %s\n%v\n%s", command, err, printed)
			}
			if missing := firstNotPrinted(want, string(printed)); missing != "" {
				t.Fatalf("$ %s\ndoes not print, or not in this place:\n%s\nbut\n%s", command, missing, printed)
			}
		}
	}
}

// firstNotPrinted returns the first line of want that the output lacks after the lines before it; "..." in
// a line stands for any text.
func firstNotPrinted(want, printed string) string {
	lines := strings.Split(printed, "\n")
	for line := range strings.SplitSeq(want, "\n") {
		pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(alike(line)), `\.\.\.`, ".*") + "$"
		form := regexp.MustCompile(pattern)
		for alike(line) != "..." {
			if len(lines) == 0 {
				return line
			}
			found := form.MatchString(alike(lines[0]))
			lines = lines[1:]
			if found {
				break
			}
		}
	}
	return ""
}
