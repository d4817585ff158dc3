package report

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/campaign/stats"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/shell"
	"github.com/ipafuzz/ipafuzz/oracle"
)

// Tables returns all tables of the report that are not empty.
func (d *Data) Tables() []*Table {
	all := []*Table{d.faults(), d.runs(), d.targets(), d.unconfirmed(), d.spent(), d.kinds(), d.cells(), d.matrix(),
		d.overTime(), d.misses(), d.reduction(), d.reductions(), d.generators(), d.usage(), d.learned(), d.list()}
	return slices.DeleteFunc(all, func(t *Table) bool { return len(t.Rows) == 0 })
}

func (d *Data) runs() *Table {
	t := &Table{Name: "runs", Title: "Runs", text: 3,
		Columns: []string{"Directory", "Fuzzed", "Compared with", "Model", "Seed", "Time",
			"Traces", "Solves", "Decided", "Certified", "Findings", "Not confirmed", "Disputed", "Set aside", "Avoided"},
		Note: "Traces are set aside if they take too long or too much memory. Avoided are those that did not run because " +
			"they have what --avoid names."}
	for _, run := range d.Runs {
		r := &run.Record
		var fuzzed, against, models []string
		for _, t := range r.Targets {
			fuzzed = append(fuzzed, t.Name)
			if !slices.Contains(models, t.Model) {
				models = append(models, t.Model)
			}
		}
		for _, t := range r.Against {
			against = append(against, t.Name)
		}
		row := []any{run.Dir, strings.Join(fuzzed, ", "), strings.Join(against, ", "), strings.Join(models, ", "),
			fmt.Sprintf("%#x", r.Seed)}
		switch {
		case r.Stats == nil:
			row = append(row, "not ended", "", "", "", "")
		case r.Tally == nil:
			row = append(row, seconds(r.Stats.Elapsed.Seconds()), r.Stats.Traces, r.Stats.Solves, "", "")
		default:
			row = append(row, seconds(r.Stats.Elapsed.Seconds()), r.Stats.Traces, r.Stats.Solves,
				percent(r.Tally.Solves-r.Tally.Unchecked.Answers(), r.Tally.Solves), percent(r.Tally.Certified, r.Tally.Solves))
		}
		var setAside, avoided uint64
		if r.Stats != nil {
			setAside = r.Stats.SetAside
			for i := range r.Stats.Cells {
				avoided += r.Stats.Cells[i].Filtered
			}
		}
		t.add(append(row, len(run.Findings), len(r.Unconfirmed), r.Disputed, setAside, avoided)...)
	}
	return t
}

// unconfirmed lists the failures that could not be reproduced, with the reasons and the commands that run their
// traces again.
func (d *Data) unconfirmed() *Table {
	t := &Table{Name: "unconfirmed", Title: "Seen and not confirmed", text: 4,
		Note:    "These are not findings: each did not recur, or too rarely, or the run ended first.",
		Columns: []string{"Directory", "Failure", "Why it is no finding", "Run it again"}}
	for _, run := range d.Runs {
		for _, key := range run.Record.Unconfirmed {
			file, command := filepath.Join(run.Dir, "unconfirmed", key.Slug()+".trace"), ""
			if _, err := os.Stat(file); err == nil {
				command = "ipafuzz replay " + shell.Quote(file) + run.Record.Flags + " --target " + shell.Quote(key.Target)
				for _, rival := range run.Record.Against {
					command += " --target " + shell.Quote(rival.Name)
				}
			}
			t.add(run.Dir, key.String(), run.Record.Reasons[key], command)
		}
	}
	return t
}

