package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ipafuzz/ipafuzz/campaign/fault"
	"github.com/ipafuzz/ipafuzz/internal/printable"
	"github.com/ipafuzz/ipafuzz/internal/shell"
)

var (
	strong = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	alarm  = lipgloss.NewStyle().Foreground(lipgloss.Red)
	busy   = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	cursor = lipgloss.NewStyle().Reverse(true)
)

// narrow is the width below which columns are left out.
const narrow = 110

// low is the height below which the lines are for faults and targets, not for what the run costs.
const low = 20

// View draws the dashboard.
func (b *Board) View() tea.View {
	view := tea.NewView(b.Content())
	view.AltScreen = true
	view.WindowTitle = "ipafuzz " + b.heading.Title
	return view
}

// Content returns what View draws, in lines no wider than the terminal.
func (b *Board) Content() string {
	var lines []string
	lines = append(lines, b.top()...)
	foot := b.foot()
	height := max(b.height-len(lines)-1, 1)
	if b.open {
		lines = append(lines, b.finding(height)...)
	} else {
		lines = append(lines, b.tables(height)...)
	}
	lines = lines[:min(len(lines), max(b.height-1, 1))]
	for len(lines) < b.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, foot)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], b.width, "…")
	}
	return strings.Join(lines, "\n")
}

// top shows the progress of the campaign.
func (b *Board) top() []string {
	s, all := b.history.last(), b.history.of(-1)
	var traces, solves, deaths uint64
	for i := range s.Targets {
		traces, solves, deaths = traces+s.Targets[i].Traces, solves+s.Targets[i].Solves, deaths+s.Targets[i].Deaths
	}
	clock := s.Elapsed.Truncate(time.Second).String()
	if b.heading.Total > 0 {
		clock += fmt.Sprintf(" (%s left)", max(0, b.heading.Total-s.Elapsed).Round(time.Second))
	}
	state := ""
	switch {
	case b.stopping:
		state = busy.Render("   ending: confirming")
	case s.Paused:
		state = busy.Render("   paused")
	}
	found := cmp.Or(s.Found, fault.Count(nil))
	if s.Findings > 0 {
		found = alarm.Render(found)
	}
	if s.Doubtful > 0 {
		found += fmt.Sprintf(", %d not confirmed", s.Doubtful)
	}
	lines := []string{
		strong.Render("ipafuzz") + "  " + b.heading.Title + faint.Render(fmt.Sprintf("  seed %#x", b.heading.Seed)),
		fmt.Sprintf("%s%s   %s   %s", clock, state, found, printable.Things(deaths, "death")),
		fmt.Sprintf("%s, %s/s   %s, %s/s   %.0f%% inside the library",
			printable.Things(traces, "trace"), printable.Count(all.Traces), printable.Things(solves, "solve"),
			printable.Count(all.Solves), 100*all.Inside),
	}
	if b.height >= low {
		lines = append(lines, faint.Render(fmt.Sprintf("CPU %.0f%%   memory %s, of %d processes of targets %s",
			b.cpu(), size(s.Process.Own), s.Process.Count, size(s.Process.Children))))
	}
	if b.height >= low || s.Standing != "" {
		lines = append(lines, b.times()...)
	}
	for _, line := range s.Slow {
		lines = append(lines, faint.Render(line))
	}
	if b.height >= low && s.PutOff != "" {
		lines = append(lines, faint.Render(s.PutOff))
	}
	return append(lines, "")
}

// times shows where the time goes, in two lines if one is too narrow.
func (b *Board) times() []string {
	s := b.history.last()
	if s.Standing != "" {
		return []string{busy.Render(s.Standing)}
	}
	search, beside := searchTimes(&s.Times), timesBeside(&s.FollowUps)
	if n := s.FollowUps.InProgress + s.FollowUps.Queued; n > 0 {
		beside += fmt.Sprintf(" (%s)", printable.Things(int64(n), "failure"))
	}
	if b.width < narrow {
		return []string{faint.Render(search), faint.Render(beside)}
	}
	return []string{faint.Render(search + "   " + beside)}
}

// cpu returns the CPU time in percent of one processor.
func (b *Board) cpu() float64 {
	if len(b.history.samples) < 2 {
		return 0
	}
	first, last := &b.history.samples[0], b.history.last()
	took := (last.Elapsed - first.Elapsed).Seconds()
	if took <= 0 {
		return 0
	}
	return max(0, 100*(last.Process.CPU-first.Process.CPU).Seconds()/took)
}

