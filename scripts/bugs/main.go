// Command bugs replays the rows of docs/bugs-found.md on every version that it can have here, and writes what it saw
// in the columns versions and CI. 'make bugs' runs it after it has built the targets.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ipafuzz/ipafuzz/cexternal/bugs"
)

func main() {
	only := flag.String("only", "", "rerun only rows whose commands match this `expression`")
	runs := flag.Int("runs", 5, "how often each row is replayed; if the runs differ, four times as often")
	flag.Parse()
	wrong, err := rerun(*only, *runs)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bugs:", err)
		os.Exit(3)
	}
	if wrong > 0 {
		fmt.Fprintf(os.Stderr, "bugs: the commands of %d rows no longer show their faults\n", wrong)
		os.Exit(1)
	}
}

func rerun(only string, runs int) (wrong int, err error) {
	page, err := bugs.ReadPage(".")
	if err != nil {
		return 0, err
	}
	all, err := bugs.ReadVersions(".")
	if err != nil {
		return 0, err
	}
	chosen, err := regexp.Compile(only)
	if err != nil {
		return 0, err
	}
	for _, row := range page.Rows {
		if !chosen.MatchString(row.Again) {
			continue
		}
		before := row.Versions
		shown, err := measure(row, all, runs)
		if err != nil {
			return wrong, fmt.Errorf("%s: %w", row.Again, err)
		}
		if !shown {
			wrong++
		}
		mark := " "
		if row.Versions != before {
			mark = "*"
		}
		fmt.Printf("%s %s: %s\n", mark, row.Again, row.Versions)
		if err := write(row, ""); err != nil { // a run that is interrupted keeps what it has measured
			return wrong, err
		}
	}
	return wrong, write(nil, newest(all, time.Now()))
}

// write changes one row, and what the page says about newest releases, in the page as it is now.
func write(measured *bugs.Row, newest string) error {
	page, err := bugs.ReadPage(".")
	if err != nil {
		return err
	}
	for _, row := range page.Rows {
		if measured != nil && row.Again == measured.Again {
			row.Versions, row.CI = measured.Versions, measured.CI
		}
	}
	return page.Write(".", newest)
}

// measure replays the row in all versions. It reports whether the row's own command shows the fault.
func measure(row *bugs.Row, all *bugs.Versions, runs int) (shown bool, err error) {
	_, places, err := all.Of(row)
	if err != nil {
		return false, err
	}
	own := bugs.Place{Folder: row.Folder, Target: row.Target}
	base := replay(row, own, runs)
	var claims []bugs.Claim
	for _, place := range places {
		results := base
		if place.Package != "" || place.String() != own.String() {
			results = replay(row, place, runs)
		}
		claims = append(claims, judge(row, place, base, results))
	}
	slices.SortStableFunc(claims, func(a, b bugs.Claim) int { return rank(a) - rank(b) })
	return base.failure(row.Classes()) != nil || base.why != "", row.Set(claims, all)
}

// rank sorts claims: what shows the fault, what sometimes shows it, the rest.
func rank(c bugs.Claim) int {
	switch {
	case c.IsCertain() && !c.IsAbsent:
		return 0
	case strings.HasSuffix(c.Note, " runs)"):
		return 1
	}
	return 2
}

// judge says what the runs in one version mean.
func judge(row *bugs.Row, place bugs.Place, base, results *results) bugs.Claim {
	c := bugs.Claim{Version: place.Version}
	if results.why != "" {
		return unchanged(row, place.Version, results.why)
	}
	wanted := base.failure(row.Classes())
	if base.why != "" { // what the row's own command shows is not known; its classes are
		wanted = results.failure(row.Classes())
	}
	count, total := results.shows(wanted), len(results.runs)
	lacks, otherwise := results.lacks(base), cmp.Or(results.otherwise(wanted), results.unchecked())
	switch {
	case count == total:
	case count > 0:
		c.Note = fmt.Sprintf("(%d of %d runs)", count, total)
	case lacks != "":
		c.Note = "lacks " + lacks
	case otherwise != "":
		c.Note = "unclear (" + otherwise + ")"
	default:
		c.IsAbsent = true
	}
	return c
}

// unchanged keeps what the page says about a version that was not rerun, and marks it.
func unchanged(row *bugs.Row, version, why string) bugs.Claim {
	const mark = "(not rerun: "
	old, ok := row.Claim(version)
	if !ok {
		return bugs.Claim{Version: version, Note: "unknown " + mark + why + ")"}
	}
	said, _, _ := strings.Cut(old.Note, mark)
	old.Note = strings.TrimSpace(strings.TrimSpace(said)+" "+mark) + " " + why + ")"
	return old
}
