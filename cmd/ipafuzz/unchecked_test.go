package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An uncheckedRow is a target that leaves something unchecked, and what every output says then.
type uncheckedRow struct {
	name   string
	entry  string // of the targets file
	target string // a spec; "": the entry
	file   string // what run and replay are given
	reason string // in JSON and CSV
	says   string // in text
	veripb string // a script that is the only veripb in PATH; "": there is none
	flags  string // of run and replay
	only   string // the commands that can show it; "": all
	slow   bool   // takes so long that each command runs only once
}

const (
	programEntry = "command = [\"python3\", %q, \"MODE\", \"{file}\"]\n"
	provingEntry = "command = [\"python3\", %q, \"full\", \"{file}\", \"{proof}\"]\n" +
		"format = \"cnf\"\nproof = \"veripb\"\nmax-vars = 6\n"
)

func weightedEntry(mode, more string) string {
	return strings.Replace(programEntry, "MODE", mode, 1) + "format = \"wcnf\"\nmax-vars = 6\n" + more
}

// uncheckedRows have a row for each reason and each way to cause it.
var uncheckedRows = []uncheckedRow{
	{name: "no-values", entry: weightedEntry("no-values", ""), file: "small.wcnf", reason: "no-values",
		says: "the target told no values of its solution"},
	{name: "no-cost", entry: weightedEntry("no-cost", ""), file: "small.wcnf", reason: "no-objective",
		says: "the target told no cost of its solution"},
	{name: "unknown", entry: weightedEntry("unknown", "kind = \"incomplete\"\n"), file: "small.wcnf", reason: "gave-up",
		says: "the target gave up"},
	{name: "silent", entry: weightedEntry("silent", "kind = \"anytime\"\n"), file: "small.wcnf", reason: "gave-up",
		says: "the target gave up"},
	{name: "not-taken", entry: weightedEntry("full", "max-var = 1\n"), file: "small.wcnf", reason: "not-taken",
		says: "the target cannot take it", only: "run replay check"},
	{name: "no checker", entry: provingEntry, file: "unsatisfiable.cnf", reason: "no-checker",
		says: "needs the checker veripb, which is not in PATH"},
	{name: "checker dies", entry: provingEntry, file: "unsatisfiable.cnf", reason: "checker-fails",
		says: "the checker veripb failed", veripb: "kill -9 $$"},
	{name: "checker exits 4", entry: provingEntry, file: "unsatisfiable.cnf", reason: "checker-fails",
		says: "the checker veripb failed", veripb: "exit 4", only: "run replay"},
	{name: "checker exits 5", entry: provingEntry, file: "unsatisfiable.cnf", reason: "checker-fails",
		says: "the checker veripb failed", veripb: "exit 5", only: "run replay"},
	{name: "checker hangs", entry: provingEntry, file: "unsatisfiable.cnf", reason: "checker-fails",
		says: "the checker veripb failed", veripb: "exec sleep 60", only: "replay", slow: true},
	{name: "checker of version 1", entry: provingEntry, file: "unsatisfiable.cnf", reason: "checker-fails",
		says: "the checker veripb failed", veripb: "echo Verification succeeded.", only: "run replay"},
	{name: "too-hard", target: "ref", file: "pigeons.wcnf", reason: "too-hard",
		says: "no check decided it within its limits", flags: "--conflicts 1", only: "run replay"},
	{name: "time-limit", target: "ref", file: "more-pigeons.wcnf", reason: "time-limit",
		says: "met a limit on a problem that may be hard", flags: "--cpu 20ms", only: "run replay"},
}

// TestUnchecked checks that each command counts what stays unchecked: it says so in its last line and in each form of
// its results, does not call the target right, and ends with exit code 4, or 1 with --strict.
func TestUnchecked(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal(err)
		}
		t.Skip("python3 is missing")
	}
	script, err := filepath.Abs("testdata/unchecked.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range uncheckedRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.test(t, script)
		})
	}
}

