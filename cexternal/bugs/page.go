// Package bugs reads docs/bugs-found.md: which command shows each fault again, and in which versions it did.
// scripts/bugs measures the versions and writes them, and tests replay what the page says.
package bugs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Page is docs/bugs-found.md.
type Page struct {
	lines []string
	Rows  []*Row
}

// A Row says that a command shows a fault. Its cells are Library, Versions, Class, What, Again and CI.
type Row struct {
	Library, Versions, Class, What, Again, CI string
	// Folder and Target name a target of cexternal; a row has the name of a trace, or cases of the conformance suite.
	Folder, Target, Trace, Cases string
	line                         int
}

// Folders are the folders of cexternal with the letters that stand for them in commands.
var Folders = map[string]string{"R": "adapters", "P": "programs", "Q": "runners", "N": "current"}

var (
	short   = regexp.MustCompile("^`([RPQN]) (\\S+) (\\S+)`$")
	conform = regexp.MustCompile("^`ipafuzz conform --targets-file cexternal/(\\w+)/targets.toml " +
		"--target (\\S+) --case '(\\S+)'`$")
)

const head = "| library | versions | class | what happens | again | CI |"

// ReadPage reads the page of the repository at root.
func ReadPage(root string) (*Page, error) {
	text, err := os.ReadFile(pathOf(root))
	if err != nil {
		return nil, err
	}
	return parsePage(string(text))
}

func pathOf(root string) string { return filepath.Join(root, "docs", "bugs-found.md") }

func parsePage(text string) (*Page, error) {
	p := &Page{lines: strings.Split(text, "\n")}
	isTable := false
	for i, line := range p.lines {
		switch {
		case line == head:
			isTable = true
		case !strings.HasPrefix(line, "|"):
			isTable = false
		case isTable && !strings.HasPrefix(line, "|---"):
			row, err := parseRow(line)
			if err != nil {
				return nil, fmt.Errorf("docs/bugs-found.md:%d: %w", i+1, err)
			}
			row.line = i
			p.Rows = append(p.Rows, row)
		}
	}
	return p, nil
}

func parseRow(line string) (*Row, error) {
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
	if len(cells) != 6 {
		return nil, fmt.Errorf("%d cells, want 6", len(cells))
	}
	r := &Row{Library: cells[0], Versions: cells[1], Class: cells[2], What: cells[3], Again: cells[4], CI: cells[5]}
	if m := short.FindStringSubmatch(r.Again); m != nil {
		r.Folder, r.Trace, r.Target = Folders[m[1]], m[2], m[3]
	} else if m := conform.FindStringSubmatch(r.Again); m != nil {
		r.Folder, r.Target, r.Cases = m[1], m[2], m[3]
	} else {
		return nil, fmt.Errorf("no command: %s", r.Again)
	}
	return r, nil
}

// TracePath returns the path of the row's trace, from the root.
func (r *Row) TracePath() string {
	return filepath.Join("cexternal", r.Folder, "testdata", r.Trace+".trace")
}

// Classes returns the classes of the findings.
func (r *Row) Classes() []string { return strings.Split(r.Class, ", ") }

// Write writes the page with the cells of its rows, and with what was said about newest releases.
func (p *Page) Write(root, newest string) error {
	return os.WriteFile(pathOf(root), []byte(p.text(newest)), 0o644)
}

const newestMark = "Newest releases"

func (p *Page) text(newest string) string {
	lines := slices.Clone(p.lines)
	for _, r := range p.Rows {
		lines[r.line] = "| " + strings.Join([]string{r.Library, r.Versions, r.Class, r.What, r.Again, r.CI}, " | ") + " |"
	}
	if at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, newestMark) }); at >= 0 &&
		newest != "" {
		end := at + slices.Index(lines[at:], "")
		lines = slices.Replace(lines, at, end, wrap(newestMark+" "+newest)...)
	}
	return strings.Join(lines, "\n")
}

// wrap breaks text into lines of at most 120 columns.
func wrap(text string) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > 120 {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