// spent says where the time went.
func (d *Data) spent() *Table {
	t := &Table{Name: "spent", Title: "Where the time went", text: 1,
		Note: "In seconds. While the library runs a batch of traces, others are generated and judged. Failures are " +
			"confirmed and reduced beside the search. A standstill is time in which no new trace ran. Set aside is the " +
			"part of the library's time in traces that were set aside. Stopped is how long ipafuzz itself did not run.",
		Columns: []string{"Directory", "Time", "Library", "Generating", "Judging", "Waiting", "Confirming", "Reducing",
			"Standstill", "Longest", "Set aside", "Stopped"}}
	for _, run := range d.Runs {
		s := run.Record.Stats
		if s == nil || s.Library == 0 { // the run has not ended, or an earlier version wrote it
			continue
		}
		f := &s.FollowUps
		row := []string{run.Dir}
		for _, d := range []time.Duration{s.Elapsed, s.Library, s.Generating, s.Judging, s.Waiting, f.Confirming, f.Reducing,
			f.Standstill.Total, f.Standstill.Longest, s.SetAsideTime, f.Standstill.Stopped} {
			row = append(row, seconds(d.Seconds()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cells has a row for every cell of a campaign with several cells.
func (d *Data) cells() *Table {
	t := &Table{Name: "cells", Title: "Targets and kinds of traces", text: 3,
		Note: "Time is that of the workers. " +
			"Findings are those that the traces of a cell showed first.",
		Columns: []string{"Directory", "Target", "Traces of", "Time", "Traces", "Solves", "Ended the process", "Undecided",
			"Findings"}}
	for _, run := range d.Runs {
		if run.Record.Stats == nil || len(run.Record.Stats.Cells) < 2 {
			continue
		}
		found := make(map[int]int)
		for i := range run.Findings {
			if run.Has(&run.Findings[i]) {
				found[run.Findings[i].Cell]++
			}
		}
		for i := range run.Record.Stats.Cells {
			c := &run.Record.Stats.Cells[i]
			t.add(run.Dir, c.Target, c.Kind, seconds(c.Busy.Seconds()), c.Traces, c.Solves, c.Deaths, c.Undecided, found[i])
		}
	}
	return t
}

func percent(part, whole uint64) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// matrix has the form of published matrices: a row for each target, a column for each class, and the weight
// classes of the findings in the cells.
func (d *Data) matrix() *Table {
	t := &Table{Name: "matrix", Title: "Solvers and faults", text: 1, links: make(map[[2]int][]link),
		Columns: []string{"Target"},
		Note: "A cell has the weight classes of the findings: S for sums of weights below 2^32, B below 2^62, H above, " +
			"N without weights. D marks a finding seen only during another reduction, x one that is not minimal."}
	var classes []string
	for _, info := range oracle.Classes {
		if slices.ContainsFunc(d.Findings, func(f *Finding) bool { return f.Class == string(info.Class) }) {
			classes = append(classes, string(info.Class))
		}
	}
	slices.Sort(classes)
	for _, class := range classes {
		t.Columns = append(t.Columns, class+" "+oracle.Class(class).Info().Name)
	}
	t.Columns = append(t.Columns, "Findings")
	for _, target := range d.Targets {
		row, total := []string{target}, 0
		for column, class := range classes {
			var cell []string
			of := slices.DeleteFunc(slices.Clone(d.Findings), func(f *Finding) bool {
				return f.Target.Name != target || f.Class != class
			})
			slices.SortStableFunc(of, func(a, b *Finding) int {
				return cmp.Compare(strings.Index("SBHN", a.letter()), strings.Index("SBHN", b.letter()))
			})
			for _, f := range of {
				total++
				place := [2]int{len(t.Rows), column + 1}
				t.links[place] = append(t.links[place], link{f.letter() + f.marks(), "#" + f.ID})
				cell = append(cell, f.letter()+f.marks())
			}
			row = append(row, strings.Join(cell, " "))
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprint(total)))
	}
	return t
}

// overTime lists the points of the figure with the same name.
func (d *Data) overTime() *Table {
	t := &Table{Name: "over-time", Title: "Findings over time", text: 2, Columns: []string{"Profile", "Finding", "Seconds",
		"Distinct so far"},
		Note: "When each profile showed each finding first. The virtual best has it when the first profile has it."}
	for _, line := range d.discovery() {
		for i, p := range line.Points {
			t.add(line.Name, line.labels[i], fmt.Sprintf("%.3f", p.X), i+1)
		}
	}
	return t
}

func (d *Data) misses() *Table {
	names, firsts := d.sources()
	t := &Table{Name: "misses", Title: "Who finds what others miss", text: 1,
		Columns: append(append([]string{"Found by, not by"}, names...), "Found", "Found by it alone"),
		Note:    "A cell counts the findings that the profile of its row showed and the profile of its column did not."}
	if len(names) < 2 {
		return t // there is only one profile
	}
	finders := make(map[oracle.Key]int)
	for _, name := range names {
		for key := range firsts[name] {
			finders[key]++
		}
	}
	for _, row := range names {
		cells := []any{row}
		for _, column := range names {
			missed := 0
			for key := range firsts[row] {
				if _, both := firsts[column][key]; !both {
					missed++
				}
			}
			if row == column {
				cells = append(cells, "")
			} else {
				cells = append(cells, missed)
			}
		}
		alone := 0
		for key := range firsts[row] {
			if finders[key] == 1 {
				alone++
			}
		}
		t.add(append(cells, len(firsts[row]), alone)...)
	}
	return t
}

// reduced returns the findings that a generated trace showed by itself, without those seen during reductions. If a
// finding needs earlier traces, its original is only the last one, so its reduction has no size.
func (d *Data) reduced() (findings []*Finding) {
	for _, f := range d.Findings {
		if f.MetIn.IsZero() && f.History == 0 && f.Original.Calls > 0 && f.Minimal.Calls > 0 {
			findings = append(findings, f)
		}
	}
	return findings
}

func (d *Data) reduction() *Table {
	t := &Table{Name: "reduction", Title: "Reduction", text: 1, Columns: []string{"What", "Traces that have it",
		"Mean before", "Mean after", "Mean reduction", "Median", "Least", "Most"},
		Note: "How much smaller the traces of findings became, without findings seen only during another reduction and " +
			"those that need earlier traces."}
	for _, what := range []struct {
		name string
		of   func(Size) float64
	}{
		{"bytes of text", func(s Size) float64 { return float64(s.Bytes) }},
		{"calls", func(s Size) float64 { return float64(s.Calls) }},
		{"clauses", func(s Size) float64 { return float64(s.Hard) }},
		{"soft literals", func(s Size) float64 { return float64(s.Soft) }},
		{"literals", func(s Size) float64 { return float64(s.Literals) }},
		{"variables", func(s Size) float64 { return float64(s.Vars) }},
		{"sum of weights", func(s Size) float64 { return s.Weights }},
	} {
		var before, after float64
		var shares []float64
		for _, f := range d.reduced() {
			from, to := what.of(f.Original), what.of(f.Minimal)
			if from == 0 {
				continue
			}
			before, after = before+from, after+to
			shares = append(shares, 100*(from-to)/from)
		}
		n := float64(len(shares))
		if n == 0 {
			continue
		}
		slices.Sort(shares)
		sum := 0.0
		for _, s := range shares {
			sum += s
		}
		show := func(s float64) string { return fmt.Sprintf("%.1f %%", s) }
		t.add(what.name, len(shares), fmt.Sprintf("%.4g", before/n), fmt.Sprintf("%.4g", after/n),
			show(sum/n), show(shares[len(shares)/2]), show(shares[0]), show(shares[len(shares)-1]))
	}
	return t
}

func (d *Data) reductions() *Table {
	t := &Table{Name: "reductions", Title: "Reduction of each finding", text: 1,
		Columns: []string{"Finding", "Calls before", "Calls after", "Reduction", "Literals before", "Literals after",
			"Tests", "Time"}}
	for _, f := range d.reduced() {
		t.add(f.Key, f.Original.Calls, f.Minimal.Calls, fmt.Sprintf("%.1f %%", f.reducedBy()),
			f.Original.Literals, f.Minimal.Literals, f.Tests, seconds(f.Reducing))
	}
	return t
}

// reducedBy returns by how many percent the reduction made the text shorter.
func (f *Finding) reducedBy() float64 {
	return 100 * float64(f.Original.Bytes-f.Minimal.Bytes) / float64(f.Original.Bytes)
}

func (d *Data) generators() *Table {
	t := &Table{Name: "generators", Title: "What was generated", text: 1,
		Columns: []string{"Profile", "Traces", "With clauses", "With soft", "Unweighted", "Sum below 2^32",
			"Clauses", "Soft literals", "Variables", "Calls", "Solves"},
		Note: "Properties of every 32nd trace. Unweighted and sums are shares of the traces with soft literals; from " +
			"clauses on, the columns have the least, the greatest and the average."}
	for i, run := range d.Runs {
		if run.Record.Measures == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(run.Record.Measures.Profiles)) {
			p := run.Record.Measures.Profiles[name]
			span := func(r stats.Range) string {
				if p.Sampled == 0 {
					return ""
				}
				average := float64(r.Sum) / float64(p.Sampled)
				return fmt.Sprintf("%s–%s, %.1f", printable.Count(r.Min), printable.Count(r.Max), average)
			}
			t.add(strings.TrimSpace(d.label(i)+" "+name), p.Traces,
				percent(p.WithHard, p.Sampled), percent(p.WithSoft, p.Sampled),
				percent(p.Unit, p.WithSoft), percent(p.Small, p.WithSoft),
				span(p.Hard), span(p.Soft), span(p.Vars), span(p.Calls), span(p.Solves))
		}
	}
	return t
}

func (d *Data) usage() *Table {
	t := &Table{Name: "usage", Title: "Time and memory", text: 1,
		Columns: []string{"Target", "Traces", "Wall time", "A trace", "Median", "Slowest", "Peak memory", "Died",
			"Time limit", "Memory limit", "Output limit"},
		Note: "Wall time is the time of the calls. The median is rounded up to the next power of two microseconds; " +
			"the peak is that of a process, which may have run many traces."}
	for i, run := range d.Runs {
		if run.Record.Measures == nil {
			continue
		}
		for _, u := range run.Record.Measures.Targets {
			memory := ""
			if u.PeakKB > 0 {
				memory = fmt.Sprintf("%.1f MiB", float64(u.PeakKB)/1024)
			}
			t.add(strings.TrimSpace(d.label(i)+" "+u.Target), u.Traces, seconds(u.Wall),
				seconds(u.Wall/float64(max(u.Traces, 1))), seconds(median(u.Times)), seconds(u.Slowest), memory,
				u.Died, u.OutOfTime, u.OutOfMemory, u.OutOfOutput)
		}
	}
	return t
}

// learned compares traces that avoid nothing with those that avoid all known faults.
func (d *Data) learned() *Table {
	t := &Table{Name: "learned", Title: "With and without what known faults need", text: 2,
		Columns: []string{"Target", "Faults need", "Traces that avoid nothing", "Failed", "Traces that avoid all", "Failed",
			"Findings without"},
		Note: "Some traces avoid the features that known faults need, so that these hide no others: some avoid all faults, " +
			"others a single one. The last column counts findings that such a trace showed first."}
	for i, run := range d.Runs {
		if run.Record.Stats == nil {
			continue
		}
		for _, row := range run.Record.Stats.WithAndWithout() {
			first := 0
			for k := range run.Findings {
				if f := &run.Findings[k]; f.Target.Name == row.Target && len(f.Without) > 0 {
					first++
				}
			}
			needs := row.Needs()
			if !row.Supported() {
				needs += " (the counts do not show it)"
			}
			t.add(strings.TrimSpace(d.label(i)+" "+row.Target), needs, row.With.Traces, row.With.Share(),
				row.Without.Traces, row.Without.Share(), first)
		}
	}
	return t
}

// median returns the median of a histogram of stats.TargetUse, in seconds.
func median(times []uint64) float64 {
	var all, so uint64
	for _, n := range times {
		all += n
	}
	for i, n := range times {
		if so += n; 2*so >= all && all > 0 {
			return float64(uint64(1)<<i) / 1e6
		}
	}
	return 0
}

// list has a row for every finding.
func (d *Data) list() *Table {
	t := &Table{Name: "findings", Title: "Findings", text: 7, links: make(map[[2]int][]link),
		Columns: []string{"Fault", "Target", "Weights", "Observed", "Expected", "Known by", "Directory", "Calls",
			"Seen", "After", "Marks"}}
	for _, f := range d.Findings {
		t.links[[2]int{len(t.Rows), 0}] = []link{{f.title(), "#" + f.ID}}
		t.add(f.title(), f.Target.Name, f.letter(), f.Observed, f.Expected, f.Known, f.Dir,
			cmp.Or(f.Minimal.Calls, f.FindingRecord.Minimal), f.Hits, seconds(f.Elapsed), f.marks())
	}
	return t
}
