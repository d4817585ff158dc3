package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
	"github.com/ipafuzz/ipafuzz/replay/targets"
	"github.com/ipafuzz/ipafuzz/trace"
)

// TestBugsFound: every row of docs/bugs-found.md has a command whose target and trace exist, every trace has a row, and
// the column CI is what 'make bugs' would write.
// README.md counts the faults: a row that begins "The same" is another effect of the fault above it.
func TestBugsFound(t *testing.T) {
	const root = ".."
	page, err := bugs.ReadPage(root)
	if err != nil {
		t.Fatal(err)
	}
	all, err := bugs.ReadVersions(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "bugs-found.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]*targets.File)
	for letter, folder := range bugs.Folders {
		if !strings.Contains(string(text), "| "+letter+" | "+folder+" |") {
			t.Errorf("the page does not say that %s stands for folder %s", letter, folder)
		}
		if files[folder], err = targets.ReadFile(filepath.Join(root, "cexternal", folder, "targets.toml")); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(folder, target string) bool {
		file := files[folder]
		return file != nil && slices.Contains(file.Names(), target)
	}
	faults := 0
	used := make(map[string]bool)
	for _, row := range page.Rows {
		if !strings.HasPrefix(row.What, "The same ") {
			faults++
		}
		if !exists(row.Folder, row.Target) {
			t.Errorf("%s: no target %s", row.Again, row.Target)
		}
		_, places, err := all.Of(row)
		if err != nil {
			t.Errorf("%s: %v", row.Again, err)
			continue
		}
		for _, place := range places {
			if place.Target != "" && !exists(place.Folder, place.Target) {
				t.Errorf("versions.toml: no target %s", place)
			}
		}
		written := *row
		if err := written.Set(row.Claims(), all); err != nil || written != *row {
			t.Errorf("%s: the columns are %q and %q, want %q and %q, %v", row.Again, row.Versions, row.CI,
				written.Versions, written.CI, err)
		}
		if row.Cases != "" {
			continue
		}
		file := row.TracePath()
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
	if len(page.Rows) < 30 {
		t.Errorf("only %d rows were read", len(page.Rows))
	}
	for _, name := range all.Built {
		if !exists("current", name) {
			t.Errorf("versions.toml: no target current/%s", name)
		}
	}
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if want := fmt.Sprintf("the %d faults", faults); err != nil || !strings.Contains(string(readme), want) {
		t.Errorf("README.md must say %q, %v", want, err)
	}
	for _, folder := range bugs.Folders {
		all, err := filepath.Glob(filepath.Join(root, "cexternal", folder, "testdata", "*.trace"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if name := strings.TrimPrefix(path, root+string(filepath.Separator)); !used[name] {
				t.Errorf("no row of docs/bugs-found.md is about %s", name)
			}
		}
	}
}
