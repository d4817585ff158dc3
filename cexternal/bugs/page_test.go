package bugs

import (
	"strings"
	"testing"
)

const page = `# Faults

Newest releases
were known.

| library | versions | class | what happens | again | CI |
|---|---|---|---|---|---|
| Solver, an option | 2.0, 1.0 (3 of 20 runs), not 0.9, 0.8 lacks ` + "`x`" + ` | 2.6, 1.6 | Wrong. | ` +
	"`Q some-trace solver`" + ` | no |
| Solver | 2.0 | 5.7 | Leaks. | ` +
	"`ipafuzz conform --targets-file cexternal/adapters/targets.toml --target other --case 'release/*'`" + ` | no |

| library | what |
|---|---|
| another | table |
`

func TestPage(t *testing.T) {
	p, err := parsePage(page)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 2 || p.text("") != page {
		t.Fatalf("%d rows, and the text is\n%s", len(p.Rows), p.text(""))
	}
	row := p.Rows[0]
	if row.Folder != "runners" || row.Trace != "some-trace" || row.Target != "solver" || len(row.Classes()) != 2 {
		t.Errorf("the row: %+v", row)
	}
	if conform := p.Rows[1]; conform.Folder != "adapters" || conform.Target != "other" || conform.Cases != "release/*" {
		t.Errorf("the row of the suite: %+v", conform)
	}
	want := []Claim{{"2.0", false, ""}, {"1.0", false, "(3 of 20 runs)"}, {"0.9", true, ""}, {"0.8", false, "lacks `x`"}}
	for i, c := range row.Claims() {
		if c != want[i] {
			t.Errorf("claim %d: %+v, want %+v", i, c, want[i])
		}
	}
	if text := p.text("are known."); !strings.Contains(text, "\nNewest releases are known.\n\n|") {
		t.Errorf("the newest releases are not replaced:\n%s", text)
	}
	if _, err := parsePage(strings.Replace(page, "`Q some-trace solver`", "by hand", 1)); err == nil ||
		!strings.Contains(err.Error(), "bugs-found.md:8: no command") {
		t.Errorf("a row without a command: %v", err)
	}
}

// TestGuarded: CI guards what every run agrees on, at targets that 'make test' builds.
func TestGuarded(t *testing.T) {
	all := &Versions{Built: []string{"new"}, Solvers: []Solver{{Name: "Solver", Releases: []Release{
		{Version: "3", Targets: []string{"current/new", "current/slow"}},
		{Version: "2", Package: "solver==2"},
		{Version: "1", Targets: []string{"adapters/old", ""}, Why: "no headers"},
	}}}}
	for _, test := range []struct{ target, versions, ci string }{
		{"new", "3, 1", "yes"},
		{"new", "3, not 1", "yes"},
		{"new", "3 (2 of 9 runs), not 1", "1"},
		{"new", "3, 2, 1", "3, 1"},
		{"new", "3 lacks `x`", "no"},
		{"slow", "3, 1 not rerun: no headers", "no"},
	} {
		row := &Row{Folder: "current", Target: test.target, Trace: "some", Versions: test.versions}
		if err := row.Set(row.Claims(), all); err != nil || row.CI != test.ci || row.Versions != test.versions {
			t.Errorf("%s of %s: CI %q, want %q, %v", test.versions, test.target, row.CI, test.ci, err)
		}
	}
	if err := (&Row{Folder: "current", Target: "unknown"}).Set(nil, all); err == nil {
		t.Error("an unknown target has versions")
	}
}
