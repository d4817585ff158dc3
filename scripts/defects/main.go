// Command defects fuzzes every planted defect of a model with the default settings. It prints when a
// campaign first saw each defect, and its findings and faults. 'make defects' runs it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	program := flag.String("program", "build/ipafuzz", "the command line to run")
	model := flag.String("model", "qbf", "whose defects: ipasir, ipamir, qbf")
	duration := flag.Duration("time", 10*time.Second, "for each defect and seed; three times as long for a hang")
	seeds := flag.Int("seeds", 2, "how many seeds, from 1")
	flag.Parse()
	missed, err := table(*program, *model, *duration, *seeds)
	if err != nil {
		fmt.Fprintf(os.Stderr, "defects: %v\n", err)
		os.Exit(3)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "defects: %d campaigns found nothing\n", missed)
		os.Exit(1)
	}
}

func table(program, model string, duration time.Duration, seeds int) (missed int, err error) {
	out, err := os.MkdirTemp("", "defects-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(out)
	lines := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, "DEFECT\tEXPECTED\tSEED\tFIRST SEEN (S)\tCLASS\tFINDINGS\tFAULTS\tCLASSES")
	defects, err := defectsOf(program, model)
	if err != nil {
		return 0, err
	}
	for _, d := range defects {
		for seed := 1; seed <= seeds; seed++ {
			dir := filepath.Join(out, fmt.Sprintf("%s-%d", d.name, seed))
			c, err := fuzz(program, "ref:defect="+d.name, model, d.needs(duration), seed, dir)
			if err != nil {
				return missed, err
			}
			first, class := "-", "-"
			if f := c.first(); f != nil {
				first, class = strconv.FormatFloat(f.Seconds, 'f', 2, 64), f.Class
			} else {
				missed++
			}
			fmt.Fprintf(lines, "%s\t%s\t%d\t%s\t%s\t%d\t%d\t%s\n", d.name, d.class, seed, first, class, len(c.Findings),
				len(c.Faults), c.classes())
		}
	}
	return missed, lines.Flush()
}

// A defect is a line of 'ipafuzz defects'.
type defect struct{ name, class string }

// needs returns how long to fuzz the defect. A hang is a finding after seconds of processor time, which may take longer
// than the campaign on a busy machine.
func (d *defect) needs(usual time.Duration) time.Duration {
	if d.class == "3.1" {
		return 3 * usual
	}
	return usual
}

func defectsOf(program, model string) (defects []defect, err error) {
	text, err := exec.Command(program, "defects").Output()
	if err != nil {
		return nil, fmt.Errorf("%s defects: %w", program, err)
	}
	for line := range strings.Lines(string(text)) {
		columns := strings.Fields(line) // number, name, model, class, sentence
		if len(columns) > 3 && (columns[2] == model || columns[2] == "both" && model != "qbf") {
			defects = append(defects, defect{columns[1], columns[3]})
		}
	}
	if len(defects) == 0 {
		return nil, fmt.Errorf("there are no planted defects of model %q", model)
	}
	return defects, nil
}

// A campaign is the part of the summary in JSON that the table shows.
type campaign struct {
	Faults   []struct{}
	Findings []finding
}

type finding struct {
	Class, Directory string
	Seconds          float64 `json:"after_seconds"` // of finding.json
}

func fuzz(program, target, model string, duration time.Duration, seed int, dir string) (*campaign, error) {
	command := exec.Command(program, "fuzz", "--target", target, "--model", model, "--time", duration.String(), "--seed",
		strconv.Itoa(seed), "--out", dir, "--json")
	text, err := command.Output()
	exit, ended := errors.AsType[*exec.ExitError](err)
	if err != nil && (!ended || exit.ExitCode() != 1 && exit.ExitCode() != 4) { // 1: findings, 4: unconfirmed ones
		if ended {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	c := new(campaign)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		record, err := os.ReadFile(filepath.Join(f.Directory, "finding.json"))
		if err == nil {
			err = json.Unmarshal(record, f)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *campaign) first() (first *finding) {
	for i := range c.Findings {
		if f := &c.Findings[i]; first == nil || f.Seconds < first.Seconds {
			first = f
		}
	}
	return first
}

func (c *campaign) classes() string {
	var classes []string
	for _, f := range c.Findings {
		classes = append(classes, f.Class)
	}
	return strings.Join(classes, " ")
}
