package proofs

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var megabytes = flag.Int("megabytes", 1000, "size of the proofs of BenchmarkLongProofs")

// asCommand makes the test binary check the proof that its arguments name.
const asCommand = "IPAFUZZ_TEST_CHECK_PROOF"

func TestMain(m *testing.M) {
	if format := os.Getenv(asCommand); format != "" {
		if err := (&Command{Files: os.Args[1:], Format: format}).Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// usage is what a process has used.
type usage struct{ seconds, megabytes float64 }

// run runs a program that must accept a proof.
func run(b *testing.B, cmd *exec.Cmd) usage {
	output, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, output)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return usage{(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), float64(used.Maxrss) / 1000}
}

func ours(format string, files ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], files...)
	cmd.Env = append(os.Environ(), asCommand+"="+format)
	return cmd
}

// A longProof proves that two variables contradict the four clauses over them. It has a start, an end, and
// a lemma that is repeated in between with other variables. In each of them, I stands for an id and V for
// variables.
type longProof struct{ format, start, lemma, end string }

var longProofs = []longProof{
	{"drat", "", "1 2 V 0\n", "2 0\n0\n"},
	{"lrat", "", "I 1 2 V 0 1 0\n", "I 2 0 1 2 0\nI 0 I- 3 4 0\n"},
	{"frat", "o 1 1 2 0\no 2 -1 2 0\no 3 1 -2 0\no 4 -1 -2 0\n", "a I 1 2 V 0 l 1 0\n",
		"a I 2 0 l 1 2 0\na I 0 l I- 3 4 0\n"},
	{"idrup", "i 1 2 0\ni -1 2 0\ni 1 -2 0\ni -1 -2 0\nq 0\n", "l 1 2 V 0\n", "l 2 0\nl 0\ns UNSATISFIABLE\nu 0\n"},
	{"lidrup", "i 1 1 2 0\ni 2 -1 2 0\ni 3 1 -2 0\ni 4 -1 -2 0\nq 0\n", "l I 1 2 V 0 1 0\n",
		"l I 2 0 1 2 0\nl I 0 I- 3 4 0\ns UNSATISFIABLE\nu 0 I- 0\n"},
}

// write writes a proof of that many bytes and returns its number of lemmas.
func (p longProof) write(b *testing.B, name string, size int) (lemmas int) {
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	id := 4
	line := func(text string) int {
		if strings.Contains(text, "I ") {
			id++
		}
		if strings.Contains(text, "V") {
			var variables strings.Builder
			for j := range 8 {
				fmt.Fprint(&variables, " ", 100000+(7*lemmas+12345*j)%800000)
			}
			text = strings.Replace(text, " V", variables.String(), 1)
		}
		text = strings.NewReplacer("I-", fmt.Sprint(id-1), "I", fmt.Sprint(id)).Replace(text)
		out.WriteString(text)
		return len(text)
	}
	out.WriteString(p.start)
	for n := 0; n < size; lemmas++ {
		n += line(p.lemma)
	}
	for text := range strings.Lines(p.end) {
		if strings.HasPrefix(text, "s ") || strings.HasPrefix(text, "u 0\n") {
			out.WriteString(text)
		} else {
			line(text)
		}
	}
	if out.Flush() != nil || file.Close() != nil {
		b.Fatalf("%s cannot be written", name)
	}
	return lemmas
}

// BenchmarkLongProofs checks proofs of a gigabyte in which no clause is deleted.
func BenchmarkLongProofs(b *testing.B) {
	for _, p := range longProofs {
		b.Run(p.format, func(b *testing.B) {
			dir := b.TempDir()
			files := []string{filepath.Join(dir, "problem.cnf"), filepath.Join(dir, "proof")}
			if err := os.WriteFile(files[0], []byte("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n"), 0o666); err != nil {
				b.Fatal(err)
			}
			lemmas := p.write(b, files[1], *megabytes*1_000_000)
			if strings.HasSuffix(p.format, "idrup") {
				files = files[1:]
			}
			used := run(b, ours(p.format, files...))
			b.ReportMetric(float64(lemmas)/1e6, "million-lemmas")
			b.ReportMetric(used.megabytes, "MB")
			b.ReportMetric(used.seconds, "cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// publicCheckers are programs of other authors.
var publicCheckers = map[string][]string{
	"drat": {"drat-trim", "FORMULA", "PROOF", "-t", "1000000"},
	"lrat": {"lrat-check", "FORMULA", "PROOF"},
	"frat": {"frat-rs", "elab", "PROOF", "FORMULA", "-v"},
	// In these formats, the proof has the formula.
	"idrup":  {"idrup-check", "PROOF"},
	"lidrup": {"lidrup-check", "PROOF"},
}

// BenchmarkPublicCheckers checks proofs that CaDiCaL writes for a random formula, with our checkers and
// with the public ones that are in PATH.
func BenchmarkPublicCheckers(b *testing.B) {
	cadical, err := filepath.Abs("../../../build/current/cadical-3.0.1/cadical")
	if _, missing := os.Stat(cadical); err != nil || missing != nil {
		b.Skip("CaDiCaL is missing: run 'make current'")
	}
	formula := filepath.Join(b.TempDir(), "formula.cnf")
	if err := os.WriteFile(formula, randomFormula(300, 1380), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, format := range []string{"drat", "lrat", "frat", "idrup", "lidrup"} {
		b.Run(format, func(b *testing.B) {
			proof := filepath.Join(b.TempDir(), "proof")
			args := []string{"-q", "--no-binary", formula, proof}
			if format != "drat" {
				args = append([]string{"--" + format + "=1"}, args...)
			}
			if err := exec.Command(cadical, args...).Run(); err == nil || err.Error() != "exit status 20" {
				b.Fatal("CaDiCaL: ", err)
			}
			public := publicCheckers[format]
			files := []string{formula, proof}
			if !slices.Contains(public, "FORMULA") {
				files = files[1:]
			}
			used := run(b, ours(format, files...))
			b.ReportMetric(float64(countLines(b, proof)), "lines")
			b.ReportMetric(used.seconds, "cpu-s")
			b.ReportMetric(used.megabytes, "MB")
			if _, err := exec.LookPath(public[0]); err == nil {
				command := strings.NewReplacer("FORMULA", formula, "PROOF", proof).Replace(strings.Join(public, "\n"))
				words := strings.Split(command, "\n")
				theirs := run(b, exec.Command(words[0], words[1:]...))
				b.ReportMetric(theirs.seconds, "public-cpu-s")
				b.ReportMetric(theirs.megabytes, "public-MB")
				b.ReportMetric(used.seconds/theirs.seconds, "ours/public")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// countLines does not read the whole file at once: a new process counts the memory of its parent, too.
func countLines(b *testing.B, name string) (lines int) {
	file, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := file.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte("\n"))
		if err != nil {
			return lines
		}
	}
}

// randomFormula returns a formula with clauses of three literals.
func randomFormula(variables, clauses int) []byte {
	rng := rand.New(rand.NewPCG(1, 1))
	text := fmt.Appendf(nil, "p cnf %d %d\n", variables, clauses)
	for range clauses {
		for _, v := range rng.Perm(variables)[:3] {
			text = fmt.Appendf(text, "%d ", (v+1)*(1-2*rng.IntN(2)))
		}
		text = append(text, "0\n"...)
	}
	return text
}
