// Package report writes the report of campaign directories: one HTML file that needs only a browser, and
// its tables in other formats. It reads what package store has written and does not run targets. 'ipafuzz
// report' calls it.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/apimodel"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/trace"
	"github.com/ipafuzz/ipafuzz/trace/notes"
)

// Data is the content of a report.
type Data struct {
	Runs     []*store.Stored
	Findings []*Finding // each key and variety once, the worst first
	Faults   []*Fault   // of the findings, in the order of fault.Group
	Targets  []string
	Notes    []string // what could not be read
}

// A Finding is a finding with the properties of its traces.
type Finding struct {
	store.FindingRecord
	ID       string // its anchor in the report and the name of its directory
	Group    *Fault // nil if its traces cannot be read
	Runs     []int  // indices of the runs that have it
	Hits     uint64
	Profile  string // of the original trace
	Family   string
	Features []string
	Original Size
	Minimal  Size
	several  bool   // the minimal trace has several lives
	Log      string // the minimal trace with its answers
	C        string // a program that shows the fault; "" if none is stored
	Stderr   string
	noted    bool // the notes say what could not be read
}

// Size measures a trace.
type Size struct {
	Bytes, Calls, Hard, Soft, Literals, Vars int
	Weights                                  float64
}

// sizeOf measures a trace.
func sizeOf(t *trace.Trace) Size {
	s := Size{Calls: len(t.Calls), Literals: len(t.Lits)}
	plain := *t
	plain.Notes = nil
	s.Bytes = len(plain.AppendText(nil))
	for i := range t.Calls {
		switch c := &t.Calls[i]; c.Op {
		case apimodel.OpClause:
			if c.Flags&trace.Open == 0 {
				s.Hard++
			}
		case apimodel.OpSoft, apimodel.OpSoftClause:
			s.Soft++
			s.Weights += float64(c.Num)
		}
	}
	seen := make(map[int32]bool)
	for _, lit := range t.Lits {
		seen[trace.Var(lit)] = true
	}
	s.Vars = len(seen)
	return s
}

// Read reads campaign directories. It joins findings with the same key and variety.
func Read(dirs []string) (*Data, error) {
	d := new(Data)
	type identity struct {
		key     oracle.Key
		variety string
	}
	byKey := make(map[identity]*Finding)
	if err := store.Distinct(dirs); err != nil {
		return nil, err
	}
	for i, dir := range dirs {
		run, err := store.ReadStored(dir)
		if err != nil {
			return nil, err
		}
		d.Runs = append(d.Runs, run)
		for _, t := range slices.Concat(run.Record.Targets, run.Record.Against) {
			if !slices.Contains(d.Targets, t.Name) {
				d.Targets = append(d.Targets, t.Name)
			}
		}
		for k := range run.Findings {
			stored := &run.Findings[k]
			f := byKey[identity{stored.Key, stored.Variety}]
			if f == nil {
				f = &Finding{FindingRecord: *stored, ID: filepath.Base(stored.Dir)}
				d.readTraces(f)
				byKey[identity{stored.Key, stored.Variety}] = f
				d.Findings = append(d.Findings, f)
			}
			f.Runs = append(f.Runs, i)
			if stored.Variety != "" {
				f.Hits += stored.Hits
			} else {
				f.Hits += max(1, ofFirst(run, stored.Key))
			}
		}
	}
	slices.SortStableFunc(d.Findings, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(oracle.Class(b.Class).Severity(), oracle.Class(a.Class).Severity()),
			cmp.Compare(a.Target.Name, b.Target.Name), cmp.Compare(a.Minimal.Calls, b.Minimal.Calls), a.Key.Compare(b.Key))
	})
	d.group()
	return d, nil
}

// ofFirst returns how often a run saw the first finding of a key. The record counts all findings of a key together.
func ofFirst(run *store.Stored, key oracle.Key) uint64 {
	hits := run.Record.Hits[key]
	for i := range run.Findings {
		f := &run.Findings[i]
		ofRun := f.Run == run.Record.Run || len(run.Record.Parts) > 0 // else an earlier campaign found it
		if f.Key == key && f.Variety != "" && ofRun {
			hits -= min(hits, f.Hits)
		}
	}
	return hits
}

