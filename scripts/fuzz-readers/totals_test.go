package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestTotalsAddUp: totals that are added to a page can be read again, the text around the
// table stays, and an unreadable row is an error instead of a lost total.
func TestTotalsAddUp(t *testing.T) {
	const row = "| `trace` | FuzzParse | 1,234 s | 5,678,901 | 2026-01-02 | 2026-01-03 |\n"
	page := "before\n\n" + head + row + "\nafter\n"
	totals, err := parse(page)
	if err != nil {
		t.Fatal(err)
	}
	if again := replaced(page, totals); again != page {
		t.Errorf("rewritten:\n%s\nwant\n%s", again, page)
	}
	day := tally{processor: 6 * time.Second, inputs: 99, since: "2026-01-04", until: "2026-01-04"}
	totals["trace/FuzzParse"] = totals["trace/FuzzParse"].plus(day)
	totals["oracle/FuzzNew"] = totals["oracle/FuzzNew"].plus(day)
	want := "before\n\n" + head + "| `oracle` | FuzzNew | 6 s | 99 | 2026-01-04 | 2026-01-04 |\n" +
		"| `trace` | FuzzParse | 1,240 s | 5,679,000 | 2026-01-02 | 2026-01-04 |\n" + "\nafter\n"
	if got := replaced(page, totals); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, bad := range []string{"no table", head + "| a | b |\n", strings.Replace(page, "1,234 s", "some", 1)} {
		if totals, err := parse(bad); err == nil {
			t.Errorf("%q: %v", bad, totals)
		}
	}
}

// TestPage: the page can be read, and has no rows of fuzz targets that are gone.
func TestPage(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	totals, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	fuzzers, err := list(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fuzzers {
		delete(totals, f.name())
	}
	for name := range totals {
		t.Errorf("%s is not a fuzz target any more", name)
	}
}
