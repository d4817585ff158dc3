package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// broken are mistakes that the test makes in copies of the runners: the text was becomes the text becomes.
var broken = []struct {
	runner, engine, file, was, becomes string
	ours                               string // in the message; "": the exception is the solver's
}{
	{"sat4j", "ipasir", "SatServed.java", "listen();", `Integer.parseInt("abc");`, "NumberFormatException"},
	{"sat4j", "ipasir", "SatServed.java", "listen();", "int[] none = {}; none[0]++;", "ArrayIndexOutOfBoundsException"},
	{"sat4j", "ipasir", "SatServed.java", "listen();", `Class.forName("Nonsense");`, "ClassNotFoundException"},
	{"sat4j", "ipasir", "SatServed.java", "listen();", "solver().addClause(null);", ""},
	{"sat4j", "ipamir", "MaxSatServed.java", "keep(optimiser.model());", "keep(null);", "NullPointerException"},
	{"sat4j", "ipamir", "MaxSatServed.java", "keep(optimiser.model());", "base.addClause(null);", ""},
	{"python", "minisat22", "solvers.py", "        satisfiable = ", "        {}[7]\n        satisfiable = ",
		"KeyError: 7"},
	{"python", "minisat22", "solvers.py", "self.solver.solve(", "self.solver.resolve(", "AttributeError"},
	{"python", "minisat22", "solvers.py", "solve(assumptions=assumptions)", "solve(assumptions=7)", ""},
	{"python", "rc2", "solvers.py", "model = rc2.compute()", "model = int('abc')", "ValueError"},
	{"python", "rc2", "solvers.py", "model = rc2.compute()", "model = rc2.add_clause(7)", ""},
	{"go", "gini", "gini.go", "switch s.g.Solve() {", "switch []int{1}[len(assumptions)] {", "index out of range"},
	{"go", "gini", "gini.go", "switch s.g.Solve() {", "s.g.Value(z.Lit(1 << 30))\n\tswitch s.g.Solve() {", ""},
	{"go", "gophersat-pb", "gophersat.go", "s := gs.New(pb)", "s := gs.New(pb)\n\t_ = strings.Repeat(\"\", -1)",
		"negative Repeat count"},
	{"go", "gophersat-pb", "gophersat.go", "s := gs.New(pb)", "s := gs.New(nil)", ""},
}

// TestBroken: an exception that arises in a runner is an error of ipafuzz, and one that arises in the solver is not.
func TestBroken(t *testing.T) {
	for _, k := range broken {
		t.Run(k.engine+"/"+strings.Fields(k.becomes)[0], func(t *testing.T) {
			dir := t.TempDir()
			command := breaks(t, dir, k.runner, k.file, k.was, k.becomes)
			text := "ipafuzz 1 ipasir\nadd 1 2 0\nassume -1\nsolve\n"
			model := apimodel.IPASIR
			if k.engine == "ipamir" || k.engine == "rc2" || strings.HasPrefix(k.engine, "gophersat") {
				model, text = apimodel.IPAMIR, "ipafuzz 1 ipamir\nhard 1 2 0\nsoft 1 3\nsoft 2 3\nsolve\n"
			}
			tr, err := trace.ParseString(text)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "targets.toml")
			write(t, file, "[targets.broken]\ncommand = [\""+strings.Join(append(command, k.engine), `", "`)+"\"]\n")
			parsed, err := targets.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			target, err := targets.Resolve("broken", model.Name, parsed)
			if err != nil {
				t.Fatal(err)
			}
			run, err := replay.RunOnce(context.Background(), target, suite.Limits, tr)
			var mistake *replay.MistakeError
			switch {
			case k.ours == "" && (err != nil || run.End != trace.Exited):
				t.Errorf("want an exception of the solver, got %v: %+v", err, run)
			case k.ours != "" && (!errors.As(err, &mistake) || !strings.Contains(mistake.Reason, k.ours)):
				t.Errorf("want a mistake with %s, got %v: %+v", k.ours, err, run)
			}
		})
	}
}

// breaks copies a runner, changes it and builds it. It returns the command that runs it.
func breaks(t *testing.T, dir, runner, file, was, becomes string) []string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{"sat4j": "sat4j", "python": "python", "go": "gosolvers"}[runner]
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", sources))); err != nil {
		t.Fatal(err)
	}
	text := read(t, filepath.Join(dir, file))
	if strings.Count(text, was) == 0 {
		t.Fatalf("%s has no %q", file, was)
	}
	write(t, filepath.Join(dir, file), strings.Replace(text, was, becomes, 1))
	switch runner {
	case "python":
		main := filepath.Join(dir, "runner.py")
		write(t, main, strings.Replace(read(t, main), `"../../../bindings/python"`,
			`"`+filepath.Join(root, "bindings", "python")+`"`, 1))
		suite.Open(t, "pysat-minisat22", "python-sat")
		return []string{filepath.Join(root, "build", "venv", "bin", "python"), main}
	case "go":
		suite.Open(t, "gini", "gini")
		build(t, dir, "go", "build", "-o", "solvers", ".")
		return []string{filepath.Join(dir, "solvers")}
	}
	suite.Open(t, "sat4j", "sat4j")
	path := dir + ":/usr/share/java/org.ow2.sat4j.core.jar:/usr/share/java/org.ow2.sat4j.pb.jar:" +
		"/usr/share/java/org.ow2.sat4j.maxsat.jar"
	names, err := filepath.Glob(filepath.Join(dir, "*.java"))
	if err != nil {
		t.Fatal(err)
	}
	build(t, dir, "javac", append([]string{"-d", dir, "-cp", path}, names...)...)
	return []string{"java", "-ea", "-Xmx512m", "-XX:-OmitStackTraceInFastThrow", "-cp", path, "Runner"}
}

func build(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		driver.Skip(t, err.Error())
	}
	made := exec.Command(program, args...)
	made.Dir = dir
	if out, err := made.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStatisticsBeforeSolve: Sat4j's parallel solvers have no statistics before a solve, and throw if they are asked.
func TestStatisticsBeforeSolve(t *testing.T) {
	for _, solver := range []string{"Parallel", "SATUNSAT"} {
		tr, err := trace.ParseString("ipafuzz 1 ipasir\ninit\noption solver " + solver + "\nadd 1 2 0\nhavoc 1\nsolve\n" +
			"havoc 1\nadd 1 0\nhavoc 1\nrelease\n")
		if err != nil {
			t.Fatal(err)
		}
		target := suite.Open(t, "sat4j-current", "Sat4j's current release")
		if found, log := suite.Judge(t, target, tr); len(found) > 0 {
			t.Errorf("%s: %v\n%s", solver, found[0], log)
		}
	}
}
