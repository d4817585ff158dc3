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

const readme = "../../README.md"

// differing matches what differs between runs, with what replaces it when the README is compared.
var differing = []struct {
	what    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`No new trace ran for .*\n`), ""}, // a busy machine
	{regexp.MustCompile(`\S*/ipafuzz-out`), "ipafuzz-out"},
	{regexp.MustCompile(`go run \./cmd/ipafuzz`), "ipafuzz"},
	{regexp.MustCompile(` {2,}`), " "},
	{regexp.MustCompile(`# \d+(\.\d+)?(ns|us|ms|s)\b`), "# TIME"},
	{regexp.MustCompile(`\b\d+\.\d s\b`), "TIME"},
	{regexp.MustCompile(`[\d,]+ traces/s, \d+%`), "RATE"},
}

func alike(text string) string {
	for _, d := range differing {
		text = d.what.ReplaceAllString(text, d.instead)
	}
	return strings.TrimSpace(text)
}

// TestReadme checks that a first run prints what the README shows. IPAFUZZ_UPDATE_README=1 writes the
// output into the README.
func TestReadme(t *testing.T) {
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "fuzz")
	cmd.Args[0] = "ipafuzz"
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var said strings.Builder
	cmd.Stderr = &said
	printed, err := cmd.Output()
	if cmd.ProcessState.ExitCode() != exit.Findings {
		t.Fatalf("the demonstration: %v\n%s", err, said.String())
	}
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), "\n```\n")
	block, after, closed := strings.Cut(rest, "\n```\n")
	if !found || !closed {
		t.Fatal("the README has no block of what is printed")
	}
	if alike(block) == alike(string(printed)) {
		return
	}
	if os.Getenv("IPAFUZZ_UPDATE_README") == "" {
		t.Fatalf("the README shows other than what is printed (IPAFUZZ_UPDATE_README=1 mends it):\n%s", printed)
	}
	text := strings.ReplaceAll(string(printed), cmd.Dir+"/", "")
	text = strings.ReplaceAll(text, "ipafuzz replay ", "go run ./cmd/ipafuzz replay ")
	text = strings.ReplaceAll(text, "ipafuzz fuzz ", "go run ./cmd/ipafuzz fuzz ")
	mended := before + "\n```\n" + strings.TrimSpace(text) + "\n```\n" + after
	if err := os.WriteFile(readme, []byte(mended), 0o644); err != nil {
		t.Fatal(err)
	}
}
