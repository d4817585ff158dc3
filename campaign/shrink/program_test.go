package shrink

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// programRuns has what the published program needed and left for several orders of the clauses.
const programRuns = "orders.tsv"

// programVariable names the environment variable with the path of the published program. If it is set,
// BenchmarkReductionExpected runs the program in turns with minimize, and writes programRuns.
const programVariable = "IPAFUZZ_WCNFDDMIN"

// A program is the published delta debugger for WCNF files.
type program struct {
	path      string
	dir       string // for temporary files
	predicate string
	failures  map[string]string // the exit code of the predicate on the file of each case
}

// publishedProgram returns the program, or nil if there is none.
func publishedProgram(b *testing.B) *program {
	path := os.Getenv(programVariable)
	if path == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "predicate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	if working, err := os.Getwd(); err != nil || strings.Contains(dir+working, "_") {
		b.Fatalf("the published program cannot cope with a _ in %s or %s: %v", dir, working, err)
	}
	p := &program{path, dir, filepath.Join(dir, "wrong"), make(map[string]string)}
	compile := exec.Command(cmp.Or(os.Getenv("CC"), "cc"), "-O2", "-o", p.predicate, publishedDir+"/wrong.c", "-ldl")
	if out, err := compile.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return p
}

// firstCode finds the exit code with which the predicate answered the program first.
var firstCode = regexp.MustCompile(`c invalid return code\.: (\d+)`)

// run reduces a file. It returns nil if the failure is not that of the file in its own order. The sample's
// tests are the program's runs of the target.
func (p *program) run(b *testing.B, c publishedCase, text string) *sample {
	b.Helper()
	in, out, runs := filepath.Join(p.dir, "in.wcnf"), filepath.Join(p.dir, "out.wcnf"), filepath.Join(p.dir, "runs")
	for _, old := range []string{out, runs} {
		if err := os.Remove(old); err != nil && !errors.Is(err, os.ErrNotExist) {
			b.Fatal(err)
		}
	}
	library, option := c.library()
	library, err1 := filepath.Abs(library)
	trusted, err2 := filepath.Abs(builtIn)
	if err := errors.Join(err1, err2, os.WriteFile(in, []byte(text), 0o666)); err != nil {
		b.Fatal(err)
	}
	// The program turns _ into blanks, and the predicate turns @ into _.
	solver := strings.Join([]string{p.predicate, library, strings.ReplaceAll(option, "_", "@"), trusted, runs}, " ")
	command := exec.Command(p.path, "-s", solver, "-r", out, in)
	command.Dir = p.dir
	log, err := command.Output()
	code := firstCode.FindSubmatch(log)
	if err != nil || code == nil {
		return nil
	}
	if first, known := p.failures[c.name()]; !known {
		p.failures[c.name()] = string(code[1])
	} else if first != string(code[1]) {
		return nil
	}
	left, err1 := os.ReadFile(out)
	used, err2 := os.Stat(runs)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	state := command.ProcessState
	return &sample{int(used.Size()), sizeOfText(string(left)), state.UserTime() + state.SystemTime()}
}

// sizeOfText returns the size of a WCNF file, as of wcnfSize.
func sizeOfText(text string) int {
	var s wcnfSize
	vars := make(map[string]bool)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "c" || fields[0] == "p" {
			continue
		}
		s.clauses++
		if fields[0] != "h" {
			s.digits += len(fields[0])
		}
		for _, lit := range fields[1 : len(fields)-1] {
			s.literals++
			vars[strings.TrimPrefix(lit, "-")] = true
		}
	}
	s.variables = len(vars)
	return s.total()
}

// storedRuns reads programRuns: for each case the runs and the sizes, one for each order; - stands for an order in
// which the program saw another failure than in the file.
func storedRuns(b *testing.B) map[string][]*sample {
	known := make(map[string][]*sample)
	if _, err := os.Stat(filepath.Join(publishedDir, programRuns)); err != nil && os.Getenv(programVariable) != "" {
		return known // the first run writes it
	}
	for _, row := range publishedRows(b, programRuns) {
		name := row[0] + "\t" + row[1]
		sizes := strings.Fields(row[3])
		for i, text := range strings.Fields(row[2]) {
			var s *sample
			if text != "-" {
				s = new(sample)
				var err1, err2 error
				s.tests, err1 = strconv.Atoi(text)
				s.size, err2 = strconv.Atoi(sizes[i])
				if err := errors.Join(err1, err2); err != nil {
					b.Fatal(err)
				}
			}
			known[name] = append(known[name], s)
		}
	}
	return known
}

func storeRuns(b *testing.B, known map[string][]*sample) {
	var text bytes.Buffer
	text.WriteString("file\ttarget\truns\tsizes\n")
	for _, list := range []string{chosenOn, others, fresh, unseen} {
		for _, c := range publishedCases(b, list) {
			var runs, sizes []string
			for _, s := range known[c.name()] {
				if s == nil {
					runs, sizes = append(runs, "-"), append(sizes, "-")
					continue
				}
				runs, sizes = append(runs, strconv.Itoa(s.tests)), append(sizes, strconv.Itoa(s.size))
			}
			if len(runs) > 0 {
				fmt.Fprintf(&text, "%s\t%s\t%s\n", c.name(), strings.Join(runs, " "), strings.Join(sizes, " "))
			}
		}
	}
	if err := os.WriteFile(filepath.Join(publishedDir, programRuns), text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}
