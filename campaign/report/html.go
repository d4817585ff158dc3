package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/oracle"
	"github.com/ipafuzz/ipafuzz/oracle/unchecked"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

var page = template.Must(template.New("page").Parse(pageText))

type pageData struct {
	Title    string
	Made     string
	Version  string
	Style    template.CSS
	Script   template.JS
	Facts    []fact
	Verdict  string
	Faults   []pageFault
	Listed   []pageFault // the faults to list before the first one is shown in full
	Sections []section
	Findings []pageFinding
	Classes  []option
	Targets  []string
	Profiles []string
	Notes    []string
	Open     string // says that causes are open; "" if none is
}

type fact struct{ Name, Value string }

type option struct{ Value, Name string }

// A section is a figure, a table, or both.
type section struct {
	ID, Title, Note string
	Figure          template.HTML
	Legend          []legend
	Table           *pageTable
	Folded          bool
}

type legend struct {
	Shade  int
	Strong bool
	Name   string
}

type pageTable struct {
	Name, Title string
	Columns     []pageCell
	Rows        [][]pageCell
}

type pageCell struct {
	Text   string
	Links  []link
	Number bool
}

type pageFinding struct {
	*Finding
	Title   string
	Tags    []string
	Lines   []logLine
	Facts   []fact
	Program string
	Search  string
}

// mostListed leaves room on the first screen for the first fault.
const mostListed = 10

// WriteHTML writes the report as a page.
func (d *Data) WriteHTML(w io.Writer, version string, now time.Time) error {
	p := pageData{Title: "ipafuzz: " + d.named(), Version: version,
		Made: now.UTC().Format("2006-01-02 15:04 UTC"), Style: template.CSS(pageStyle), Script: template.JS(pageScript),
		Targets: d.Targets, Notes: d.Notes, Verdict: d.verdict(), Open: d.open(), Facts: d.facts(),
		Faults: d.pageFaults()}
	if len(p.Faults) > 1 {
		p.Listed = p.Faults[:min(len(p.Faults), mostListed)]
	}
	tables := make(map[string]*Table)
	for _, t := range d.Tables() {
		tables[t.Name] = t
	}
	figures := make(map[string]*figure)
	for _, f := range d.figures() {
		figures[f.Name] = f
	}
	for _, s := range []struct{ figure, table string }{
		{"", "runs"}, {"", "spent"}, {"", "kinds"}, {"", "matrix"}, {"over-time", "over-time"}, {"", "misses"},
		{"", "reduction"}, {"scatter", "reductions"},
		{"cumulative", ""}, {"", "generators"}, {"times", "usage"}, {"", "findings"},
	} {
		t, f := tables[s.table], figures[s.figure]
		if t == nil && f == nil {
			continue
		}
		var made section
		if t != nil {
			made = section{ID: t.Name, Title: t.Title, Note: t.Note, Table: t.page(),
				Folded: t.Name == "findings" || t.Name == "kinds" || f != nil && t.Name != "usage"}
		}
		if f != nil {
			made.ID, made.Title = "figure-"+f.Name, f.Title
			made.Figure = template.HTML(f.svg()) // svg escapes the texts
			made.Note = strings.TrimSpace(f.Note + " " + made.Note)
			for i, line := range f.Series {
				made.Legend = append(made.Legend, legend{i % shades, line.Strong, line.Name})
			}
		}
		p.Sections = append(p.Sections, made)
	}
	seen := make(map[string]bool)
	for _, f := range d.Findings {
		p.Findings = append(p.Findings, d.pageFinding(f))
		if !seen[f.Class] {
			seen[f.Class] = true
			p.Classes = append(p.Classes, option{f.Class, f.Class + " " + f.Name})
		}
		if f.Profile != "" && !slices.Contains(p.Profiles, f.Profile) {
			p.Profiles = append(p.Profiles, f.Profile)
		}
	}
	slices.SortFunc(p.Classes, func(a, b option) int { return strings.Compare(a.Value, b.Value) })
	text := new(strings.Builder)
	if err := page.Execute(text, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.Text(text.String()))
	return err
}

func (t *Table) page() *pageTable {
	made := &pageTable{Name: t.Name, Title: t.Title}
	for i, column := range t.Columns {
		made.Columns = append(made.Columns, pageCell{Text: column, Number: i >= t.text})
	}
	for i, row := range t.Rows {
		var cells []pageCell
		for k, text := range row {
			cells = append(cells, pageCell{text, t.links[[2]int{i, k}], k >= t.text})
		}
		made.Rows = append(made.Rows, cells)
	}
	return made
}

// named names the targets. The names of many would push the faults off the first screen.
func (d *Data) named() string {
	const most = 4
	if len(d.Targets) <= most {
		return strings.Join(d.Targets, ", ")
	}
	return fmt.Sprintf("%s and %d more targets", strings.Join(d.Targets[:most-1], ", "), len(d.Targets)-(most-1))
}

