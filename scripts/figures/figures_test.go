package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// checkout makes a repository of the given files in one commit.
func checkout(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "a: b\n\nwhy"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	dir := checkout(t, map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.24\n",
		"campaign/a.go": `package campaign

import (
	"os"
	"sync"
)

// Campaign is documented.
type Campaign struct {
	mu sync.Mutex
	n  int
}

// A calls a method of another file, which calls back.
func (c *Campaign) A() { c.mu.Lock(); c.b() }

// Config is documented, too.
type Config struct{ OnFinding func(*finding) }

type finding struct{}

func confirmHang(f *finding) { printable(); add(f) }

func put(f *finding) { os.Rename("a", "b") }
`,
		"campaign/b.go": `package campaign

func (c *Campaign) b() { c.A(); printable() }

// A panel of Referees needs a referee.
func printable() {}

func add(f *finding) { put(f); print(f) }
`,
		"campaign/c.go":      "package campaign\n\nfunc Use(c *Campaign) { c.A(); c.b() }\n",
		"campaign/c_test.go": "package campaign\n",
		"main.go":            "package main\n\nimport _ \"example.org/m/campaign\"\n\nfunc main() {}\n",
		"testing/t.go":       "package testing\n\n// Help is for tests of other packages.\nfunc Help() {}\n",
		"docs/x.md":          "three words here\n<!-- begin t -->\n| a |\n<!-- end t -->\n",
		"docs/y.md":          "# Figures\n\nMade by a program\n",
	})
	figures, err := measure(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range figures {
		got[f.name] = f.value
	}
	wants := map[string]string{
		"lines of Go without tests": "44 in 5 files",
		"lines of Go tests":         "1 in 1 files",
		"words in docs/":            "20",
		"words in docs/ to read: not measured, not generated": "3",
		"top-level folders":                           "3",
		"fields of Campaign":                          "2",
		"methods of Campaign":                         "2 in 2 files",
		"exported functions with a doc comment":       "2 of 3 (66.7 %)",
		"walk of a suspected hang":                    "3 stops in 2 files, 1 returns",
		"functions named printable":                   "1: campaign/b.go",
		"exported definitions that at most tests use": "2 of 3: campaign.Config, campaign.Use",
		"other words for judge":                       "3: panel 1, referee 2",
		"commits with a body":                         "1 of 1 (100.0 %)",
	}
	wants["package campaign"] = "3 files, 35 lines; 1 lock sites in 1 files; 4 arrows, 1 up"
	for name, want := range wants {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}
