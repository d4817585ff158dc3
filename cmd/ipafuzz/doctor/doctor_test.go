package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/conform"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
)

// TestOptionsOfIPASIR2: a library of IPASIR-2 is told to list its options there, not to describe them.
func TestOptionsOfIPASIR2(t *testing.T) {
	var c Checkup
	c.notes(&replay.Target{Model: apimodel.IPASIR2, Kind: replay.Library}, new(apimodel.Description))
	for _, r := range c.Results {
		if strings.Contains(r.What, "ipasir2_options") && !strings.Contains(r.Detail, "docs/targets.md") {
			return
		}
	}
	t.Errorf("no advice about ipasir2_options: %+v", c.Results)
}

// TestOneNoteOnOptions: a runner without options hears once that it has none.
func TestOneNoteOnOptions(t *testing.T) {
	var c Checkup
	c.notes(&replay.Target{Model: apimodel.IPASIR, Kind: replay.Pipe},
		&apimodel.Description{Lacks: []string{"options", "terminate"}})
	if len(c.Results) != 2 || !strings.Contains(c.Results[1].What, "options") {
		t.Errorf("%+v", c.Results)
	}
}

// TestLongMessagesAreShort: of what a library wrote before it died, the first lines are enough.
func TestLongMessagesAreShort(t *testing.T) {
	for lines, want := range map[int]string{0: "", 1: "; it wrote: line",
		5:  "; it wrote: line" + strings.Repeat("\nline", 4),
		30: "; it wrote: line" + strings.Repeat("\nline", 3) + "\n... and 26 more lines"} {
		if got := wrote(strings.Repeat("line\n", lines)); got != want {
			t.Errorf("%d lines: %q, want %q", lines, got, want)
		}
	}
}

// TestPage checks that results appear as they come: an interrupted checkup has printed those before.
func TestPage(t *testing.T) {
	target, err := targets.Resolve("ref", "ipasir", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c := Checkup{Target: "ref", Limits: replay.DefaultLimits}
	var out bytes.Buffer
	NewPage(&c, &out)
	each := c.Each
	c.Each = func() {
		if each(); len(c.Results) == 3 {
			cancel()
		}
	}
	if err := c.Examine(ctx, target, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if lines := strings.Count(out.String(), "\nfine "); lines != 2 || len(c.Results) != 3 {
		t.Errorf("%d results were printed as\n%s", len(c.Results), &out)
	}
}

// TestSheetEndsItsLines: no line of a sheet ends with a blank, though the table has empty cells.
func TestSheetEndsItsLines(t *testing.T) {
	sheet := &Sheet{Name: "a", Loads: true, Options: []OptionRow{
		{Name: "short", Kind: "int", Values: "0..1", Default: "0", When: "start"},
		{Name: "documented", Kind: "int", Values: "0..1", Default: "0", When: "anytime", Doc: "what it is"}}}
	var out strings.Builder
	if err := sheet.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("a blank ends %q", line)
		}
	}
	if !strings.Contains(out.String(), "  start\n") || !strings.Contains(out.String(), "  anytime  what it is\n") {
		t.Errorf("the table is\n%s", &out)
	}
}

// TestAdviceOnKeys: a program whose answer does not fit its entry is told which key is wrong, also in a case that
// another target may refuse.
func TestAdviceOnKeys(t *testing.T) {
	for _, c := range conform.Smoke(apimodel.IPASIR) {
		r := &conform.Result{Case: c, Outcome: conform.Fail, Class: string(oracle.WrongStatus),
			Observed: "its status is 20, its exit code 0"}
		if got := programAdvice(r, r.Excuse(), r.Advice()); !strings.Contains(got, `exit-codes = "zero"`) {
			t.Errorf("%s: %s", c.Name, got)
		}
	}
}

// TestAdviceOnPanic: a program that exits with a panic is not told that its dialect or its exit codes are wrong.
func TestAdviceOnPanic(t *testing.T) {
	for detail, want := range map[string]string{
		"panic formula.rs:313": "key unreadable", "uncaught ValueError s.py:3": "key unreadable",
		"exit 1 in solve": "exit-codes",
	} {
		r := &conform.Result{Case: conform.Find("release/in-sat", apimodel.IPASIR), Outcome: conform.Fail, Call: 2,
			Class: string(oracle.OtherExit), Detail: detail}
		if got := programAdvice(r, r.Excuse(), r.Advice()); !strings.Contains(got, want) {
			t.Errorf("%s: %s", detail, got)
		}
	}
}

// TestAdviceOnProtocol: a runner whose solver prints is told so, whatever the case tests.
func TestAdviceOnProtocol(t *testing.T) {
	c := new(Checkup)
	r := &conform.Result{Case: conform.Find("soft/negative", apimodel.IPAMIR), Outcome: conform.Fail, Breach: true,
		Reason: "the runner does not keep to its protocol: to call 8 (solve) it answered \"o 4\""}
	c.failed("soft/negative", r, &replay.Target{Kind: replay.Pipe})
	if got := c.Results[0].Fix; got != protocolRemedy {
		t.Error(got)
	}
}

// TestAdviceOnLimits: a runner that used up its processor time is not told to read about lines.
func TestAdviceOnLimits(t *testing.T) {
	runner := filepath.Join(t.TempDir(), "slow.py")
	program := "import os, sys\nsys.path.insert(0, sys.argv[1])\nimport runner\n" +
		"class Slow(runner.Solver):\n    def solve(self):\n        while len(self.clauses) > 1000:\n            pass\n" +
		"        return super().solve()\nrunner.Solver = Slow\nrunner.main()\n"
	if err := os.WriteFile(runner, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../../examples/python")
	if err != nil {
		t.Fatal(err)
	}
	target := &replay.Target{Name: "slow", Kind: replay.Pipe, Command: []string{"python3", runner, examples},
		Model: apimodel.IPASIR}
	c := &Checkup{Limits: replay.Limits{CPU: time.Second, Wall: time.Minute, Memory: 2 << 30, Output: 1 << 20}}
	if err := c.protocol(target); err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Results {
		if r.What == "the runner takes a large trace and a long line" && strings.Contains(r.Fix, "--cpu") {
			return
		}
	}
	t.Errorf("no advice on --cpu: %+v", c.Results)
}