func (b *Board) foot() string {
	if b.open {
		return faint.Render("esc back   ↑↓ scroll   p pause   q end the run")
	}
	return faint.Render("↑↓ choose a fault   enter open it   p pause   q end the run")
}

// tables shows the targets, the faults and the generators. The faults get the lines that the others leave
// free. If there is little room, the generators are cut short, then the targets.
func (b *Board) tables(height int) []string {
	targets, kinds := b.targets(), b.kinds()
	left := height - len(targets) - len(kinds) - 2
	most := 5
	if b.height < low {
		most = 2
	}
	if least := min(len(b.findings), most) + 1; left < least {
		left = least
		over := len(targets) + len(kinds) + 2 + left - height
		cut := min(max(over, 0), max(len(kinds)-2, 0))
		kinds = shorter(kinds, len(kinds)-cut)
		targets = shorter(targets, max(height-left-1, 2))
	}
	lines := append(targets, "")
	lines = append(lines, b.list(left)...)
	return append(append(lines, ""), kinds...)
}

// shorter cuts a table to a number of lines and shows how many are missing.
func shorter(lines []string, to int) []string {
	if len(lines) <= to || to < 2 {
		return lines
	}
	return append(lines[:to-1:to-1], faint.Render(fmt.Sprintf("… %d more", len(lines)-to+1)))
}

// targets returns a table of the targets: rates, and findings by class.
func (b *Board) targets() []string {
	s := b.history.last()
	var classes []string
	for i := range s.Targets {
		for class := range s.Targets[i].Findings {
			if !slices.Contains(classes, class) {
				classes = append(classes, class)
			}
		}
	}
	slices.Sort(classes)
	head := []string{"TARGET", "TRACES/S", "SOLVES/S", "INSIDE", "DEATHS"}
	head = append(head, classes...)
	rows := [][]string{head}
	for i := range s.Targets {
		t, r := &s.Targets[i], b.history.of(i)
		row := []string{t.Name, printable.Count(r.Traces), printable.Count(r.Solves),
			fmt.Sprintf("%.0f%%", 100*r.Inside), printable.Count(t.Deaths)}
		for _, class := range classes {
			row = append(row, orBlank(t.Findings[class]))
		}
		rows = append(rows, row)
	}
	return b.table(rows)
}