func (row uncheckedRow) test(t *testing.T, script string) {
	c := newBench(t)
	c.write("small.wcnf", "h 1 2 0\n1 -1 0\n1 -2 0\n")
	c.write("unsatisfiable.cnf", "p cnf 1 2\n1 0\n-1 0\n")
	c.write("pigeons.wcnf", pigeonFormula(8))
	c.write("more-pigeons.wcnf", pigeonFormula(12))
	c.path(row.veripb)
	target, model := row.target, "ipamir"
	if row.entry != "" {
		c.write("targets.toml", "[targets.fake]\n"+fmt.Sprintf(row.entry, script))
		target = "fake"
	}
	if strings.HasSuffix(row.file, ".cnf") {
		model = "ipasir"
	}
	to := []string{"--target", target}
	if row.entry != "" {
		to = append(to, "--targets-file", "targets.toml")
	}
	flags := strings.Fields(row.flags)
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, more...), to...)
	}
	can := func(command string) bool {
		return row.only == "" || strings.Contains(" "+row.only+" ", " "+command+" ")
	}
	text, word := regexp.QuoteMeta(row.says), `"`+row.reason+`"`
	for _, command := range []string{"run", "replay"} {
		if can(command) {
			args := append(with(command, row.file), flags...)
			c.doubt(args, text)
			if !row.slow {
				c.doubt(append(args, "--json"), word)
				c.strict(args)
			}
		}
	}
	if can("run") {
		c.doubt(append(append(with("run", row.file), flags...), "--csv", "-"), row.reason)
	}
	if can("fuzz") {
		args := with("fuzz", "--traces", "5", "--seed", "3", "--profile", "tiny", "--model", model, "--workers", "1")
		c.doubt(append(args, "--out", "text"), text)
		c.doubt(append(args, "--out", "json", "--json"), word)
		c.says([]string{"report", "text"}, 0, "")
		page, err := os.ReadFile(filepath.Join(c.dir, "text", "report.html"))
		if err != nil || !bytes.Contains(page, []byte(row.says)) || bytes.Contains(page, []byte("Nothing wrong")) {
			t.Errorf("the report does not say %q: %v", row.says, err)
		}
	}
	if can("minimize") {
		c.doubt(with("minimize", row.file), text)
	}
	if can("check") {
		args := with("check", "--model", model, row.file)
		c.doubt(args, text)
		c.doubt(append(args, "--json"), word)
		c.doubt(append(args, "--junit", "-"), text)
		c.strict(args)
	}
	if row.name == "no-values" { // a case is many runs of a slow program
		args := with("conform", "--model", model, "--case", "solve/optimal")
		c.unclean(args, "(?m)^unchecked ")
		c.unclean(append(args, "--json"), "unchecked")
		c.unclean(append([]string{"targets", "doctor", target}, to[2:]...), "unchecked")
	}
}

// A bench runs ipafuzz in a directory of its own.
type bench struct {
	t    *testing.T
	dir  string
	bins string // the value of PATH
}

func newBench(t *testing.T) *bench { return &bench{t: t, dir: t.TempDir(), bins: os.Getenv("PATH")} }

func (c *bench) write(name, text string) {
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// path makes a PATH that has the script as veripb, or no veripb if it is empty.
func (c *bench) path(veripb string) {
	c.bins = filepath.Join(c.dir, "bin")
	if err := os.Mkdir(c.bins, 0o755); err != nil {
		c.t.Fatal(err)
	}
	scripts := map[string]string{"veripb": veripb}
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		c.t.Fatal(err)
	}
	scripts["python3"] = "exec " + strings.TrimSpace(string(python)) + ` "$@"`
	for _, name := range []string{"sleep", "cc"} {
		path, err := exec.LookPath(name)
		if err != nil {
			c.t.Fatal(err)
		}
		scripts[name] = "exec " + path + ` "$@"`
	}
	for name, script := range scripts {
		if script == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(c.bins, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			c.t.Fatal(err)
		}
	}
}

