package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/export"
)

// notInJava are faults that no exported program shows: they need a callback, or MaxSAT with options.
var notInJava = map[string]bool{
	"sat4j-conflict-timeout": true, "sat4j-incremental": true,
	"sat4j-maxsat-removal": true, "sat4j-current-cutting-planes": true,
}

// TestExportedPrograms: the exported program shows a fault of Sat4j without ipafuzz, or the
// export says why there is no program.
func TestExportedPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Java often: tens of seconds")
	}
	current, err := filepath.Abs(filepath.Join("..", "..", "..", "build", "sat4j-2.3.6"))
	if err != nil {
		t.Fatal(err)
	}
	for release, jars := range map[bool][]string{
		false: {"/usr/share/java/org.ow2.sat4j.core.jar", "/usr/share/java/org.ow2.sat4j.pb.jar",
			"/usr/share/java/org.ow2.sat4j.maxsat.jar"},
		true: {filepath.Join(current, "org.ow2.sat4j.core-2.3.6.jar"), filepath.Join(current, "org.ow2.sat4j.pb-2.3.6.jar"),
			filepath.Join(current, "org.ow2.sat4j.maxsat-2.3.6.jar")},
	} {
		dir := t.TempDir()
		path := strings.Join(jars, string(os.PathListSeparator))
		programs := make(map[string]string) // the class that the program shows, and its library
		for i, f := range faultsFound(t) {
			if !strings.HasPrefix(f.target, "sat4j") || strings.HasSuffix(f.target, "-current") != release {
				continue
			}
			target := open(t, f.target)
			name := fmt.Sprintf("Repro%d", i)
			what := f.file + " " + f.target + " " + string(f.class)
			program, err := exported(t, target, f.file, f.class, "java", name+".java")
			var cannot *export.CannotSayError
			if errors.As(err, &cannot) != notInJava[f.file] || err != nil && cannot == nil {
				t.Errorf("%s: %v", what, err)
			}
			if err != nil {
				continue
			}
			programs[name] = what
			if err := os.WriteFile(filepath.Join(dir, name+".java"), program, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		compile := driver.Command(t, "sh", "-c", "javac -nowarn -cp \"$1\" *.java", "sh", path)
		compile.Dir = dir
		if out, err := compile.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for name, what := range programs {
			run := driver.Command(t, "java", "-ea", "-cp", path+string(os.PathListSeparator)+".", name)
			run.Dir = dir
			out, err := run.CombinedOutput()
			if run.ProcessState == nil || run.ProcessState.ExitCode() != 1 {
				program, _ := os.ReadFile(filepath.Join(dir, name+".java"))
				t.Errorf("%s: %v, and the fault was to be seen\n%s\n%s", what, err, out, program)
			}
		}
		t.Logf("%d programs show their faults", len(programs))
	}
}

// faultsFound are the traces of docs/bugs-found.md, with the targets and the classes that they show.
func faultsFound(t *testing.T) (all []replayed) {
	for _, claim := range suite.Claims(t, "runners") {
		for _, class := range claim.Classes() {
			if claim.IsShown {
				all = append(all, replayed{claim.Trace, claim.Target, oracle.Class(class)})
			}
		}
	}
	return all
}

type replayed struct {
	file, target string
	class        oracle.Class
}

func exported(t *testing.T, target *replay.Target, file string, class oracle.Class,
	language, name string) ([]byte, error) {
	t.Helper()
	key := oracle.Key{Target: target.Name, Class: class}
	if class == oracle.WrongCore {
		key.Detail = "not a core"
	}
	return suite.Export(t, target, suite.Trace(t, file), key, language, name)
}

// TestExportedPythonPrograms does the same for the solvers of PySAT and hermax.
func TestExportedPythonPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python often: seconds")
	}
	classes := map[string]string{ // the solver that the program tests, by target
		"pysat-maplesat": "maplesat", "pysat-lingeling": "lingeling", "hermax-uwrmaxsat": "UWrMaxSAT",
		"hermax-evalmaxsat-incremental": "EvalMaxSATIncremental", "hermax-aperture": "Aperture",
	}
	shown := 0
	for _, f := range faultsFound(t) {
		solver := classes[f.target]
		if solver == "" || f.class == oracle.ProofWrong { // exported programs do not check proofs
			continue
		}
		target := open(t, f.target)
		program, err := exported(t, target, f.file, f.class, "python", "repro.py")
		if err != nil {
			t.Fatalf("%s: %v", f.file, err)
		}
		file := filepath.Join(t.TempDir(), "repro.py")
		if err := os.WriteFile(file, program, 0o644); err != nil {
			t.Fatal(err)
		}
		python := filepath.Join("..", "..", "..", "build", "venv", "bin", "python")
		out, err := driver.Command(t, python, file, solver).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() == 125 {
			t.Errorf("%s: %v, and the fault was to be seen\n%s\n%s", f.file, err, out, program)
		}
		shown++
	}
	if shown < len(classes) {
		t.Errorf("only %d programs were run", shown)
	}
}
