package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/report"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/exit"
	"github.com/ipafuzz/ipafuzz/cmd/ipafuzz/outfile"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

type reportCommand struct {
	Dirs     []string `arg:"" placeholder:"DIR"`
	Out      string   `type:"path" placeholder:"FILE"`
	Markdown bool     `xor:"form"`
	CSV      bool     `name:"csv" xor:"form"`
	JSON     bool     `xor:"form"`
	Latex    bool     `xor:"form"`
	Table    []string `placeholder:"NAME"`
}

// Run runs the command.
func (r *reportCommand) Run() error {
	data, err := report.Read(r.Dirs)
	if err != nil {
		return exit.MisuseOfDirectory(err)
	}
	for _, note := range data.Notes {
		fmt.Fprintf(os.Stderr, "ipafuzz: left out of the report: %s\n", printable.Text(note))
	}
	format := ""
	for name, chosen := range map[string]bool{"markdown": r.Markdown, "csv": r.CSV, "json": r.JSON, "latex": r.Latex} {
		if chosen {
			format = name
		}
	}
	if format != "" {
		if r.Out != "" {
			return exit.Misusef("--out is for the HTML report; --%s prints its tables: redirect them to a file", format)
		}
		return r.tables(data, format)
	}
	if len(r.Table) > 0 {
		return exit.Misusef("--table needs --markdown, --csv, --json or --latex")
	}
	out := cmp.Or(r.Out, filepath.Join(r.Dirs[0], "report.html"))
	var page bytes.Buffer
	if err := data.WriteHTML(&page, version, time.Now()); err != nil {
		return err
	}
	if err := outfile.Write(out, page.Bytes()); err != nil {
		return err
	}
	return printText(fmt.Sprintf("%s: %s of %s\n", out,
		data.Count(), printable.Things(len(data.Runs), "run")))
}

func (r *reportCommand) tables(data *report.Data, format string) error {
	tables := data.Tables()
	if len(r.Table) > 0 {
		var names []string
		var chosen []*report.Table
		for _, t := range tables {
			names = append(names, t.Name)
			if slices.Contains(r.Table, t.Name) {
				chosen = append(chosen, t)
			}
		}
		if len(chosen) < len(r.Table) {
			return exit.Misusef("--table %s: the report has the tables %s",
				strings.Join(r.Table, ", "), strings.Join(names, ", "))
		}
		tables = chosen
	}
	return report.Write(os.Stdout, tables, format)
}

type mergeCommand struct {
	Dirs []string `arg:"" placeholder:"DIR"`
	Out  string   `required:"" type:"path" placeholder:"DIR"`
}

// Run runs the command.
func (m *mergeCommand) Run() error {
	merged, err := store.Merge(m.Dirs, m.Out, programName())
	if cannot := new(store.MergeError); errors.As(err, &cannot) {
		return exit.Misuse(err)
	}
	if err != nil {
		return exit.MisuseOfDirectory(err)
	}
	r := &merged.Record
	faults, err := fault.Read(merged.Findings)
	if err != nil {
		return err
	}
	err = printText(fmt.Sprintf("%s, %s, %s, %s: %s\n", printable.Things(len(r.Parts), "part"),
		printable.Things(r.Stats.Traces, "trace"), printable.Things(r.Stats.Solves, "solve"), fault.Count(faults), m.Out))
	if missing := merged.Missing(); len(missing) > 0 {
		var names []string
		for _, shard := range missing {
			names = append(names, fmt.Sprint(shard))
		}
		fmt.Fprintf(os.Stderr, "ipafuzz: of %d shards these are missing: %s\n", r.Of, strings.Join(names, ", "))
	}
	for _, p := range r.Parts {
		if p.Unended {
			fmt.Fprintf(os.Stderr, "ipafuzz: shard %d (%s) did not come to its end; --resume would continue it there\n",
				p.Shard, p.Dir)
		}
	}
	return err
}