// run runs ipafuzz and returns what it printed, and its exit code.
func (c *bench) run(args []string) (printed string, code int) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), asProgram+"=1", "PATH="+c.bins, "IPAFUZZ_CACHE="+filepath.Join(c.dir, ".cache"))
	out, err := cmd.CombinedOutput()
	if exited := new(exec.ExitError); errors.As(err, &exited) {
		return string(out), exited.ExitCode()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return string(out), 0
}

var callsRight = regexp.MustCompile(`(?i)nothing (?:is |was )?wrong`)

// says checks the exit code, and that the output matches and does not call the target right.
func (c *bench) says(args []string, code int, want string) {
	c.t.Helper()
	printed, got := c.run(args)
	if got != code || !regexp.MustCompile(want).MatchString(printed) || callsRight.MatchString(printed) {
		c.t.Errorf("%s: exit code %d, want %d and %q\n%s", strings.Join(args, " "), got, code, want, printed)
	}
}

func (c *bench) doubt(args []string, want string) { c.t.Helper(); c.says(args, 4, want) }
func (c *bench) strict(args []string)             { c.t.Helper(); c.says(append(args, "--strict"), 1, "") }

// unclean is says for commands whose cases may also fail.
func (c *bench) unclean(args []string, want string) {
	c.t.Helper()
	printed, got := c.run(args)
	if got != 4 && got != 1 || !regexp.MustCompile(want).MatchString(printed) || callsRight.MatchString(printed) {
		c.t.Errorf("%s: exit code %d, want 4 or 1 and %q\n%s", strings.Join(args, " "), got, want, printed)
	}
}

// pigeonFormula returns a WCNF that is hard to decide: n pigeons do not fit into n-1 holes.
func pigeonFormula(n int) string {
	var text strings.Builder
	in := func(pigeon, hole int) int { return pigeon*(n-1) + hole + 1 }
	for pigeon := range n {
		text.WriteString("h")
		for hole := range n - 1 {
			fmt.Fprintf(&text, " %d", in(pigeon, hole))
		}
		text.WriteString(" 0\n")
		for other := range pigeon {
			for hole := range n - 1 {
				fmt.Fprintf(&text, "h -%d -%d 0\n", in(pigeon, hole), in(other, hole))
			}
		}
	}
	return text.String() + "1 1 0\n"
}

// TestOddOutput checks that a v line without a value of the last variable, and an error on standard output, are
// failures of a program.
func TestOddOutput(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("testdata/unchecked.py")
	if err != nil {
		t.Fatal(err)
	}
	for mode, says := range map[string]string{
		"short": "4.1 wrong status: model too short",
		"error": "4.3 error message: ERROR: the cache is inconsistent",
	} {
		c := newBench(t)
		c.write("small.wcnf", "h 1 2 0\n1 -1 0\n1 -2 0\n")
		c.write("targets.toml", "[targets.fake]\n"+fmt.Sprintf(weightedEntry(mode, ""), script))
		for _, command := range []string{"run", "replay"} {
			c.says([]string{command, "small.wcnf", "--target", "fake", "--targets-file", "targets.toml"}, 1, says)
		}
	}
}

// TestTracesAreShared checks that each target gets its part of --traces, and that one without a trace is named.
func TestTracesAreShared(t *testing.T) {
	t.Parallel()
	c := newBench(t)
	args := []string{"fuzz", "--target", "ref", "--target", "ref:defect=variable-gap", "--seed", "1", "--workers", "1"}
	c.says(append(args, "--traces", "200", "--out", "shared", "--json"), 0,
		`(?s)"target": "ref",[^}]*"traces": 100,.*"target": "ref:defect=variable-gap",[^}]*"traces": 100,`)
	c.says(append(args, "--traces", "1", "--out", "one"), 4,
		`(?m)^No fault was found in ref, ref:defect=variable-gap\. Unchecked: target ref:defect=variable-gap `+
			`\(none of its traces ran\)`)
}
