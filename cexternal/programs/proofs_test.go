package programs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/internal/driver"
	"github.com/ipafuzz/ipafuzz/cexternal/ref"
	"github.com/ipafuzz/ipafuzz/gen"
	"github.com/ipafuzz/ipafuzz/internal/testseed"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/format"
)

// With this variable the test program is a solver. The variable names the format of the proof that it writes,
// and a defect.
const solverVariable = "IPAFUZZ_TEST_PROOF"

func TestMain(m *testing.M) {
	if settings := os.Getenv(solverVariable); settings != "" {
		kind, defect, _ := strings.Cut(settings, ":")
		formula, proof := os.Args[len(os.Args)-2], os.Args[len(os.Args)-1]
		if kind == "cost" {
			os.Exit(optimise(defect, formula, proof))
		}
		os.Exit(solve(kind, defect, formula, proof))
	}
	os.Exit(m.Run())
}

// A defect alters the lines of a proof in LRAT, or the file that is written from them.
type defect struct {
	name, format string
	class        oracle.Class
	lines        func(lemmas []string, clauses [][]int32) []string
	text         func(text []byte) []byte // nil: no file
}

func same(text []byte) []byte { return text }

// cut returns a function that keeps a part of the text.
func cut(part func(length int) int) func([]byte) []byte {
	return func(text []byte) []byte { return text[:part(len(text))] }
}

// perLine returns a function that changes the first line to which change applies.
func perLine(change func(fields []string) string) func([]string, [][]int32) []string {
	return func(lines []string, _ [][]int32) []string {
		for i, line := range lines {
			if changed := change(strings.Fields(line)); changed != "" && !strings.Contains(line, " d ") {
				lines[i] = changed
				return lines
			}
		}
		return lines
	}
}

func without(number int) func([]string, [][]int32) []string {
	return func(lines []string, _ [][]int32) []string {
		if number < 0 {
			number += len(lines)
		}
		return append(append([]string(nil), lines[:number]...), lines[number+1:]...)
	}
}

func replaceFirst(old, new string) func([]byte) []byte {
	return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(new), 1) }
}

func before(line string) func([]byte) []byte {
	return func(text []byte) []byte { return append([]byte(line), text...) }
}

var defects = []defect{
	{"no proof", "drat", oracle.ProofUnusable, nil, func([]byte) []byte { return nil }},
	{"empty proof", "lrat", oracle.ProofUnusable, nil, func([]byte) []byte { return []byte{} }},
	{"cut within a line", "lrat", oracle.ProofUnusable, nil, cut(func(n int) int { return n - 3 })},
	{"no empty clause", "lrat", oracle.ProofUnusable, without(-1), same},
	{"a word", "frat", oracle.ProofUnusable, nil, before("hello\n")},
	{"another format", "lrat", oracle.ProofUnusable, nil, before("1 0\n")},
	{"an id twice", "lrat", oracle.ProofUnusable,
		func(lines []string, _ [][]int32) []string { return append(lines[:1:1], lines...) }, same},
	{"an early deletion", "lrat", oracle.ProofWrong, func(lines []string, _ [][]int32) []string {
		hints := strings.Fields(lines[len(lines)-1]) // the step of the empty clause: ID 0 HINT ... 0
		return append([]string{"1 d " + hints[2] + " 0"}, lines...)
	}, same},
	{"a missing hint", "lrat", oracle.ProofWrong, perLine(func(f []string) string {
		return strings.Join(append(f[:len(f)-2:len(f)-2], "0"), " ")
	}), same},
	{"a hint to a later clause", "lrat", oracle.ProofWrong, perLine(func(f []string) string {
		f[len(f)-2] = "999999"
		return strings.Join(f, " ")
	}), same},
	{"the empty clause at once", "lrat", oracle.ProofWrong, func(lines []string, clauses [][]int32) []string {
		return []string{fmt.Sprintf("%d 0 1 0", len(clauses)+1)}
	}, same},
	{"another formula", "frat", oracle.ProofOfOther, nil, replaceFirst("o 1 ", "o 1 77 ")},
	{"the wrong assumption", "frat", oracle.ProofOfOther, func(lines []string, clauses [][]int32) []string {
		for i, lit := range clauses[len(clauses)-1] {
			clauses[len(clauses)-1][i] = -lit
		}
		return lines
	}, same},
	{"a deletion of another clause", "frat", oracle.ProofWrong, nil,
		func(text []byte) []byte { return append(text, "d 1 99 0\n"...) }},
}

func defectNamed(name string) defect {
	for _, d := range defects {
		if d.name == name {
			return d
		}
	}
	return defect{text: same}
}

// solve is a solver: it prints its answer and writes a proof.
func solve(kind, name, formula, file string) int {
	in, err := os.Open(formula)
	if err != nil {
		return 3
	}
	t, err := format.Read(in, formula, format.CNF, trace.Limits{})
	if err != nil {
		return 3
	}
	clauses, flat := [][]int32{}, []int32{}
	for clause := range format.Solves(t)[0].Hard {
		clauses = append(clauses, append([]int32(nil), clause...))
		flat = append(append(flat, clause...), 0)
	}
	prover := ref.NewProver()
	defer prover.Close()
	result, err := prover.Solve(flat, 1<<40)
	if err != nil {
		return 3
	}
	if result.Status == 10 {
		fmt.Println("s SATISFIABLE\nv", strings.Trim(fmt.Sprint(result.Model), "[]"), "0")
		return 10
	}
	d := defectNamed(name)
	lines := strings.Split(strings.TrimSpace(string(result.Proof)), "\n")
	if d.lines != nil {
		lines = d.lines(lines, clauses)
	}
	if text := d.text(render(kind, clauses, lines)); text != nil {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return 3
		}
	}
	fmt.Println("s UNSATISFIABLE")
	return 20
}

