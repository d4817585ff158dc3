package report

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/campaign/store"
	"github.com/ipafuzz/ipafuzz/internal/printable"
)

// A Fault is a group of findings with one cause. The simplest finding comes first.
type Fault struct {
	fault.Fault
	Number   string // as in the summary of a campaign
	Findings []*Finding
}

// group groups the findings by their fault. It notes those of which a file cannot be read, unless that is a trace that
// readTraces has noted.
func (d *Data) group() {
	var readable []*store.Finding
	of := make(map[*store.Finding]*Finding)
	for _, f := range d.Findings {
		one, err := f.FindingRecord.Finding()
		if err != nil {
			if !f.noted {
				d.Notes = append(d.Notes, cmp.Or(errors.Unwrap(err), err).Error())
			}
			continue
		}
		one.Hits = f.Hits
		readable = append(readable, one)
		of[one] = f
	}
	groups := fault.Group(readable)
	labels := fault.Labels(groups)
	for i, group := range groups {
		made := &Fault{Fault: group, Number: labels[i]}
		for _, one := range group.Findings {
			made.Findings = append(made.Findings, of[one])
			of[one].Group = made
		}
		d.Faults = append(d.Faults, made)
	}
}

// Count returns the numbers of faults and findings as text.
func (d *Data) Count() string {
	var faults []fault.Fault
	for _, f := range d.Faults {
		faults = append(faults, f.Fault)
	}
	return fault.Count(faults)
}

// faults has a row for each fault.
func (d *Data) faults() *Table {
	t := &Table{Name: "faults", Title: "Faults", text: 8, links: make(map[[2]int][]link),
		Columns: []string{"Number", "Fault", "Name", "Fails", "Target", "Cause", "Possibly the same", "Directory", "Findings",
			"Calls", "Seen"},
		Note: "A fault is a group of findings with one cause: one thing to fix, as far as experiments tell. " +
			"The findings of a fault are listed with it, the simplest first. A number with a letter, such as 1a, is possibly " +
			"the same fault as the one without." + d.open()}
	for _, f := range d.Faults {
		t.links[[2]int{len(t.Rows), 1}] = []link{{f.Headline(), "#" + f.anchor()}}
		t.add(f.Number, f.Headline(), f.Name, f.Failure(), f.Target, string(f.Cause), strings.Join(f.Possibly, ", "),
			f.Findings[0].Dir, len(f.Findings), f.Findings[0].Minimal.Calls, f.Hits())
	}
	return t
}

// open says how many findings have an open cause because time ran out.
func (d *Data) open() string {
	n := 0
	for _, f := range d.Findings {
		if f.Undecided {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" There was no time to determine the cause of %s. Each fault without a cause may "+
		"be one of the others.", printable.Things(n, "finding"))
}

func (f *Fault) anchor() string { return "fault-" + f.Number }

// A pageFault is a fault on the page, which shows it by its simplest finding.
type pageFault struct {
	*Fault
	ID       string
	Headline string
	Failure  string
	Size     string
	Facts    []fact
	Others   []link
	Possibly []link
	Simplest pageFinding
	Open     bool // when the page is opened
	Several  bool // targets
	Nested   []pageFault

	Experiments []fact
}

// withoutHeader returns a log without the lines before its first call: the page says the same in words.
func withoutHeader(lines []logLine) []logLine {
	first := slices.IndexFunc(lines, func(l logLine) bool { return l.Number > 0 })
	return lines[max(first, 0):]
}

// pageFaults returns the faults for the page, each with those under it. The first is open; the others are, too, if they
// are few.
func (d *Data) pageFaults() (pages []pageFault) {
	const few = 3
	for _, f := range d.Faults {
		simplest := f.Findings[0]
		p := pageFault{Fault: f, ID: f.anchor(), Headline: f.Fault.Headline(), Simplest: d.pageFinding(simplest),
			Size: fmt.Sprintf("%s, %s, seen %s", printable.Things(simplest.Minimal.Calls, "call"),
				printable.Things(len(f.Findings), "finding"), printable.Times(f.Hits())),
			Open: f.Number == "1" || len(d.Faults) <= few, Several: len(d.Targets) > 1}
		p.Simplest.Lines = withoutHeader(p.Simplest.Lines)
		if p.Failure = f.Fault.Failure(); p.Failure == p.Headline {
			p.Failure = f.Fault.Why()
		}
		for _, of := range []fact{{"Observed", simplest.Observed}, {"Expected", simplest.Expected},
			{"Known by", simplest.Known}, {"Mistake", f.Mistake()}, {"Evidence", f.Evidence()},
			{"Not minimal", simplest.NotMinimal}, {"Name", f.Name},
			{"Directory", simplest.Dir}} {
			if of.Value != "" {
				p.Facts = append(p.Facts, of)
			}
		}
		for _, experiment := range simplest.Experiments {
			ends := "does not fail"
			if experiment.Failed {
				ends = "fails, too"
			}
			p.Experiments = append(p.Experiments, fact{experiment.Variant, fmt.Sprintf("%s: %s", ends,
				filepath.Join(simplest.Dir, experiment.File))})
		}
		for _, other := range f.Findings[1:] {
			p.Others = append(p.Others, link{other.title(), "#" + other.ID})
		}
		for _, other := range d.Faults {
			for _, name := range f.Possibly {
				if other.Name == name && other.Target == f.Target {
					p.Possibly = append(p.Possibly, link{"fault " + other.Number, "#" + other.anchor()})
				}
			}
		}
		if f.Under == "" {
			pages = append(pages, p)
		} else {
			leader := &pages[len(pages)-1]
			leader.Nested = append(leader.Nested, p)
		}
	}
	return pages
}
