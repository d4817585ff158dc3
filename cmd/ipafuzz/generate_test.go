package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestFindingsAreMadeAgain checks that the command stored with a finding makes its original trace again,
// including the header, for every choice of traces.
func TestFindingsAreMadeAgain(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs campaigns")
	}
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, dir string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Args[0], cmd.Dir = program, dir
		cmd.Env = append(os.Environ(), asProgram+"=1")
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code > exit.Findings {
			t.Fatalf("%v: %v\n%s", args, err, err.(*exec.ExitError).Stderr)
		}
		return out
	}
	for _, choice := range []string{
		"",
		"--profile weights",
		"--profile mixed --avoid havoc,options",
		"--profile small --family cores --max-vars 9",
		"--family planted --max-vars 12 --max-calls 90",
		"--profile small --schedule free --max-weight 1000 --max-sum 5000",
		"--plant seed.trace --profile small",
	} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "seed.trace"),
				[]byte("ipafuzz 1 ipamir\nhard 1 2 -3 0\nhard -1 3 0\nsoft 2 5\nsolve\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, dir, append(strings.Fields("fuzz --target ref:defect=counts-false-softs --model ipamir --seed 5 --findings "+
				"2 --traces 500 --workers 1 --out out"), strings.Fields(choice)...)...)
			found, _ := filepath.Glob(filepath.Join(dir, "out/findings/*/finding.json"))
			if len(found) == 0 {
				t.Fatal("nothing was found")
			}
			for _, path := range found {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				var finding struct {
					Generate string
					MetIn    string `json:"met_while_reducing"`
				}
				if err := json.Unmarshal(text, &finding); err != nil {
					t.Fatal(err)
				}
				if finding.MetIn != "" {
					continue // no generated trace showed it
				}
				original, err := os.ReadFile(filepath.Join(filepath.Dir(path), "original.trace"))
				if err != nil {
					t.Fatal(err)
				}
				want, err := trace.Parse(bytes.NewReader(original), path)
				if err != nil {
					t.Fatal(err)
				}
				again := slices.IndexFunc(want.Notes, func(note string) bool {
					return strings.HasPrefix(note, "again: ipafuzz gen ")
				})
				if again < 0 {
					t.Fatalf("the header does not say how the trace is made again:\n%s", original)
				}
				command := strings.TrimPrefix(want.Notes[again], "again: ipafuzz ")
				if !strings.HasSuffix(finding.Generate, " "+command) {
					t.Errorf("the header says %q, the finding %q", command, finding.Generate)
				}
				want.Notes = slices.Delete(want.Notes, again, again+1)
				if made := run(t, dir, strings.Fields(command)...); string(made) != want.String() {
					t.Errorf("%s makes\n%s, the original is\n%s", command, made, want)
				}
			}
		})
	}
}