// render writes LRAT in another format.
func render(kind string, clauses [][]int32, lines []string) []byte {
	var out bytes.Buffer
	live := map[string]string{}
	if kind == "frat" {
		for i, clause := range clauses {
			text := strings.Trim(fmt.Sprint(append(clause[:len(clause):len(clause)], 0)), "[]")
			live[fmt.Sprint(i+1)] = text
			fmt.Fprintf(&out, "o %d %s\n", i+1, text)
		}
	}
	if kind == "veripb" {
		fmt.Fprintf(&out, "pseudo-Boolean proof version 3.0\nf %d ;\n", len(clauses))
	}
	for _, line := range lines {
		f := strings.Fields(line)
		isDeletion := len(f) > 1 && f[1] == "d"
		switch {
		case kind == "lrat":
			fmt.Fprintln(&out, line)
		case kind == "frat" && isDeletion:
			for _, id := range f[2 : len(f)-1] {
				fmt.Fprintf(&out, "d %s %s\n", id, live[id])
			}
		case !isDeletion:
			lits, hints, _ := strings.Cut(strings.TrimPrefix(line, f[0])+" ", " 0 ")
			lits = strings.TrimSpace(lits + " 0")
			if kind == "veripb" {
				fmt.Fprintln(&out, "rup", sumOf(strings.TrimSuffix(lits, "0")), ">= 1 ;")
				continue
			}
			if kind == "drat" {
				fmt.Fprintln(&out, lits)
				continue
			}
			live[f[0]] = lits
			fmt.Fprintf(&out, "a %s %s l %s\n", f[0], lits, hints)
		}
	}
	if kind == "veripb" {
		fmt.Fprint(&out, conclusion("UNSAT"))
	}
	return append([]byte{}, out.Bytes()...) // not nil: an empty file is a proof, too
}

// TestProofs runs our own solver as a program that writes proofs. Right proofs have no finding, and each
// planted defect has a finding of its class.
func TestProofs(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	traces := uint64(60)
	if testing.Short() {
		traces = 15
	}
	for _, kind := range trace.ProofFormats {
		t.Run(kind, func(t *testing.T) {
			class, after, proofs := firstFinding(t, prover(self, kind, ""), traces)
			if class != "" || proofs == 0 {
				t.Errorf("trace %d: class %s, %d proofs", after, class, proofs)
			}
		})
	}
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			class, after, _ := firstFinding(t, prover(self, d.format, d.name), 2000)
			t.Logf("class %s in trace %d", class, after)
			if class != d.class {
				t.Errorf("class %q, not %s", class, d.class)
			}
		})
	}
}

// TestProofsOfSolvers: the checkers accept what CaDiCaL and CryptoMiniSat write.
func TestProofsOfSolvers(t *testing.T) {
	for _, test := range []struct{ program, entry string }{
		{"cadical", `command = ["cadical", "-q", "{file}", "{proof}"]` + "\nformat = \"cnf\"\nproof = \"drat\"\n"},
		{"cryptominisat5", `command = ["cryptominisat5", "--verb", "0", "{file}", "{proof}"]` +
			"\nformat = \"cnf\"\nproof = \"frat\"\n"},
	} {
		t.Run(test.program, func(t *testing.T) {
			if _, err := exec.LookPath(test.program); err != nil {
				driver.Skip(t, test.program+" is not installed")
			}
			traces := uint64(40)
			if testing.Short() {
				traces = 10
			}
			class, after, proofs := firstFinding(t, test.entry, traces)
			if class != "" || proofs == 0 {
				t.Errorf("trace %d: class %s, %d proofs", after, class, proofs)
			}
		})
	}
}

// prover is our own solver as a program.
func prover(self, kind, defect string) string {
	return fmt.Sprintf("command = [\"env\", %q, %q, \"{file}\", \"{proof}\"]\nformat = \"cnf\"\nproof = %q\n",
		solverVariable+"="+kind+":"+defect, self, kind)
}

// firstFinding returns the class of the first finding in that many traces of a target, and the number of its
// proofs.
func firstFinding(t *testing.T, entry string, traces uint64) (class oracle.Class, after uint64, proofs int) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "targets.toml")
	if err := os.WriteFile(name, []byte("[targets.prover]\n"+entry), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := targets.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	model := "ipamir" // assumptions are literals of these programs' proofs, and their soft clauses units
	if strings.Contains(entry, `format = "cnf"`) {
		model = "ipasir"
	}
	target, err := targets.Resolve("prover", model, file)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := replay.Open(target, replay.Fork, suite.Limits)
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	description, err := runner.Description()
	if err != nil {
		t.Fatal(err)
	}
	generator, err := gen.New(gen.Config{Model: target.Model, Description: description, Profile: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	judge := oracle.New(oracle.Config{Policies: description.Policies})
	for number := range traces {
		tr, run := new(trace.Trace), new(trace.Run)
		generator.Generate(gen.Seed(testseed.Of(t, 1), 0, number), tr)
		if err := runner.Run(context.Background(), tr, run); err != nil {
			t.Fatal(err)
		}
		for _, f := range judge.Judge(tr, run) {
			t.Logf("%s: %s", f.Key(target.Name), f.Observed)
			return f.Class, number, proofs
		}
		proofs += len(run.Proofs)
	}
	return "", traces, proofs
}
