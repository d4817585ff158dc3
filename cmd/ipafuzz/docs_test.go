package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThePagesNameWhatExists follows the links of all pages, and looks for the project's files and folders
// that they name, and for broken tables.
func TestThePagesNameWhatExists(t *testing.T) {
	const root = "../.."
	pages := []string{root + "/README.md", root + "/CONTRIBUTING.md"}
	for _, folder := range []string{"/docs", "/docs/measured"} {
		inside, err := filepath.Glob(root + folder + "/*.md")
		if err != nil || len(inside) < 10 {
			t.Fatalf("%s has %d pages, %v", folder, len(inside), err)
		}
		pages = append(pages, inside...)
	}
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	// A table that was wrapped like a paragraph.
	flowing := regexp.MustCompile(`(?m)^.*[^|:\s-].*\|---.*$|^.*\|---.*[^|:\s-].*$`)
	named := regexp.MustCompile("`((?:apimodel|trace|gen|replay|oracle|dd|campaign|cexternal|cmd|bindings|" +
		"scripts|internal|examples)/[\\w./*+-]*)`")
	for _, page := range pages {
		text := readPage(t, page)
		if row := flowing.FindString(text); row != "" {
			t.Errorf("%s has a table in the middle of a line: %s", page, row)
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if m[2] != "" && !anchors(readPage(t, to))[m[2][1:]] {
				t.Errorf("%s links to %s%s, and there is no such heading", page, m[1], m[2])
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			found, err := filepath.Glob(filepath.Join(root, strings.TrimSuffix(m[1], "/...")))
			if len(found) == 0 || err != nil {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(text string) map[string]bool {
	names := make(map[string]bool)
	drop := regexp.MustCompile(`[^a-z0-9 _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}
