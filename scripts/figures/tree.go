package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of the house rules.
const (
	maxFiles        = 25
	maxPackageLines = 4500
	maxFunction     = 60
	maxColumns      = 120
	maxSubject      = 72
)

// A tree holds the lines of the tracked files of a checkout by path; only those of source files and pages are read.
type tree map[string][]string

func readTree(dir string) (tree, error) {
	names, err := git(dir, "ls-files")
	if err != nil {
		return nil, err
	}
	t := tree{}
	for _, name := range names {
		if !isGo(name) && !isC(name) && path.Ext(name) != ".md" {
			t[name] = nil
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) { // deleted, but not yet committed
			continue
		}
		if err != nil {
			return nil, err
		}
		t[name] = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	return t, nil
}

func isGo(name string) bool   { return path.Ext(name) == ".go" }
func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }
func isCode(name string) bool { return isGo(name) && !isTest(name) }
func isC(name string) bool {
	return slices.Contains([]string{".c", ".h", ".cc", ".cpp", ".hpp"}, path.Ext(name))
}

// git runs git in dir and returns the lines it prints.
func git(dir string, args ...string) ([]string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), nil
}

// matches finds what pattern matches in the files that include accepts, and the files it matches in.
func (t tree) matches(pattern string, include func(string) bool) (found, files []string) {
	re := regexp.MustCompile(pattern)
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if !include(name) {
			continue
		}
		before := len(found)
		for _, line := range t[name] {
			for _, match := range re.FindAllStringSubmatch(line, -1) {
				found = append(found, match[len(match)-1])
			}
		}
		if len(found) > before {
			files = append(files, name)
		}
	}
	return found, files
}

var (
	generatedPage = regexp.MustCompile("(Generated (from|by)|^Made by|writes this page)")
	generatedPart = regexp.MustCompile("^<!-- (begin|measured)")
)

// wordsWritten counts the words of a page outside of what programs wrote: pages that say so at the top, and parts from
// a comment "begin" or "measured" to one "end".
func wordsWritten(lines []string) int {
	words, generated := 0, false
	for i, line := range lines {
		switch {
		case i < 6 && generatedPage.MatchString(line):
			return 0
		case generatedPart.MatchString(line):
			generated = true
		case strings.HasPrefix(line, "<!-- end"):
			generated = false
		case !generated:
			words += len(strings.Fields(line))
		}
	}
	return words
}

func (t tree) sizes() []figure {
	folders := map[string]bool{}
	words, written := 0, 0
	for name, lines := range t {
		folder, _, inside := strings.Cut(name, "/")
		if inside && !strings.HasPrefix(folder, ".") {
			folders[folder] = true
		}
		if folder == "docs" {
			for _, line := range lines {
				words += len(strings.Fields(line))
			}
			if !strings.HasPrefix(name, "docs/measured/") {
				written += wordsWritten(lines)
			}
		}
	}
	figures := []figure{
		{"top-level folders", fmt.Sprint(len(folders))},
		{"words in docs/", thousands(words)},
		{"words in docs/ to read: not measured, not generated", thousands(written)},
	}
	for _, kind := range []struct {
		name    string
		include func(string) bool
	}{{"Go without tests", isCode}, {"Go tests", isTest}, {"C and C++", isC}} {
		files, all, over, longest := 0, 0, 0, 0
		for name, lines := range t {
			if !kind.include(name) {
				continue
			}
			files++
			all += len(lines)
			for _, line := range lines {
				columns := utf8.RuneCountInString(line)
				longest = max(longest, columns)
				if columns > maxColumns {
					over++
				}
			}
		}
		figures = append(figures,
			figure{"lines of " + kind.name, fmt.Sprintf("%s in %d files", thousands(all), files)},
			figure{fmt.Sprintf("lines over %d columns, %s", maxColumns, kind.name),
				fmt.Sprintf("%s, longest %d", share(over, all), longest)})
	}
	return figures
}

// vocabularies lists words of the house rules, each with the words that should not stand for it.
var vocabularies = [][2]string{
	{"reduce", "shrink|minimize|ma[dk]e small|make smaller|comes? down"},
	{"target", "subject|party|parties|who|place"},
	{"judge", "referee|examiner|confirmer|panel|decider"},
}

