package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/instances"
	"github.com/ipafuzz/ipafuzz/campaign/repro"
	"github.com/ipafuzz/ipafuzz/campaign/trial"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/terminal"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/userfile"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
	"github.com/ipafuzz/ipafuzz/replay"
	"github.com/ipafuzz/ipafuzz/trace/sources"
)

type runCommand struct {
	Files     []string `arg:"" placeholder:"FILE"`
	From      string   `placeholder:"FORMAT"`
	Targets   []string `placeholder:"A,B,C"`
	Target    []string `sep:"none" placeholder:"TARGET"`
	CSV       string   `name:"csv" placeholder:"FILE"`
	Workers   uint     `default:"1" placeholder:"N"`
	Factor    float64  `default:"100" placeholder:"100"`
	Conflicts uint64   `default:"${thorough}" placeholder:"N"`
	Quiet     bool     `short:"q"`
	Strict    bool
	JSON      bool
	targetFlags
	limitFlags
}

// Run runs the command.
func (r *runCommand) Run(ctx context.Context) error {
	config, err := r.config()
	if err != nil {
		return err
	}
	out := &runOutput{command: r, reasons: make(map[[2]string]bool),
		sums: instances.Summaries{Limit: cmp.Or(config.How.Limits.Wall, config.How.Limits.CPU)}}
	if r.CSV == "-" && r.JSON {
		return exit.Misusef("--csv - and --json would print to the same place; name a file")
	}
	if r.CSV != "" {
		to := io.Writer(os.Stdout)
		if r.CSV != "-" {
			file, err := os.Create(r.CSV)
			if err != nil {
				return exit.Misuse(fmt.Errorf("--csv: %w", err))
			}
			defer file.Close()
			to = file
		}
		if out.csv, err = instances.NewWriter(to); err != nil {
			return fmt.Errorf("--csv: %w", err)
		}
	}
	unreadable := 0
	options, err := traceSourcesFrom(r.From)
	if err != nil {
		return err
	}
	for _, t := range config.Targets {
		options.Files = options.Files || sourcesFor(options, t.Model).Files
	}
	options.Skip = func(err error) {
		if userfile.IsOver(err) {
			return // the user has ended the wait
		}
		unreadable++
		fmt.Fprintf(os.Stderr, "ipafuzz: %s\n", printable.Text(err.Error()))
	}
	err = config.Run(ctx, sources.Read(r.Files, options), out.result)
	nothing := unreadable > 0 && out.results == 0
	if (err == nil || errors.Is(err, context.Canceled)) && !nothing { // report the instances that ran
		err = errors.Join(err, out.end())
	}
	if err != nil {
		return err
	}
	switch {
	case out.findings > 0:
		return exit.ErrFindings
	case nothing:
		return exit.Misusef("nothing was run: none of the files could be read")
	case out.results > 0 && !out.ran:
		return exit.Misusef("nothing was run: %s", strings.Join(out.notRun, "; "))
	case unreadable > 0:
		return exit.Misusef("%d of the files could not be read; the others were run", unreadable)
	}
	return exit.Of(false, out.sums.Unchecked(), r.Strict)
}

func (r *runCommand) config() (instances.Config, error) {
	config := instances.Config{Workers: int(min(r.Workers, mostWorkers)),
		How: trial.Replaying{Way: replay.Fork, Limits: r.limits(), Conflicts: r.Conflicts, Factor: r.Factor}}
	if r.Workers < 1 || r.Workers > mostWorkers {
		return config, exit.Misusef("--workers: want 1 to %d, got %d", mostWorkers, r.Workers)
	}
	if !(r.Factor >= 1) {
		return config, exit.Misusef("--factor: want 1 or more, got %g", r.Factor)
	}
	specs := slices.Concat(r.Targets, r.Target)
	if len(specs) == 0 {
		return config, exit.Misusef("name the targets: --targets a,b,c")
	}
	for i, spec := range specs {
		if slices.Contains(specs[:i], spec) {
			return config, exit.Misusef("target %s: named twice; a comparison needs different targets", spec)
		}
		target, file, err := r.resolve(spec)
		if err != nil {
			return config, err
		}
		config.Targets = append(config.Targets, instances.Named{Target: target, File: file})
	}
	return config, nil
}

// runOutput prints results as they come.
type runOutput struct {
	command  *runCommand
	csv      *instances.Writer
	sums     instances.Summaries
	results  int
	findings int
	ran      bool               // some instance ran on some target
	notRun   []string           // why targets did not run instances
	reasons  map[[2]string]bool // why targets did not run instances, as far as printed
}

// note keeps why a target does not run an instance. A few reasons are enough: the lines of the instances have all.
func (o *runOutput) note(row *instances.Row) {
	const most = 3
	why := row.Target + ": " + row.Note
	if row.Verdict == instances.NotRun && len(o.notRun) < most && !slices.Contains(o.notRun, why) {
		o.notRun = append(o.notRun, why)
	}
}