func orBlank(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// list returns a table of the faults, the newest first, and of the reductions in progress.
func (b *Board) list(height int) []string {
	if len(b.findings) == 0 {
		return []string{strong.Render("FAULTS"), faint.Render("none so far")}
	}
	at := b.cursor()
	from := max(0, min(at-(height-2)/2, len(b.findings)-(height-1)))
	lines := []string{strong.Render("FAULTS")}
	for i := from; i < len(b.findings) && len(lines) < height; i++ {
		f := &b.findings[i]
		reduced := fmt.Sprint(f.Calls)
		if f.Calls != f.Original {
			reduced = fmt.Sprintf("%d → %d", f.Original, f.Calls)
		}
		reduced = fmt.Sprintf("%12s calls", reduced)
		title, more := plain(f.Title), ""
		if i == at {
			title = cursor.Render(title)
		}
		switch {
		case f.Reducing:
			more = busy.Render("  reducing")
		case f.Again:
			more = faint.Render("  from an earlier run")
		}
		if f.Findings > 1 {
			more = faint.Render(fmt.Sprintf("  %d findings", f.Findings)) + more
		}
		if len(b.history.last().Targets) > 1 {
			more += "  " + f.Target
		}
		lines = append(lines, fmt.Sprintf("%8s %s  %s%s", f.Elapsed.Truncate(time.Second), reduced, title, more))
	}
	return lines
}

// kinds returns a table of the generators with the columns of the published tables: the shares of traces
// with hard clauses, with soft literals, without weights and with sums below 2^32, and the minimum, maximum
// and average of clauses, soft literals and variables.
func (b *Board) kinds() []string {
	s := b.history.last()
	if len(s.Kinds) == 0 {
		return nil
	}
	rows := [][]string{{"GENERATOR", "TRACES", "HARD", "SOFT", "UNWEIGHTED", "32-BIT",
		"HARD CLAUSES", "SOFT LITERALS", "VARIABLES"}}
	if b.width < narrow {
		rows[0] = []string{"GENERATOR", "TRACES", "HARD", "SOFT", "UNW.", "32-BIT", "#HARD", "#SOFT", "#VARS"}
	}
	for i := range s.Kinds {
		k := &s.Kinds[i]
		span := func(least, greatest, sum uint64) string {
			if k.Sampled == 0 {
				return "-"
			}
			if b.width < narrow {
				return fmt.Sprintf("%.1f", float64(sum)/float64(k.Sampled))
			}
			return fmt.Sprintf("%s–%s, %.1f", printable.Count(least), printable.Count(greatest),
				float64(sum)/float64(k.Sampled))
		}
		rows = append(rows, []string{k.Name, printable.Count(k.Traces), share(k.WithHard, k.Sampled),
			share(k.WithSoft, k.Sampled), share(k.Unit, k.WithSoft), share(k.Small, k.WithSoft),
			span(k.Hard.Min, k.Hard.Max, k.Hard.Sum), span(k.Soft.Min, k.Soft.Max, k.Soft.Sum),
			span(k.Vars.Min, k.Vars.Max, k.Vars.Sum)})
	}
	return b.table(rows)
}

func share(part, whole uint64) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// table aligns the first column to the left and the others to the right. If the table is too wide, it cuts
// the first column.
func (b *Board) table(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	total := 0
	for c := range widths {
		for _, row := range rows {
			widths[c] = max(widths[c], lipgloss.Width(row[c]))
		}
		total += widths[c] + 2
	}
	if over := total - 2 - b.width; over > 0 {
		widths[0] = max(8, widths[0]-over)
	}
	var lines []string
	for r, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			if over := lipgloss.Width(cell) - widths[c]; over > 0 && strings.IndexAny(cell, "/.") == 0 {
				cell = ansi.TruncateLeft(cell, over+1, "…") // the end of a path tells libraries apart
			}
			cell = ansi.Truncate(cell, widths[c], "…")
			pad := strings.Repeat(" ", widths[c]-lipgloss.Width(cell))
			if c == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if r == 0 {
			text = strong.Render(text)
		}
		lines = append(lines, text)
	}
	return lines
}

// finding shows the open fault by its simplest finding.
func (b *Board) finding(height int) []string {
	if len(b.findings) == 0 {
		return nil
	}
	f := &b.findings[b.cursor()]
	lines := []string{strong.Render(plain(f.Title)) + "  " + f.Target}
	for _, field := range []struct{ name, text string }{
		{"why", f.Why}, {"observed", f.Observed}, {"expected", f.Expected}, {"known by", f.Known}, {"also", f.Also},
		{"possibly", f.Possibly},
		{"kept in", f.Dir}, {"key", f.Key.String()},
	} {
		if field.text == "" {
			continue
		}
		for i, line := range strings.Split(ansi.Wrap(plain(field.text), max(b.width-12, 20), ""), "\n") {
			name := field.name
			if i > 0 {
				name = ""
			}
			lines = append(lines, faint.Render(fmt.Sprintf("%-10s", name))+line)
		}
	}
	size := printable.Things(f.Calls, "call")
	if f.Calls != f.Original {
		size = fmt.Sprintf("%s of %d, after %s", size, f.Original, printable.Things(f.Tests, "test"))
	}
	if f.Reducing {
		size = busy.Render(size + ", reducing")
	}
	lines = append(lines, faint.Render("size      ")+size)
	for _, command := range []struct{ name, text string }{{"replay", f.Replay}, {"generate", f.Generate}} {
		if command.text != "" { // at the margin, so that it can be copied
			lines = append(append(lines, faint.Render(command.name)), shell.Wrap(plain(command.text), max(b.width, 20))...)
		}
	}
	lines = append(lines, "")
	for line := range strings.Lines(f.Trace) {
		lines = append(lines, "  "+plain(strings.TrimRight(line, "\n")))
	}
	b.scroll = min(b.scroll, max(len(lines)-height, 0))
	return lines[b.scroll:]
}

func size(bytes uint64) string {
	if bytes >= 10<<30 {
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// plain replaces control characters in the text of a target, so that it cannot control the terminal.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, ansi.Strip(text))
}
