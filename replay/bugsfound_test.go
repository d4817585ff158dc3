package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestBugsFound: every row of docs/bugs-found.md has a command whose target and
// trace exist.
// README.md counts the faults: a row that begins "The same" is another effect of the
// fault above it.
func TestBugsFound(t *testing.T) {
	const root = ".."
	text, err := os.ReadFile(filepath.Join(root, "docs", "bugs-found.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]*targets.File)
	for _, folder := range []string{"adapters", "runners", "programs", "current"} {
		path := filepath.Join(root, "cexternal", folder, "targets.toml")
		if files[folder], err = targets.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	var (
		command = regexp.MustCompile("`(R|P|Q|N|ipafuzz) ([^`]*)`")
		folders = map[string]string{"R": "adapters", "P": "programs", "Q": "runners", "N": "current"}
		suite   = regexp.MustCompile(`^conform --targets-file cexternal/(\w+)/targets.toml --target (\S+) --case`)
	)
	rows, faults := 0, 0
	used := make(map[string]bool)
	for letter, folder := range folders {
		if !strings.Contains(string(text), "| "+letter+" | "+folder+" |") {
			t.Errorf("the page does not say that %s stands for folder %s", letter, folder)
		}
	}
	tables, _, _ := strings.Cut(string(text), "## What turned out")
	_, tables, _ = strings.Cut(tables, "| library")
	for _, line := range strings.Split(tables, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| library") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 {
			t.Errorf("want four cells: %s", line)
			continue
		}
		if !strings.HasPrefix(cells[2], "The same ") {
			faults++
		}
		words := command.FindStringSubmatch(cells[3])
		if words == nil {
			t.Errorf("no command: %s", line)
			continue
		}
		folder, target, file := "", "", ""
		switch fields := strings.Fields(words[2]); {
		case folders[words[1]] != "" && len(fields) == 2:
			folder, target = folders[words[1]], fields[1]
			file = "cexternal/" + folder + "/testdata/" + fields[0] + ".trace"
		case suite.MatchString(words[2]):
			m := suite.FindStringSubmatch(words[2])
			folder, target = m[1], m[2]
		default:
			t.Errorf("a command of another form: %s", words[0])
			continue
		}
		targets := files[folder]
		if targets == nil || !slices.Contains(targets.Names(), target) {
			t.Errorf("%s: cexternal/%s/targets.toml has no target %s", words[0], folder, target)
		}
		if file == "" {
			continue
		}
		used[file] = true
		opened, err := os.Open(filepath.Join(root, file))
		if err != nil {
			t.Error(err)
			continue
		}
		_, err = trace.Parse(opened, file)
		opened.Close()
		if err != nil {
			t.Error(err)
		}
	}
	if rows < 30 {
		t.Errorf("only %d rows were read", rows)
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if want := fmt.Sprintf("the %d faults", faults); err != nil || !strings.Contains(string(readme), want) {
		t.Errorf("README.md must say %q, %v", want, err)
	}
	for _, folder := range []string{"adapters", "runners", "programs", "current"} {
		all, err := filepath.Glob(filepath.Join(root, "cexternal", folder, "testdata", "*.trace"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator))); !used[name] {
				t.Errorf("no row of docs/bugs-found.md is about %s", name)
			}
		}
	}
}