func (o *runOutput) result(result *instances.Result) error {
	o.results++
	o.sums.Add(result)
	for i := range result.Rows {
		o.findings += len(result.Rows[i].Findings)
		o.ran = o.ran || result.Rows[i].Verdict != instances.NotRun
		o.note(&result.Rows[i])
	}
	if o.csv != nil {
		if err := o.csv.Write(result); err != nil {
			return fmt.Errorf("--csv: %w", err)
		}
	}
	if o.command.JSON {
		return json.NewEncoder(os.Stdout).Encode(o.recordOf(result))
	}
	text, name := new(bytes.Buffer), printable.Name(result.Instance)
	if !o.command.Quiet {
		text.WriteString(name)
		for i := range result.Rows {
			row := &result.Rows[i]
			fmt.Fprintf(text, "  %s: %s", row.Target, o.cell(row))
		}
		fmt.Fprintln(text)
	}
	for i := range result.Rows {
		row := &result.Rows[i]
		for k := range row.Findings {
			f := &row.Findings[k]
			terminal.WriteFinding(text, name+": "+row.Target, &f.Finding, len(result.Trace.Calls))
			fmt.Fprintf(text, "  key       %s\n", f.Key)
			fmt.Fprintf(text, "  replay    %s\n", o.replay(result.Instance, row.Target, f))
		}
	}
	for _, d := range result.Disputes {
		var says []string
		for _, s := range d.Says {
			says = append(says, s.Target+": "+s.Answer)
		}
		fmt.Fprintf(text, "%s: call %d: the targets disagree about the %s, and nothing proves which is right: %s\n",
			name, d.Call, d.About, strings.Join(says, "; "))
	}
	return o.write(text)
}

// replay returns the command that shows a finding again.
func (o *runOutput) replay(instance, target string, f *instances.Finding) string {
	return repro.ReplayCommand(programName(), o.command.TargetsFile, o.command.limits(), instance,
		f.ReplayTargets(target, slices.Concat(o.command.Targets, o.command.Target))...)
}

// write prints text beside the table.
func (o *runOutput) write(text *bytes.Buffer) error {
	to := os.Stdout
	if o.command.CSV == "-" {
		to = os.Stderr
	}
	_, err := text.WriteTo(to)
	return err
}

// cell returns one target's part of the line of an instance. It says only once why a target runs no such instances:
// often it serves none of those in a directory.
func (o *runOutput) cell(row *instances.Row) string {
	reason := [2]string{row.Target, row.Note}
	switch {
	case row.Verdict == instances.NotRun && o.reasons[reason]:
		return string(row.Verdict)
	case row.Verdict == instances.NotRun:
		o.reasons[reason] = true
		fallthrough
	case row.Verdict == instances.NotMade:
		return fmt.Sprintf("%s (%s)", row.Verdict, row.Note)
	case row.Verdict == instances.OK:
		return fmt.Sprintf("%s in %.3fs", row.Answer(), row.Wall.Seconds())
	}
	return fmt.Sprintf("%s in %.3fs (%s)", row.Answer(), row.Wall.Seconds(),
		strings.TrimSuffix(fmt.Sprintf("%s: %s", row.Verdict, unchecked.Text(row.Unchecked)), ": "))
}

func (o *runOutput) end() error {
	if o.command.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"instances": o.results, "targets": o.sums.Of,
			"unchecked": append([]unchecked.Item{}, o.sums.Unchecked()...)})
	}
	text := new(bytes.Buffer)
	fmt.Fprintf(text, "\n%s\n", printable.Things(o.results, "instance"))
	if err := o.sums.WriteText(text); err != nil {
		return err
	}
	for _, sums := range o.sums.Of {
		for _, key := range slices.SortedFunc(maps.Keys(sums.Findings), func(a, b oracle.Key) int {
			return cmp.Or(cmp.Compare(sums.Findings[b].Count, sums.Findings[a].Count), a.Compare(b))
		}) {
			e := sums.Findings[key]
			fmt.Fprintf(text, "%s: %d of %d instances, the first is %s\n", key, e.Count, sums.Runs,
				printable.Name(e.Instance))
		}
	}
	if open := unchecked.Text(o.sums.Unchecked()); open != "" {
		fmt.Fprintln(text, open)
	}
	return o.write(text)
}

type runRecord struct {
	Instance string          `json:"instance"`
	Model    string          `json:"model"`
	Targets  []runRow        `json:"targets"`
	Disputes []disputeRecord `json:"disputes,omitempty"`
}

type runRow struct {
	Target    string       `json:"target"`
	Verdict   string       `json:"verdict"`
	Status    []string     `json:"status"`
	Objective []string     `json:"objective"`
	Seconds   float64      `json:"seconds"`
	Solving   float64      `json:"solve_seconds"`
	CPU       float64      `json:"cpu_seconds,omitempty"`
	PeakKB    uint64       `json:"peak_kb,omitempty"`
	End       string       `json:"end"`
	Findings  []runFinding `json:"findings,omitempty"`
	Note      string       `json:"note,omitempty"`
	// Unchecked lists what was asked for and not checked.
	Unchecked []unchecked.Item `json:"unchecked,omitempty"`
}

type runFinding struct {
	trial.Record
	Replay string `json:"replay"` // the command that shows it again
}

type disputeRecord struct {
	Call  int               `json:"call"`
	About string            `json:"about"`
	Says  map[string]string `json:"says"`
}

func (o *runOutput) recordOf(result *instances.Result) runRecord {
	record := runRecord{Instance: result.Instance, Model: result.Model}
	for i := range result.Rows {
		row := &result.Rows[i]
		r := runRow{Target: row.Target, Verdict: string(row.Verdict), Status: append([]string{}, row.Status...),
			Objective: append([]string{}, row.Objective...), Seconds: row.Wall.Seconds(),
			Solving: row.Solving.Seconds(), CPU: row.CPU.Seconds(), PeakKB: row.PeakKB, End: row.End.String(), Note: row.Note,
			Unchecked: row.Unchecked}
		for k := range row.Findings {
			f := &row.Findings[k]
			r.Findings = append(r.Findings, runFinding{trial.RecordOf(&f.Finding, row.Target),
				o.replay(result.Instance, row.Target, f)})
		}
		record.Targets = append(record.Targets, r)
	}
	for _, d := range result.Disputes {
		says := make(map[string]string)
		for _, s := range d.Says {
			says[s.Target] = s.Answer
		}
		record.Disputes = append(record.Disputes, disputeRecord{d.Call, d.About, says})
	}
	return record
}