// repetitions counts repeated facts, definitions and words.
func (t tree) repetitions() []figure {
	cases, files := t.matches(`case apimodel\.Op`, isCode)
	figures := []figure{{"`case apimodel.Op` lines", fmt.Sprintf("%d in %d files", len(cases), len(files))}}
	for _, kind := range [][2]string{
		{"functions named printable", `^func (?:\(.*?\) )?((?i)printable)\(`},
		{"functions that quote", `^func (?:\(.*?\) )?((?i)(?:quote|shellword)\w*)\(`},
		{"atomic writers (calls of os.Rename)", `os\.Rename\(`},
	} {
		found, files := t.matches(kind[1], isCode)
		value := strings.TrimSuffix(fmt.Sprintf("%d: %s", len(found), strings.Join(files, ", ")), ": ")
		figures = append(figures, figure{kind[0], value})
	}
	for _, v := range vocabularies {
		found, _ := t.matches(`(?i)\b(`+v[1]+`)(?:s|r|rs|d|n)?\b`, func(name string) bool {
			return isCode(name) && !strings.HasPrefix(name, "scripts/")
		})
		times := map[string]int{}
		for _, word := range found {
			times[strings.ToLower(word)]++
		}
		var words []string
		for _, word := range slices.Sorted(maps.Keys(times)) {
			words = append(words, fmt.Sprint(word, " ", times[word]))
		}
		value := strings.TrimSuffix(fmt.Sprintf("%d: %s", len(found), strings.Join(words, ", ")), ": ")
		figures = append(figures, figure{"other words for " + v[0], value})
	}
	return figures
}

// commits measures the messages of the commits in dir, or of those that the revision since does not contain.
func commits(dir, since string) ([]figure, error) {
	revisions := "HEAD"
	if since != "" {
		revisions = since + "..HEAD"
	}
	lines, err := git(dir, "log", "--format=%s%x00%b%x01", revisions)
	if err != nil {
		return nil, err
	}
	all, long, bodies := 0, 0, 0
	for message := range strings.SplitSeq(strings.Join(lines, "\n"), "\x01") {
		subject, body, ok := strings.Cut(strings.TrimPrefix(message, "\n"), "\x00")
		if !ok {
			continue
		}
		all++
		if utf8.RuneCountInString(subject) > maxSubject {
			long++
		}
		if strings.TrimSpace(body) != "" {
			bodies++
		}
	}
	return []figure{
		{fmt.Sprintf("commit subjects over %d characters", maxSubject), share(long, all)},
		{"commits with a body", share(bodies, all)},
	}, nil
}

// packages returns the number of packages over a limit, and then a row for each folder with Go code.
func (t tree) packages(m *module) []figure {
	files, lines := map[string]int{}, map[string]int{}
	for name, text := range t {
		if isCode(name) && !strings.Contains(name, "testdata/") {
			files[path.Dir(name)]++
			lines[path.Dir(name)] += len(text)
		}
	}
	var rows []figure
	over := 0
	for _, folder := range slices.Sorted(maps.Keys(files)) {
		value := fmt.Sprintf("%d files, %s lines", files[folder], thousands(lines[folder]))
		if files[folder] > maxFiles || lines[folder] > maxPackageLines {
			over++
			value = "**" + value + "**"
		}
		inside := func(name string) bool { return isCode(name) && path.Dir(name) == folder }
		if sites, in := t.matches(`\.R?Lock\(\)`, inside); len(sites) > 0 {
			value += fmt.Sprintf("; %d lock sites in %d files", len(sites), len(in))
		}
		if all, up := m.arrows(folder); all > 0 {
			value += fmt.Sprintf("; %d arrows, %d up", all, up)
		}
		rows = append(rows, figure{"package " + folder, value})
	}
	label := fmt.Sprintf("packages over %d files or %s lines", maxFiles, thousands(maxPackageLines))
	return append([]figure{{label, fmt.Sprintf("%d of %d", over, len(files))}}, rows...)
}