// verdict returns the first sentence of the report.
func (d *Data) verdict() string {
	if len(d.Findings) == 0 {
		var open []unchecked.Item
		for _, run := range d.Runs {
			open = append(open, run.Record.Unchecked()...)
		}
		if len(open) > 0 {
			return "No fault was found. " + unchecked.Text(open)
		}
		return "Nothing wrong was found."
	}
	faulty := make(map[string]bool)
	certified, alone := 0, 0
	for _, f := range d.Findings {
		faulty[f.Target.Name] = true
		if f.Certified {
			certified++
		}
		if !f.MetIn.IsZero() {
			alone++
		}
	}
	text := fmt.Sprintf("%s in %s, %d of the findings certified by a proof or a checked solution.",
		d.Count(), printable.Things(len(faulty), "target"), certified)
	if alone > 0 {
		were := "were"
		if alone == 1 {
			were = "was"
		}
		text += fmt.Sprintf(" %d of them %s seen only during the reduction of another finding.", alone, were)
	}
	return text
}

func (d *Data) facts() []fact {
	var traces, solves uint64
	var elapsed time.Duration
	least, known, unconfirmed, running := 0, 0, 0, 0
	for _, f := range d.Faults {
		if !f.IsOpen() {
			known++
			if f.Under == "" {
				least++
			}
		}
	}
	faults := fmt.Sprint(known)
	if least < known {
		faults = fmt.Sprintf("%d to %d", least, known)
	}
	var disputed uint64
	for _, run := range d.Runs {
		if s := run.Record.Stats; s != nil {
			traces, solves, elapsed = traces+s.Traces, solves+s.Solves, elapsed+s.Elapsed
		} else {
			running++
		}
		unconfirmed += len(run.Record.Unconfirmed)
		disputed += run.Record.Disputed
	}
	facts := []fact{{"runs", fmt.Sprint(len(d.Runs))}, {"targets", fmt.Sprint(len(d.Targets))},
		{"faults", faults}, {"findings", fmt.Sprint(len(d.Findings))},
		{"traces", printable.Count(traces)}, {"solves", printable.Count(solves)},
		{"time", seconds(elapsed.Seconds())}}
	if unconfirmed > 0 {
		facts = append(facts, fact{"seen, not confirmed", fmt.Sprint(unconfirmed)})
	}
	if disputed > 0 {
		facts = append(facts, fact{"disputed answers", printable.Count(disputed)})
	}
	if running > 0 {
		facts = append(facts, fact{"runs without an end", fmt.Sprint(running)})
	}
	return facts
}

func (d *Data) pageFinding(f *Finding) pageFinding {
	p := pageFinding{Finding: f, Title: f.title(), Tags: f.tags(),
		Lines: highlight(f.Log, f.Call, f.Solve), Program: f.C}
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, fact{name, value})
		}
	}
	add("Meaning", oracle.Class(f.Class).Info().Doc)
	add("Observed", f.Observed)
	add("Expected", f.Expected)
	known := f.Known
	if f.Certified {
		known += " (certified)"
	}
	if f.Voted {
		known += " (by a majority of targets, without proof)"
	}
	add("Known by", known)
	where := f.CallText
	if where == "" {
		where = "the final release"
	} else {
		where = fmt.Sprintf("call %d: %s", f.Call, where)
	}
	add("Where", where)
	was := "generated"
	if !f.MetIn.IsZero() {
		was = "met"
	}
	size := fmt.Sprintf("%s, of %d as it was %s", printable.Things(f.Minimal.Calls, "call"), f.Original.Calls, was)
	if !f.IsMinimal {
		size += "; not minimal"
	}
	add("Size", size)
	add("Seen", fmt.Sprintf("%s, first after %s (%s); the minimal trace failed in %s fresh processes",
		printable.Times(f.Hits), seconds(f.Elapsed), printable.Things(int64(f.After), "trace"), f.Rate))
	add("Met", metIn(f))
	add("Made by", strings.TrimSpace(fmt.Sprintf("family %s, profile %s, seed %s, number %d",
		f.Family, f.Profile, f.Seed, f.Number)))
	add("Features", strings.Join(f.Features, ", "))
	add("History", f.AboutHistory(f.several))
	add("Target", strings.TrimSpace(f.Target.Name+" "+f.Target.Signature))
	add("Directory", f.Dir)
	p.Search = strings.ToLower(strings.Join([]string{f.Key.String(), f.Observed, f.Expected,
		strings.Join(f.Features, " "), filepath.Base(f.Dir)}, " "))
	return p
}

// tags returns what a reader may choose a finding by, before opening it.
func (f *Finding) tags() []string {
	tags := []string{printable.Things(f.Minimal.Calls, "call")}
	switch f.letter() {
	case "S":
		tags = append(tags, "weights below 2^32")
	case "B":
		tags = append(tags, "weights below 2^62")
	case "H":
		tags = append(tags, "weights above 2^62")
	}
	if !f.MetIn.IsZero() {
		tags = append(tags, "seen only during another reduction")
	}
	if !f.IsMinimal {
		tags = append(tags, "not minimal")
	}
	return tags
}

func metIn(f *Finding) string {
	if f.MetIn.IsZero() {
		return ""
	}
	return "only during the reduction of another finding: " + f.MetIn.String()
}
