package export_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

const satTrace = `ipafuzz 1 ipasir
add 1 2 0
add -1
add 3 0
assume -2
solve = 10
model
assume -1
assume -2
assume 4
solve = 20
core
assume -1
assume -2
assume 4
solve = 20
release
init
add 1 0
add -1 0
solve = 20
`

const maxsatTrace = `ipafuzz 1 ipamir
hard 1 2 0
hard 2 3 0
soft 1 9
soft 2 4
soft 3 2
soft 1 3
assume -3
solve = 30
obj = 4
model
`

func parse(t *testing.T, text string) *trace.Trace {
	t.Helper()
	parsed, err := trace.ParseString(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// failureOf returns the failure that the program of a finding with that key looks for.
func failureOf(key oracle.Key) export.Failure {
	return export.Failure{Class: string(key.Class), Detail: key.Detail}
}

func notedFailure(t *testing.T, tr *trace.Trace) export.Failure {
	t.Helper()
	key, err := trial.KeyIn(tr)
	if err != nil {
		t.Fatal(err)
	}
	return failureOf(key)
}

func programText(t *testing.T, language, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	tr := parse(t, text)
	if err := export.LanguageNamed(language).Write(&b, tr,
		export.Options{Name: name, Failure: notedFailure(t, tr)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// program returns a command that is killed after three minutes, because a program that shows a fault may hang.
func program(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // its children may keep stdout open
	return cmd
}

// exitOf runs a program and returns its exit code.
func exitOf(t *testing.T, dir, name string, args ...string) (int, string) {
	t.Helper()
	c := program(t, name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(out)
}

// wrongly returns the trace with an expectation that contradicts the right answer.
func wrongly(text string) string {
	return strings.NewReplacer("solve = 20\nrelease", "solve = 10\nrelease", "obj = 4", "obj = 3").Replace(text)
}

// scripts returns traces by kind, each with the exit code that its program must have.
func scripts() map[string]map[string]int {
	return map[string]map[string]int{
		"sat":    {satTrace: 0, wrongly(satTrace): 1},
		"maxsat": {maxsatTrace: 0, wrongly(maxsatTrace): 1},
	}
}

// TestPythonPrograms: the Python programs compile and, if their solvers are installed, succeed on right expectations
// and fail on wrong ones.
func TestPythonPrograms(t *testing.T) {
	t.Parallel()
	python, err := filepath.Abs(filepath.Join("..", "..", "build", "venv", "bin", "python")) // 'make setup' makes it
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatal(err)
		}
		python = "python3"
	}
	if _, err := exec.LookPath(python); err != nil {
		t.Log("there is no python3: the programs are only written")
		return
	}
	for name, module := range map[string]string{"sat": "pysat.solvers", "maxsat": "hermax.incremental"} {
		installed := exec.Command(python, "-c", "import "+module).Run() == nil
		if !installed && os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Errorf("%s is not installed", module)
		}
		t.Logf("%s is installed: %v", module, installed)
		for text, want := range scripts()[name] {
			dir := t.TempDir()
			file := filepath.Join(dir, "repro.py")
			if err := os.WriteFile(file, programText(t, "python", "repro.py", text), 0o644); err != nil {
				t.Fatal(err)
			}
			command(t, dir, python, "-m", "py_compile", file)
			if !installed {
				want = 125
			}
			if code, out := exitOf(t, dir, python, file); code != want {
				written, _ := os.ReadFile(file)
				t.Errorf("%s: exit code %d, want %d\n%s\n%s", name, code, want, out, written)
			}
		}
	}
}

const sat4jJars = "/usr/share/java/org.ow2.sat4j.core.jar:/usr/share/java/org.ow2.sat4j.pb.jar:" +
	"/usr/share/java/org.ow2.sat4j.maxsat.jar"

// TestJavaPrograms: the Java programs compile, and succeed on right expectations and fail on wrong ones, if a compiler
// and Sat4j are installed.
func TestJavaPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and starts Java four times: many seconds")
	}
	t.Parallel()
	_, err := exec.LookPath("javac")
	_, missing := os.Stat(strings.Split(sat4jJars, ":")[0])
	if err != nil || missing != nil {
		if os.Getenv("IPAFUZZ_NO_SKIP") != "" {
			t.Fatalf("there is no javac (%v) or no Sat4j (%v)", err, missing)
		}
		t.Logf("there is no javac (%v) or no Sat4j (%v): the programs are only written", err, missing)
	}
	for name, texts := range scripts() {
		for text, want := range texts {
			dir := t.TempDir()
			written := programText(t, "java", "my-repro.java", text)
			if err := os.WriteFile(filepath.Join(dir, "my_repro.java"), written, 0o644); err != nil {
				t.Fatal(err)
			}
			if err != nil || missing != nil {
				continue
			}
			command(t, dir, "javac", "-cp", sat4jJars, "my_repro.java")
			if code, out := exitOf(t, dir, "java", "-ea", "-cp", sat4jJars+":.", "my_repro"); code != want {
				t.Errorf("%s: exit code %d, want %d\n%s\n%s", name, code, want, out, written)
			}
		}
	}
}

// TestEveryClass: every class has a C program that names the fault, or an error that says why C cannot express it.
func TestEveryClass(t *testing.T) {
	t.Parallel()
	cannot := map[oracle.Class]bool{oracle.WrongState: true, oracle.ModelTooBig: true, oracle.OddVerifier: true,
		oracle.ParserIssue: true, oracle.Trespass: true, oracle.ProofUnusable: true, oracle.ProofWrong: true,
		oracle.ProofOfOther: true}
	for _, info := range oracle.Classes {
		finding := oracle.Finding{Class: info.Class, Weight: oracle.SmallWeights, Detail: "detail"}
		if info.Class == oracle.InstancesMix {
			finding.Detail = "with other instances only: 2.6 model falsifies"
		}
		if info.Class == oracle.FailedAllocation {
			finding.Detail = "then: 2.6 hard clause"
		}
		text := "ipafuzz 1 ipamir\n# finding: " + finding.Key("pipe:a b 2.x").String() +
			"\nhard 1 0\nsoft 1 1\nterminate 1\nsolve\nobj = 1\nmodel\nterminate off\nsolve = 30\nobj = 1\nval 1\n"
		var b bytes.Buffer
		tr := parse(t, text)
		err := export.LanguageNamed("c").Write(&b, tr, export.Options{Failure: notedFailure(t, tr)})
		if info.Class == oracle.WrongCore || info.Class == oracle.LearnedNotImplied || info.Class == oracle.LearnedTooLong {
			continue // only IPASIR has these calls
		}
		var saying *export.CannotSayError
		if cannot[info.Class] != errors.As(err, &saying) || err != nil && saying == nil {
			t.Errorf("%s: %v", info.Class, err)
		} else if err == nil && !strings.Contains(b.String(), "Fault: "+string(info.Class)) {
			t.Errorf("%s: the program does not name its fault", info.Class)
		}
	}
}

// TestCannotSay: the error says what a language cannot express.
func TestCannotSay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"c", "ipafuzz 1 ipamir\nhard 1 0\n", "does not say what is right"},
		{"python", "ipafuzz 1 ipamir\nhard 1 0\nterminate 3\nsolve = 30\n", "call 2 (terminate 3)"},
		{"java", "ipafuzz 1 ipamir\nhard 1 0\nsolve = 30\nsolve = 30\n", "call 3 (solve)"},
		{"java", "ipafuzz 1 ipamir\noption solver Light\nhard 1 0\nsolve = 30\n", "call 1 (option solver Light)"},
		{"java", "ipafuzz 1 ipasir\noption prime true\nadd 1 0\nsolve = 10\n",
			"option prime: the program has no words for it"},
		{"java", "ipafuzz 1 ipasir\noption order X());System.exit(0);//\nadd 1 0\nsolve = 10\n", "not a value of Sat4j"},
		{"java", "ipafuzz 1 ipasir\nadd 1 0\noption solver Light\nsolve = 10\n",
			"the options of a solver come before everything else"},
		{"c", "ipafuzz 1 ipasir+enumerate\nadd 1 0\nenumerate 9\n", "call 2 is enumerate"},
		{"c", "ipafuzz 1 ipasir+cadical\nadd 1 0\nconstrain -1 0\nsolve = 20\nconstraint-failed = 1\n",
			"call 4 is constraint-failed"},
		{"c", "ipafuzz 1 ipasir+cadical\n# finding: x 5.3 not a core\nadd 1 0\nassume 2\nconstrain -1 0\nsolve = 20\n" +
			"core\n", "a fault of class 5.3"},
		{"python", "ipafuzz 1 ipasir+cadical\nadd 1 0\nfreeze 1\n", "call 2 is freeze"},
		{"java", "ipafuzz 1 ipamir\nsoft 1 99999999999\nsolve = 30\n", "call 1 (soft 1 99999999999)"},
	} {
		tr := parse(t, c.text)
		err := export.LanguageNamed(c.language).Write(new(bytes.Buffer), tr, export.Options{Failure: notedFailure(t, tr)})
		var cannot *export.CannotSayError
		if !errors.As(err, &cannot) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.language, err, c.want)
		}
	}
}

// TestTextsStayTexts: names, notes and options cannot break out of comments and strings, so the program compiles.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	text := "ipafuzz 1 ipamir\n# finding: a*/\"\\ 2.1 S x*/??/ \"\\\noption na*/me\" val\\ue??/\nhard 1 0\nsoft 1 1\n" +
		"solve = 30\nobj = 1\n"
	for language, compiler := range map[string][]string{"c": {"cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c"},
		"c++": {"c++", "-Wall", "-Wextra", "-Werror", "-c"}} {
		l := export.LanguageNamed(language)
		var b bytes.Buffer
		tr := parse(t, text)
		if err := l.Write(&b, tr, export.Options{Name: "a*/b", Failure: notedFailure(t, tr), Target: "*/",
			Build: "cc */ $(x)"}); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x"+l.Suffix), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		command(t, dir, compiler[0], append(compiler[1:], "x"+l.Suffix)...)
	}
}
