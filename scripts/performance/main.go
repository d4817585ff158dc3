// Performance runs the benchmarks of docs/measured/performance.md, docs/measured/minimization.md and
// docs/measured/proofs.md, and writes their tables into these pages.
//
//	go run ./scripts/performance [-from DIRECTORY] [SECTION...]
//
// Without sections it runs all. A section of a page begins with a comment that says what
// to run and what to show, and ends with another one:
//
//	<!-- measured NAME
//	run: go test -run '^$' -bench Ways -benchtime 1x ./campaign
//	rows: BenchmarkWays/
//	columns: persistent/loop>=0.9 worker-cpu-us
//	-->
//	<!-- end -->
//
// Between the two comments, Performance writes a table with a row for each benchmark whose
// name begins with the rows' prefix, and a column for each metric. A number that misses its
// bar is bold. Instead of rows and columns, "block: TEXT" shows what the benchmark prints
// from the line that begins with TEXT to the next empty line. Sections with the same command
// share one run. With -from, Performance reads the output of a command from the file NAME.txt
// in that directory instead; NAME is the first section with the command. The first line of the
// file says when and where it was measured, as the head of the table does.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

var pages = []string{"docs/measured/performance.md", "docs/measured/minimization.md", "docs/measured/proofs.md"}

func main() {
	from := flag.String("from", "", "read the output of the commands from files in this `directory`")
	flag.Parse()
	if err := update(flag.Args(), *from); err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

func update(wanted []string, from string) error {
	sections := make(map[string][]part) // and texts, by page
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if sections[page], err = parse(string(text)); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(pages, func(page string) bool {
			return slices.ContainsFunc(sections[page], func(p part) bool { return p.name == name })
		}) {
			return fmt.Errorf("no page has a section %s", name)
		}
	}
	for _, page := range pages {
		if err := updatePage(page, sections[page], wanted, from); err != nil {
			return err
		}
	}
	return nil
}

func updatePage(page string, parts []part, wanted []string, from string) (err error) {
	outputs := make(map[string]measured)
	for i := range parts {
		p := &parts[i]
		if p.name == "" || len(wanted) > 0 && !slices.Contains(wanted, p.name) {
			continue
		}
		m, known := outputs[p.run]
		if !known {
			if m, err = measure(p, from); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			outputs[p.run] = m
		}
		if p.body, err = p.show(m); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		var all strings.Builder // written after each section: a long run may be interrupted
		for i := range parts {
			parts[i].write(&all)
		}
		if err := os.WriteFile(page, []byte(all.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// measured is the output of a command, and where it ran.
type measured struct {
	output string
	where  string
}

// dated matches the first line of a file for -from: a file without it would lose a line of its output to the head.
var dated = regexp.MustCompile(`^\d{4}-\d\d-\d\d, `)

func measure(p *part, from string) (measured, error) {
	if from != "" {
		text, err := os.ReadFile(filepath.Join(from, p.name+".txt"))
		where, output, _ := strings.Cut(string(text), "\n")
		if err == nil && !dated.MatchString(where) {
			err = fmt.Errorf("%s.txt must begin with a line about its measurement, such as %q, not with %q",
				p.name, machine(), where)
		}
		return measured{output, where}, err
	}
	where := machine()
	fmt.Fprintln(os.Stderr, p.run)
	var output bytes.Buffer
	command := exec.Command("sh", "-c", p.run)
	command.Stdout, command.Stderr = io.MultiWriter(&output, os.Stderr), os.Stderr
	if err := command.Run(); err != nil {
		return measured{}, fmt.Errorf("%s: %w", p.run, err)
	}
	return measured{output.String(), where}, nil
}

// machine describes the date, the machine with its load, and the commit of a run.
func machine() string {
	where := fmt.Sprintf("%s, %d processors", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		where += ", load " + strings.Fields(string(load))[0] + " at the beginning"
	}
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		where += ", commit " + strings.TrimSpace(string(commit))
	}
	return where
}