// readTraces reads the files beside finding.json. It notes what it cannot read and
// goes on: the rest of the report is useful without it.
func (d *Data) readTraces(f *Finding) {
	before := len(d.Notes)
	defer func() { f.noted = len(d.Notes) > before }()
	text := func(name string) string {
		content, err := os.ReadFile(filepath.Join(f.Dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.Notes = append(d.Notes, err.Error())
		}
		return printable.Text(string(content))
	}
	parse := func(name string) *trace.Trace {
		file := filepath.Join(f.Dir, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			d.Notes = append(d.Notes, fmt.Sprintf("%s, which does not exist", file))
			return new(trace.Trace)
		}
		t, err := trace.ParseSyntax(strings.NewReader(text(name)), file)
		if err != nil {
			d.Notes = append(d.Notes, err.Error())
			return new(trace.Trace)
		}
		return t
	}
	if t := parse("original.trace"); t.Model != nil {
		f.Original = sizeOf(t)
		made := notes.OriginOf(t.Notes)
		f.Family, f.Profile, f.Features = made.Generator, made.Profile, made.Features
	}
	if t := parse("minimal.trace"); t.Model != nil {
		f.Minimal, f.several = sizeOf(t), store.SeveralLives(t)
	}
	f.Log, f.C, f.Stderr = text("minimal.log"), text("repro.c"), text("stderr.txt")
}

// label names a run if there are several.
func (d *Data) label(run int) string {
	if len(d.Runs) == 1 {
		return ""
	}
	name := filepath.Base(filepath.Clean(d.Runs[run].Dir))
	for i := range d.Runs {
		if i != run && filepath.Base(filepath.Clean(d.Runs[i].Dir)) == name {
			return d.Runs[run].Dir
		}
	}
	return name
}

// A hit is the first time that a profile showed a finding.
type hit struct {
	at   float64 // seconds
	hits uint64
}

// sources returns, for every profile, when it first showed each finding. If there are several runs, each
// has its own profiles.
func (d *Data) sources() (names []string, firsts map[string]map[oracle.Key]hit) {
	firsts = make(map[string]map[oracle.Key]hit)
	note := func(source string, key oracle.Key, h hit) {
		if firsts[source] == nil {
			firsts[source] = make(map[oracle.Key]hit)
			names = append(names, source)
		}
		if known, ok := firsts[source][key]; ok {
			h.hits += known.hits
			h.at = min(h.at, known.at)
		}
		firsts[source][key] = h
	}
	for i, run := range d.Runs {
		name := func(profile string) string { return strings.TrimSpace(d.label(i) + " " + cmp.Or(profile, "unknown")) }
		measured := run.Record.Measures
		if measured != nil {
			for profile := range measured.Profiles {
				if source := name(profile); firsts[source] == nil {
					firsts[source] = make(map[oracle.Key]hit)
					names = append(names, source)
				}
			}
		}
		for k := range run.Findings {
			f := &run.Findings[k]
			if !f.MetIn.IsZero() {
				continue
			}
			if measured != nil && len(measured.Firsts[f.Key]) > 0 {
				for profile, first := range measured.Firsts[f.Key] {
					note(name(profile), f.Key, hit{first.Seconds, first.Hits})
				}
				continue
			}
			profile := ""
			if known := d.find(f.Key); known != nil {
				profile = known.Profile
			}
			note(name(profile), f.Key, hit{f.Elapsed, 1})
		}
	}
	slices.Sort(names)
	return names, firsts
}

func (d *Data) find(key oracle.Key) *Finding {
	for _, f := range d.Findings {
		if f.Key == key {
			return f
		}
	}
	return nil
}

// title names the failure in the words of a campaign's summary.
func (f *Finding) title() string {
	of := f.Record.Finding()
	return of.Title()
}

// marks returns the marks of the finding in the matrix, as published matrices have them.
func (f *Finding) marks() string {
	marks := ""
	if !f.MetIn.IsZero() {
		marks += "D"
	}
	if !f.IsMinimal {
		marks += "x"
	}
	return marks
}

// letter returns the weight class, as published matrices have it.
func (f *Finding) letter() string {
	switch f.Weights {
	case "S", "B", "H":
		return f.Weights
	}
	return "N"
}

func seconds(s float64) string {
	switch {
	case s == 0:
		return "0"
	case s < 1e-3:
		return fmt.Sprintf("%.0f us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.1f ms", s*1e3)
	case s < 120:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}
